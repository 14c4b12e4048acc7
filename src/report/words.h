// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profile/profile.h"

/// Figures and patterns in words, spelled the same everywhere in a report.
namespace wideload::report {

/// "1,048,576"
[[nodiscard]] std::string grouped(std::uint64_t number);

/// "1 launch", "3 launches": `noun` takes an s, or es after ch and s.
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view noun);

/// In binary units, three digits: "28.0 MiB", "512 B".
[[nodiscard]] std::string byte_words(std::uint64_t bytes);

/// "12.5 %"; never "100.0 %" unless the two are equal, never "0.0 %" unless part is 0.
/// @param whole not 0
[[nodiscard]] std::string percent(std::uint64_t part, std::uint64_t whole);

/// Quotient with one decimal: "32.0".
/// @param denominator not 0
[[nodiscard]] std::string ratio(std::uint64_t numerator, std::uint64_t denominator);

/// "load 4 B × 1": what a lane does, the bytes of an element and how many of them in one
/// instruction.
[[nodiscard]] std::string access_words(const profile::Site& site);

/// How far lanes are apart: "128 bytes", "64 KiB".
[[nodiscard]] std::string distance_words(std::uint64_t bytes);

/// Of a PTX parameter as a reader of the source counts: "parameter 1 (float const*)"; another name
/// stays itself.
/// @param kernel demangled, for the types
[[nodiscard]] std::string parameter_words(std::string_view parameter, std::string_view kernel);

/// "strided by 128 bytes"
[[nodiscard]] std::string pattern_words(const profile::PatternShare& share);

/// The same with its share of the requests: "strided by 128 bytes (100 %)".
[[nodiscard]] std::string pattern_words(const profile::PatternShare& share, std::uint64_t requests);

}  // namespace wideload::report
