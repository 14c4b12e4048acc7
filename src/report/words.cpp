// SPDX-License-Identifier: Apache-2.0
#include "report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace wideload::report {
namespace {

std::string_view kind_words(profile::SiteKind kind) {
    switch (kind) {
        using enum profile::SiteKind;
        case global_ld:
            return "load";
        case global_st:
            return "store";
        case global_red:
            return "reduce";
        case global_atom:
            return "atomic";
        case shared_ld:
            return "load";
        case shared_st:
            return "store";
        case shared_atom:
            return "atomic";
        case local_ld:
            return "local load";
        case local_st:
            return "local store";
        case bulk_ld:
            return "bulk load";
        case bulk_st:
            return "bulk store";
        case bulk_red:
            return "bulk reduce";
        case constant_ld:
            return "const load";
        case branch:
            return "branch";
    }
    std::abort();  // an enumerator without a case does not compile
}

/// The parameter types of a demangled function, in order.
std::vector<std::string_view> parameter_types(std::string_view kernel) {
    std::vector<std::string_view> types;
    if (!kernel.ends_with(')')) return types;
    // From the back to the parenthesis that opens the list: types may hold parentheses and commas
    // of their own.
    std::size_t end = kernel.size() - 1;
    int depth = 0;
    for (std::size_t at = end; at-- > 0;) {
        const char c = kernel[at];
        if (c == ')' || c == '>') ++depth;
        const bool opens_list = c == '(' && depth == 0;
        if (opens_list || (c == ',' && depth == 0)) {
            std::string_view type = kernel.substr(at + 1, end - at - 1);
            while (type.starts_with(' ')) type.remove_prefix(1);
            types.insert(types.begin(), type);
            end = at;
        }
        if (opens_list) return types;
        if (c == '(' || c == '<') --depth;
    }
    return {};
}

}  // namespace

std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
        text.insert(static_cast<std::size_t>(at), 1, ',');
    }
    return text;
}

std::string counted(std::uint64_t number, std::string_view noun) {
    std::string text = grouped(number) + ' ' + std::string(noun);
    if (number != 1) text += noun.ends_with("ch") || noun.ends_with('s') ? "es" : "s";
    return text;
}

std::string byte_words(std::uint64_t bytes) {
    static constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 999.5 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    const int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f} {}", value, decimals, kUnits[unit]);
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
    if (part == whole) return "100 %";
    if (part == 0) return "0 %";
    double value = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    if (part < whole) value = std::clamp(value, 0.1, 99.9);
    return fmt::format("{:.1f} %", value);
}

std::string ratio(std::uint64_t numerator, std::uint64_t denominator) {
    return fmt::format("{:.1f}", static_cast<double>(numerator) / static_cast<double>(denominator));
}

std::string access_words(const profile::Site& site) {
    using enum profile::SiteKind;
    const bool has_lanes = site.kind != branch && site.kind != bulk_ld && site.kind != bulk_st &&
                           site.kind != bulk_red;
    if (!has_lanes) return std::string(kind_words(site.kind));
    return fmt::format("{} {} B × {}", kind_words(site.kind), site.element_bytes,
                       site.vector_width);
}

std::string distance_words(std::uint64_t bytes) {
    // Strides of whole KiB are easier to recognise as such.
    return bytes >= 10240 && bytes % 1024 == 0 ? grouped(bytes / 1024) + " KiB"
                                               : counted(bytes, "byte");
}

std::string parameter_words(std::string_view parameter, std::string_view kernel) {
    static constexpr std::string_view kMark = "_param_";
    const std::size_t mark = parameter.rfind(kMark);
    if (mark == std::string_view::npos) return "parameter " + std::string(parameter);
    const std::string_view digits = parameter.substr(mark + kMark.size());
    std::size_t index = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), index).ec != std::errc{}) {
        return "parameter " + std::string(parameter);
    }
    const std::vector<std::string_view> types = parameter_types(kernel);
    return index < types.size() ? fmt::format("parameter {} ({})", index + 1, types[index])
                                : fmt::format("parameter {}", index + 1);
}

std::string pattern_words(const profile::PatternShare& share) {
    switch (share.pattern) {
        using enum profile::Pattern;
        case contiguous:
            return "contiguous";
        case strided:
            return "strided by " +
                   distance_words(static_cast<std::uint64_t>(std::abs(share.bytes))) +
                   (share.bytes < 0 ? " backwards" : "");
        case broadcast:
            return "broadcast";
        case misaligned:
            return "misaligned by " + counted(static_cast<std::uint64_t>(share.bytes), "byte");
        case irregular:
            return "irregular";
    }
    std::abort();  // an enumerator without a case does not compile
}

std::string pattern_words(const profile::PatternShare& share, std::uint64_t requests) {
    if (requests == 0) return pattern_words(share);
    const double value =
        100.0 * static_cast<double>(share.requests) / static_cast<double>(requests);
    // "100 %" is kept for all of them.
    const long whole = share.requests == requests ? 100 : std::min(99L, std::lround(value));
    return fmt::format("{} ({} %)", pattern_words(share), whole);
}

}  // namespace wideload::report
