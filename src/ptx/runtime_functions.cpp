// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "ptx/linker.h"

namespace wideload::ptx {
namespace {

/// What a program may declare and libcudadevrt or the driver defines, without PTX for it. The CUDA
/// runtime's own functions on the device all begin with one of the prefixes.
constexpr std::array<std::string_view, 5> kFunctions{"vprintf", "malloc", "free", "__assertfail",
                                                     "__nvvm_reflect"};
constexpr std::array<std::string_view, 2> kPrefixes{"cuda", "__cuda"};

}  // namespace

bool is_runtime_function(std::string_view name) {
    return std::ranges::find(kFunctions, name) != kFunctions.end() ||
           std::ranges::any_of(kPrefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

}  // namespace wideload::ptx
