// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

/// Host functions that compiled kernels call. Each file of this directory offers a table; all()
/// joins them.
namespace wideload::jit {

struct Helper {
    const char* name;  ///< as machine code calls it: "wl_..."
    void* address;
};

template <class Function>
Helper helper(const char* name, Function* function) {
    return {name, reinterpret_cast<void*>(function)};
}

[[nodiscard]] std::span<const Helper> memory_helpers();
[[nodiscard]] std::span<const Helper> atomic_helpers();
[[nodiscard]] std::span<const Helper> bulk_copy_helpers();
[[nodiscard]] std::span<const Helper> mbarrier_helpers();
[[nodiscard]] std::span<const Helper> synchronization_helpers();
[[nodiscard]] std::span<const Helper> call_helpers();
[[nodiscard]] std::span<const Helper> warp_helpers();
[[nodiscard]] std::span<const Helper> integer_helpers();
[[nodiscard]] std::span<const Helper> floating_helpers();
[[nodiscard]] std::span<const Helper> half_helpers();
[[nodiscard]] std::span<const Helper> conversion_helpers();

[[nodiscard]] std::vector<Helper> all_helpers();

}  // namespace wideload::jit
