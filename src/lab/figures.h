// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lab/record.h"

/// Figures in words, spelled alike in sentences, tables and charts.
namespace wideload::lab {

/// Whole numbers in full, "1,048,576"; others to three digits, "7.98", "0.125".
[[nodiscard]] std::string figure(double value);

/// The same with a unit: "bytes" as "4.00 KiB".
[[nodiscard]] std::string figure(double value, std::string_view unit);

/// "3.9 to 4.1", or one figure where all read alike.
/// @param values  not empty
[[nodiscard]] std::string range(std::span<const double> values);

/// "virtual NVIDIA H200 (9.0), CUDA 13.0", and the best copy where times were taken.
[[nodiscard]] std::string machine_words(const Results& results);

/// Whose results they are, in short: "virtual NVIDIA H200", "NVIDIA H200, full sizes".
[[nodiscard]] std::string run_words(const Results& results);

/// A parameter with its value: "524,289 blocks" where the title begins with a plural, else "stride
/// 8 floats", "size 4.00 KiB".
[[nodiscard]] std::string quantity(std::string_view title, std::string_view unit, double value);

/// The described ones among a point's parameters, "1,024 elements, stride 8 floats"; "all" where
/// there is none.
[[nodiscard]] std::string words(const Parameters& parameters, const Description& description);

}  // namespace wideload::lab
