// SPDX-License-Identifier: Apache-2.0
#include "place.h"

#include <fmt/format.h>

#include <string_view>

#include "kernel_text.h"

namespace wideload::isa {
namespace {

/// @param index  the kernel's register that numbers the parts
/// @param parts  of one block, of all blocks
/// @param bytes  of a part
Place divided(const std::string& space, const std::string& name, const char* index_in_block,
              const char* index, std::uint32_t parts_of_block, std::uint32_t parts,
              unsigned bytes = 128) {
    constexpr std::string_view kGeneric = "generic_";
    const bool is_generic = space.starts_with(kGeneric);
    const std::string own = is_generic ? space.substr(kGeneric.size()) : space;
    Place place;
    place.is_global = own == "global";
    place.suffix = is_generic ? "" : "." + own;
    const bool is_local = own == "local";
    const std::string variable = "place_" + name;
    const std::uint32_t count = is_local ? 1 : place.is_global ? parts : parts_of_block;
    const std::string declaration =
        fmt::format(".{} .align {} .b8 {}[{}];", own, bytes, variable, count * bytes);
    // Local memory is declared where it is used, in a function.
    (is_local ? place.code : place.declarations) = declaration + " ";
    place.code += fmt::format(".reg .b64 %{0}; mov.b64 %{0}, {1}; ", name, variable);
    if (!is_local) {
        place.code += fmt::format(
            ".reg .b64 %{0}_offset; mul.wide.u32 %{0}_offset, {1}, {2}; add.u64 %{0}, %{0}, "
            "%{0}_offset; ",
            name, place.is_global ? index : index_in_block, bytes);
    }
    if (is_generic) place.code += fmt::format("cvta.{1}.u64 %{0}, %{0};", name, own);
    return place;
}

}  // namespace

Place private_place(const std::string& space, const std::string& name, unsigned bytes) {
    return divided(space, name, "%thread_x", "%thread", kThreads, kAllThreads, bytes);
}

Place warp_place(const std::string& space) {
    return divided(space, "at", "%warp_in_block", "%warp", kThreads / kLanes, kAllWarps);
}

}  // namespace wideload::isa
