// SPDX-License-Identifier: Apache-2.0
#include "ptx/special_register.h"

#include <array>
#include <charconv>
#include <string>
#include <unordered_map>

namespace wideload::ptx {
namespace {

struct Row {
    std::string_view name;
    unsigned bits;
};

/// In the order of SpecialRegister.
// clang-format off
constexpr std::array kRegisterRows = std::to_array<Row>({
    {"%tid.x", 32}, {"%tid.y", 32}, {"%tid.z", 32},
    {"%ntid.x", 32}, {"%ntid.y", 32}, {"%ntid.z", 32},
    {"%ctaid.x", 32}, {"%ctaid.y", 32}, {"%ctaid.z", 32},
    {"%nctaid.x", 32}, {"%nctaid.y", 32}, {"%nctaid.z", 32},
    {"%laneid", 32}, {"%warpid", 32}, {"%nwarpid", 32}, {"%smid", 32}, {"%nsmid", 32},
    {"%gridid", 64},
    {"%lanemask_eq", 32}, {"%lanemask_le", 32}, {"%lanemask_lt", 32}, {"%lanemask_ge", 32},
    {"%lanemask_gt", 32},
    {"%clock", 32}, {"%clock_hi", 32}, {"%clock64", 64},
    {"%globaltimer", 64}, {"%globaltimer_lo", 32}, {"%globaltimer_hi", 32},
    {"%dynamic_smem_size", 32}, {"%total_smem_size", 32}, {"%aggr_smem_size", 32},
    {"%clusterid.x", 32}, {"%clusterid.y", 32}, {"%clusterid.z", 32},
    {"%nclusterid.x", 32}, {"%nclusterid.y", 32}, {"%nclusterid.z", 32},
    {"%cluster_ctaid.x", 32}, {"%cluster_ctaid.y", 32}, {"%cluster_ctaid.z", 32},
    {"%cluster_nctaid.x", 32}, {"%cluster_nctaid.y", 32}, {"%cluster_nctaid.z", 32},
    {"%cluster_ctarank", 32}, {"%cluster_nctarank", 32}, {"%is_explicit_cluster", 1},
    {"%pm0", 32}, {"%pm1", 32}, {"%pm2", 32}, {"%pm3", 32},
    {"%pm4", 32}, {"%pm5", 32}, {"%pm6", 32}, {"%pm7", 32},
    {"%envreg", 32},
    {"%current_graph_exec", 64},
    {"%reserved_smem_offset_begin", 32}, {"%reserved_smem_offset_end", 32},
    {"%reserved_smem_offset_cap", 32},
    {"%pm0_64", 64}, {"%pm1_64", 64}, {"%pm2_64", 64}, {"%pm3_64", 64},
    {"%pm4_64", 64}, {"%pm5_64", 64}, {"%pm6_64", 64}, {"%pm7_64", 64},
    {"%reserved_smem_offset_0", 32}, {"%reserved_smem_offset_1", 32},
});
// clang-format on
static_assert(kRegisterRows[static_cast<std::size_t>(SpecialRegister::envreg)].name == "%envreg");
static_assert(kRegisterRows.size() ==
              static_cast<std::size_t>(SpecialRegister::reserved_smem_offset_1) + 1);

constexpr std::string_view kEnvironment = "%envreg";
constexpr unsigned kEnvironmentRegisters = 32;

const Row& row(SpecialRegister special) { return kRegisterRows[static_cast<std::size_t>(special)]; }

std::optional<SpecialRegister> find(std::string_view name) {
    static const std::unordered_map<std::string_view, SpecialRegister> index = [] {
        std::unordered_map<std::string_view, SpecialRegister> map;
        for (std::size_t i = 0; i < kRegisterRows.size(); ++i) {
            map.emplace(kRegisterRows[i].name, static_cast<SpecialRegister>(i));
        }
        return map;
    }();
    const auto found = index.find(name);
    if (found == index.end()) return std::nullopt;
    return found->second;
}

Operand scalar(SpecialRegister special) {
    Operand operand;
    operand.kind = Operand::Kind::special;
    operand.special = special;
    return operand;
}

std::optional<Operand> find_environment_register(std::string_view name) {
    const std::string_view digits = name.substr(kEnvironment.size());
    Operand operand = scalar(SpecialRegister::envreg);
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, operand.bits);
    if (error != std::errc{} || stop != end || operand.bits >= kEnvironmentRegisters) {
        return std::nullopt;
    }
    return operand;
}

/// x, y, z of a three-dimensional register, and the zero that stands in the fourth place.
Operand vector_of(SpecialRegister x) {
    Operand vector;
    vector.kind = Operand::Kind::vector;
    for (unsigned i = 0; i < 3; ++i) {
        vector.elements.push_back(
            scalar(static_cast<SpecialRegister>(static_cast<unsigned>(x) + i)));
    }
    Operand zero;
    zero.kind = Operand::Kind::immediate;
    vector.elements.push_back(zero);
    return vector;
}

}  // namespace

std::optional<Operand> find_special_register(std::string_view name) {
    if (!name.starts_with('%')) return std::nullopt;
    if (name.starts_with(kEnvironment)) return find_environment_register(name);
    if (const auto special = find(name)) return scalar(*special);
    if (const auto x = find(std::string(name) + ".x")) return vector_of(*x);
    return std::nullopt;
}

std::string_view name(SpecialRegister special) { return row(special).name; }

unsigned bit_width(SpecialRegister special) { return row(special).bits; }

}  // namespace wideload::ptx
