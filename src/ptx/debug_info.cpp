// SPDX-License-Identifier: Apache-2.0
#include "ptx/debug_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "ptx/constant.h"

namespace wideload::ptx {
namespace {

/// Every location holds its function's name: without a limit, hostile text could ask for any amount
/// of memory.
constexpr std::size_t kLongestName = 16384;

std::optional<std::uint32_t> parse_index(TokenStream& tokens, std::string_view what) {
    const auto value =
        tokens.at(TokenKind::number) ? parse_number(tokens.peek().text) : std::nullopt;
    if (!value || value->is_float() || value->bits > ~std::uint32_t{0}) {
        tokens.fail_expecting(what);
        return std::nullopt;
    }
    tokens.take();
    return static_cast<std::uint32_t>(value->bits);
}

std::size_t mix(std::size_t seed, std::size_t value) {
    return (seed ^ value) * std::size_t{0x9e3779b97f4a7c15} + (seed >> 29);
}

}  // namespace

std::size_t DebugInfo::Hash::operator()(const Position& position) const {
    return mix(mix(position.file, position.line), position.column);
}

std::size_t DebugInfo::Hash::operator()(const Key& key) const {
    const std::size_t name = std::hash<std::string_view>{}(key.function.label);
    return mix(mix((*this)(key.position), key.inlined_at), name + key.function.offset);
}

bool DebugInfo::parse_file(TokenStream& tokens, Module& module) {
    tokens.take();
    const auto index = parse_index(tokens, "the index of a file");
    if (!index) return false;
    if (!tokens.at(TokenKind::string)) return tokens.fail_expecting("the name of a file in quotes");
    const std::string_view quoted = tokens.take().text;
    module.files[*index] = std::string(quoted.substr(1, quoted.size() - 2));
    if (!tokens.accept(",")) return true;
    if (!parse_index(tokens, "a time stamp") || !tokens.expect(",")) return false;
    return parse_index(tokens, "a file size").has_value();
}

bool DebugInfo::parse_position(TokenStream& tokens, Position& position) {
    const auto file = parse_index(tokens, "the index of a file");
    if (!file) return false;
    const auto line = parse_index(tokens, "a line");
    if (!line) return false;
    const auto column = parse_index(tokens, "a column");
    if (!column) return false;
    position = {*file, *line, *column};
    return true;
}

bool DebugInfo::parse_function_name(TokenStream& tokens, StringReference& function) {
    if (!tokens.expect("function_name", "in .loc")) return false;
    if (!tokens.at(TokenKind::word)) return tokens.fail_expecting("a label of .debug_str");
    function.label = tokens.take().text;
    if (!tokens.accept("+")) return true;
    const auto offset = parse_index(tokens, "an offset");
    function.offset = offset.value_or(0);
    return offset.has_value();
}

LocationId DebugInfo::intern(const Key& key, Module& module) {
    const auto id = static_cast<LocationId>(module.locations.size());
    const auto [known, is_new] = known_.emplace(key, id);
    if (is_new) {
        const auto& [file, line, column] = key.position;
        module.locations.push_back({file, line, column, key.inlined_at, {}});
        functions_.push_back(key.function);
    }
    last_at_[key.position] = known->second;
    return known->second;
}

bool DebugInfo::parse_location(TokenStream& tokens, Module& module) {
    tokens.take();
    Key key;
    if (!parse_position(tokens, key.position)) return false;
    if (tokens.accept(",")) {
        if (!parse_function_name(tokens, key.function)) return false;
        Position caller;
        if (!tokens.expect(",") || !tokens.expect("inlined_at", "in .loc") ||
            !parse_position(tokens, caller)) {
            return false;
        }
        const auto last = last_at_.find(caller);
        key.inlined_at =
            last != last_at_.end() ? last->second : intern({caller, kNoLocation, {}}, module);
    }
    current_ = intern(key, module);
    return true;
}

bool DebugInfo::parse_section(TokenStream& tokens) {
    tokens.take();
    const bool strings = tokens.at(".debug_str");
    while (!tokens.at("{")) {
        if (!tokens.at(TokenKind::directive) && !tokens.at(TokenKind::word) &&
            !tokens.at(TokenKind::string) && !tokens.at(",")) {
            return tokens.fail_expecting("a section's name and `{`");
        }
        tokens.take();
    }
    if (strings) return parse_strings(tokens);
    tokens.skip_block();
    return true;
}

bool DebugInfo::parse_strings(TokenStream& tokens) {
    tokens.take();
    while (!tokens.accept("}")) {
        if (tokens.at(TokenKind::word) && tokens.peek_next().text == ":") {
            string_labels_.emplace(tokens.take().text, strings_.size());
            tokens.take();
        } else if (tokens.accept(".b8")) {
            do {
                const auto byte = parse_index(tokens, "a byte");
                if (!byte) return false;
                strings_ += static_cast<char>(*byte);
            } while (tokens.accept(","));
        } else {
            return tokens.fail_expecting("a label or `.b8` in section .debug_str");
        }
    }
    return true;
}

std::string DebugInfo::text_at(const StringReference& reference) const {
    const auto label = string_labels_.find(reference.label);
    if (label == string_labels_.end()) return {};
    const std::size_t start = label->second + reference.offset;
    if (start >= strings_.size()) return {};
    const std::size_t end = std::min(strings_.find('\0', start), start + kLongestName);
    return strings_.substr(start, end - start);
}

void DebugInfo::name_functions(Module& module) const {
    for (std::size_t i = 0; i < functions_.size(); ++i) {
        if (!functions_[i].label.empty()) module.locations[i].function = text_at(functions_[i]);
    }
}

}  // namespace wideload::ptx
