// SPDX-License-Identifier: Apache-2.0
#include "ptx/types.h"

#include <array>
#include <cstddef>
#include <unordered_map>

namespace wideload::ptx {
namespace {

/// In the order of Type.
constexpr std::array<std::string_view, 37> kTypeNames{
    "none",   "b8",      "b16",    "b32",  "b64",   "b128", "u8",   "u16",    "u32",    "u64",
    "s8",     "s16",     "s32",    "s64",  "f16",   "bf16", "f32",  "f64",    "tf32",   "f16x2",
    "bf16x2", "u16x2",   "s16x2",  "pred", "f32x2", "u8x4", "s8x4", "e4m3x2", "e5m2x2", "e2m3x2",
    "e3m2x2", "ue8m0x2", "e2m1x2", "u2",   "s2",    "u4",   "s4"};
static_assert(kTypeNames[static_cast<std::size_t>(Type::pred)] == "pred");
static_assert(kTypeNames[static_cast<std::size_t>(Type::s4)] == "s4");

constexpr std::array<std::string_view, 7> kSpaceNames{"generic", "reg",    "param", "shared",
                                                      "local",   "global", "const"};

}  // namespace

std::string_view name(Type type) { return kTypeNames[static_cast<std::size_t>(type)]; }

std::string_view name(Space space) { return kSpaceNames[static_cast<std::size_t>(space)]; }

std::optional<Type> find_type(std::string_view word) {
    static const std::unordered_map<std::string_view, Type> index = [] {
        std::unordered_map<std::string_view, Type> map;
        for (std::size_t i = 1; i < kTypeNames.size(); ++i) {
            map.emplace(kTypeNames[i], static_cast<Type>(i));
        }
        return map;
    }();
    const auto found = index.find(word);
    if (found == index.end()) return std::nullopt;
    return found->second;
}

}  // namespace wideload::ptx
