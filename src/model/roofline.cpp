// SPDX-License-Identifier: Apache-2.0
#include "model/roofline.h"

#include <algorithm>
#include <map>
#include <utility>

#include "arch/throughput.h"
#include "profile/counter_names.h"

namespace wideload::model {
namespace {

using profile::Counters;

std::optional<double> counter(const Counters& counters, std::string_view name) {
    const auto found = counters.find(name);
    if (found == counters.end()) return std::nullopt;
    return static_cast<double>(found->second);
}

/// The sum of several; absent where one of them is.
std::optional<double> sum(const Counters& counters, std::initializer_list<std::string_view> names) {
    double total = 0;
    for (const std::string_view name : names) {
        const std::optional<double> one = counter(counters, name);
        if (!one) return std::nullopt;
        total += *one;
    }
    return total;
}

std::optional<double> bytes(std::optional<double> sectors) {
    if (sectors) *sectors *= arch::kSectorBytes;
    return sectors;
}

std::size_t index(Roof roof) { return static_cast<std::size_t>(roof); }

const arch::Device* device_of(const profile::Profile& profile, const profile::Launch& launch) {
    if (launch.device >= profile.devices.size()) return nullptr;
    return arch::find_device(profile.devices[launch.device].key);
}

void add(std::optional<double>& total, double amount) { total = total.value_or(0) + amount; }

/// Adds a launch, as often as it was made.
void add(Roofline& kernel, const profile::Launch& launch) {
    const auto times = static_cast<double>(launch.count);
    kernel.launches += launch.launches();
    double slowest = 0;
    for (const Roof roof : kRoofs) {
        const std::optional<double> done = work(roof, *launch.counters);
        if (!done) continue;
        add(kernel.work[index(roof)], *done * times);
        const std::optional<double> rate = peak(roof, *kernel.device);
        if (!rate) continue;
        add(kernel.seconds[index(roof)], *done / *rate * times);
        slowest = std::max(slowest, *done / *rate);
    }
    kernel.bound_s += slowest * times;
}

/// Among roofs that take equally long the later one binds: memory before arithmetic.
std::optional<Roof> binding_of(const Roofline& kernel) {
    std::optional<Roof> binding;
    for (const Roof roof : kRoofs) {
        const double seconds = kernel.seconds[index(roof)].value_or(0);
        if (seconds == 0) continue;
        if (!binding || seconds >= *kernel.seconds[index(*binding)]) binding = roof;
    }
    return binding;
}

double floating_point_operations(const Roofline& kernel) {
    double operations = 0;
    for (const Roof roof : {Roof::f16, Roof::f32, Roof::f64}) {
        operations += kernel.work[index(roof)].value_or(0);
    }
    return operations;
}

}  // namespace

std::string_view name(Roof roof) {
    constexpr std::array<std::string_view, kRoofs.size()> kNames = {"f16", "f32", "f64", "i32",
                                                                    "L1",  "L2",  "DRAM"};
    return kNames[index(roof)];
}

std::optional<double> peak(Roof roof, const arch::Device& device) {
    switch (roof) {
        case Roof::f16:
            return arch::f16_peak_operations(device);
        case Roof::f32:
            return device.fp32_peak_flops();
        case Roof::f64:
            return device.fp64_peak_flops();
        case Roof::i32:
            return arch::i32_peak_operations(device);
        case Roof::l1:
            return arch::l1_peak_bytes_per_second(device);
        case Roof::l2:
            return arch::l2_peak_bytes_per_second(device);
        case Roof::dram:
            return device.dram_peak_bytes_per_second();
    }
    return std::nullopt;
}

std::optional<double> work(Roof roof, const Counters& counters) {
    switch (roof) {
        case Roof::l1:
            return bytes(
                sum(counters, {"global_ld_sectors", "global_st_sectors", "global_red_sectors",
                               "global_atom_sectors", "local_ld_sectors", "local_st_sectors"}));
        case Roof::l2:
            return bytes(counter(counters, profile::kTouchedReadSectors));
        case Roof::dram:
            return bytes(
                sum(counters, {profile::kTouchedReadSectors, profile::kTouchedWriteSectors}));
        default:
            return counter(counters,
                           std::string(name(roof)) + std::string(profile::kOperationsSuffix));
    }
}

double Roofline::operations() const {
    const double floating = floating_point_operations(*this);
    return floating != 0 ? floating : work[index(Roof::i32)].value_or(0);
}

bool Roofline::has_floating_point() const { return floating_point_operations(*this) != 0; }

std::optional<double> Roofline::intensity(Roof memory) const {
    const double moved = work[index(memory)].value_or(0);
    if (moved == 0) return std::nullopt;
    return operations() / moved;
}

std::vector<Roofline> rooflines(const profile::Profile& profile, const arch::Device* device) {
    std::vector<Roofline> kernels;
    std::map<std::pair<std::string, const arch::Device*>, std::size_t> places;
    for (const profile::Launch& launch : profile.launches) {
        const arch::Device* own = device != nullptr ? device : device_of(profile, launch);
        if (own == nullptr || launch.counters->empty()) continue;
        const auto [place, is_new] = places.try_emplace({launch.kernel, own}, kernels.size());
        if (is_new) {
            kernels.emplace_back();
            kernels.back().kernel = launch.kernel;
            kernels.back().device = own;
        }
        add(kernels[place->second], launch);
    }
    for (Roofline& kernel : kernels) kernel.binding = binding_of(kernel);
    return kernels;
}

}  // namespace wideload::model
