// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

/// JSON as text, composed from the inside out: every function returns one complete value.
namespace lab::json {

inline std::string text(const std::string& plain) {
    std::string quoted = "\"";
    for (const char c : plain) {
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
            quoted += escaped;
        } else {
            quoted += c;
        }
    }
    return quoted + '"';
}

inline std::string boolean(bool value) { return value ? "true" : "false"; }
inline std::string whole(std::uint64_t value) { return std::to_string(value); }

/// What is no number (0 / 0, say) is null: JSON knows no other word for it.
inline std::string number(double value) {
    if (!std::isfinite(value)) return "null";
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g", value);
    return digits;
}

using Members = std::vector<std::pair<std::string, std::string>>;

inline std::string object(const Members& members) {
    std::string all;
    for (const auto& [name, value] : members) {
        all += (all.empty() ? "" : ",") + text(name) + ":" + value;
    }
    return "{" + all + "}";
}

template <class Item, class Convert>
std::string array(const std::vector<Item>& items, Convert convert) {
    std::string all;
    for (const Item& item : items) all += (all.empty() ? "" : ",") + convert(item);
    return "[" + all + "]";
}

inline std::string texts(const std::vector<std::string>& items) { return array(items, text); }

}  // namespace lab::json
