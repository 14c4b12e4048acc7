// SPDX-License-Identifier: Apache-2.0
#include "counters/row_sum.h"

#include "counters/record.h"

namespace wideload::counters {
namespace {

void add_static_classes(SiteRow& total, const SiteRow& worker) {
    for (std::size_t i = 0; i < total.static_classes.size(); ++i) {
        const SiteRow::StaticClass& from = worker.static_classes[i];
        SiteRow::StaticClass& to = total.static_classes[i];
        // Any base of the class would do; the lowest does not depend on the order of workers.
        if (from.requests != 0 && (to.requests == 0 || from.last_base < to.last_base)) {
            to.last_base = from.last_base;
        }
        to.requests += from.requests;
    }
}

void add_patterns(PatternTally& total, const PatternTally& worker) {
    total.contiguous += worker.contiguous;
    total.broadcast += worker.broadcast;
    total.irregular += worker.irregular;
    total.other_strides += worker.other_strides;
    for (std::size_t i = 0; i < total.misaligned.size(); ++i) {
        total.misaligned[i] += worker.misaligned[i];
    }
    for (const PatternTally::Stride& stride : worker.strides) {
        if (stride.requests != 0) {
            tally_stride(total, stride.bytes, stride.requests);
        }
    }
}

}  // namespace

void add(SiteRow& total, const SiteRow& worker) {
    add_static_classes(total, worker);
    total.requests += worker.requests;
    total.active_lanes += worker.active_lanes;
    total.sectors += worker.sectors;
    total.ideal_sectors += worker.ideal_sectors;
    total.distinct_bytes += worker.distinct_bytes;
    total.wavefronts += worker.wavefronts;
    total.ideal_wavefronts += worker.ideal_wavefronts;
    for (std::size_t i = 0; i < total.histogram.size(); ++i) {
        total.histogram[i] += worker.histogram[i];
    }
    add_patterns(total.patterns, worker.patterns);
    if (worker.first.order != 0 && precedes(worker.first.order, total.first)) {
        total.first = worker.first;
    }
    if (worker.worst.order != 0 && (worker.worst.sectors > total.worst.sectors ||
                                    (worker.worst.sectors == total.worst.sectors &&
                                     precedes(worker.worst.order, total.worst)))) {
        total.worst = worker.worst;
    }
}

}  // namespace wideload::counters
