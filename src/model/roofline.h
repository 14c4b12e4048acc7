// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/device.h"
#include "profile/profile.h"

/// What a GPU's peak rates alone allow a kernel: a lower bound on its time, never an estimate of
/// it.
namespace wideload::model {

/// Each limits a kernel by itself: work of its kind at the GPU's peak rate for it.
enum class Roof : std::uint8_t { f16, f32, f64, i32, l1, l2, dram };
inline constexpr std::array kRoofs = {Roof::f16, Roof::f32, Roof::f64, Roof::i32,
                                      Roof::l1,  Roof::l2,  Roof::dram};
[[nodiscard]] constexpr bool is_memory(Roof roof) { return roof >= Roof::l1; }

/// "f32", "DRAM"
[[nodiscard]] std::string_view name(Roof roof);

/// Operations or bytes a second; absent where none was published.
[[nodiscard]] std::optional<double> peak(Roof roof, const arch::Device& device);

/// What launches did of one roof's kind of work: operations, or bytes. Absent where it was not
/// counted.
///   i32   up to 32 bits; 64-bit integers are mostly addresses, which ptxas computes in other ways
///   l1    sectors that requests asked for, global and local
///   l2    distinct sectors read: had they all been there, DRAM would not count
///   dram  distinct sectors of global memory, read and written: caches without end, empty
///         at first and written back in the end
[[nodiscard]] std::optional<double> work(Roof roof, const profile::Counters& counters);

/// One kernel, all its launches together.
struct Roofline {
    std::string kernel;
    std::uint64_t launches = 0;
    const arch::Device* device = nullptr;
    std::array<std::optional<double>, kRoofs.size()> work;     ///< by Roof
    std::array<std::optional<double>, kRoofs.size()> seconds;  ///< at the peak rate, by Roof
    double bound_s = 0;  ///< no less time than this: launch by launch its slowest roof, summed
    std::optional<Roof> binding;  ///< the roof that takes longest; none: nothing was counted

    [[nodiscard]] bool has_floating_point() const;
    /// Of all floating-point types; of a kernel that has none, of 32-bit integers.
    [[nodiscard]] double operations() const;
    /// Operations a byte of DRAM, or of another memory; none where its bytes were not counted, or
    /// nothing was touched.
    [[nodiscard]] std::optional<double> intensity(Roof memory = Roof::dram) const;
    [[nodiscard]] bool is_memory_bound() const { return binding && is_memory(*binding); }
};

/// Kernels in the order of their first launches; those without counters are left out.
/// @param device null: the GPU that each launch ran on
[[nodiscard]] std::vector<Roofline> rooflines(const profile::Profile& profile,
                                              const arch::Device* device);

}  // namespace wideload::model
