// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "counters/rules.h"

namespace wideload::counters::test {

/// A launch of one-dimensional blocks whose accesses are stated as formulas of the thread; sums
/// what the rules say of each warp's request under the hardware's column names.
class ModelledLaunch {
public:
    using Address = std::optional<std::uint64_t>;  ///< none: the lane is not active

    ModelledLaunch(unsigned blocks, unsigned threads) : blocks_(blocks), threads_(threads) {}

    /// @param address_of (block, thread of the block) -> Address
    template <class AddressOf>
    ModelledLaunch& access(const std::string& column, Rule rule, unsigned bytes,
                           AddressOf address_of) {
        for (unsigned block = 0; block < blocks_; ++block) {
            for (unsigned warp = 0; warp < threads_ / kLanes; ++warp) {
                Request request;
                request.bytes_per_lane = bytes;
                for (unsigned lane = 0; lane < kLanes; ++lane) {
                    const Address address = address_of(block, warp * kLanes + lane);
                    request.addresses[lane] = address.value_or(0);
                    request.mask |= std::uint32_t{address.has_value()} << lane;
                }
                add(column, rule, request);
            }
        }
        return *this;
    }

    template <class F>
    ModelledLaunch& load(unsigned bytes, F address_of) {
        return access("global_ld", Rule::global, bytes, address_of);
    }
    template <class F>
    ModelledLaunch& store(unsigned bytes, F address_of) {
        return access("global_st", Rule::global, bytes, address_of);
    }
    template <class F>
    ModelledLaunch& shared_load(unsigned bytes, F address_of) {
        return access("shared_ld", Rule::shared_load, bytes, address_of);
    }
    template <class F>
    ModelledLaunch& shared_store(unsigned bytes, F address_of) {
        return access("shared_st", Rule::shared_store, bytes, address_of);
    }

    void add(const std::string& column, Rule rule, const Request& request) {
        if (request.mask == 0) {
            return;
        }
        const Figures figures = measure(request, rule);
        if (rule == Rule::shared_load || rule == Rule::shared_store) {
            columns[column + "_inst"] += 1;
            columns[column + "_wavefronts"] += figures.wavefronts;
            columns[column + "_conflicts"] += figures.wavefronts - figures.ideal_wavefronts;
        } else {
            columns[column + "_requests"] += 1;
            columns[column + "_sectors"] += figures.sectors;
        }
    }

    std::map<std::string, std::uint64_t> columns;

private:
    unsigned blocks_, threads_;
};

}  // namespace wideload::counters::test
