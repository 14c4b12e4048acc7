// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/module.h"
#include "ptx/token_stream.h"

namespace wideload::ptx {

/// `.file`, `.loc` and `.section`: where instructions come from in the source.
class DebugInfo {
public:
    /// Each begins at its directive and reports its errors to `tokens`; false after one.
    bool parse_file(TokenStream& tokens, Module& module);
    bool parse_location(TokenStream& tokens, Module& module);
    bool parse_section(TokenStream& tokens);

    /// The location of the last `.loc`.
    [[nodiscard]] LocationId current() const { return current_; }
    void start_function() { current_ = kNoLocation; }

    /// Gives every location the inlined function's name: `.loc` names it by a label of section
    /// .debug_str, which stands at the end of the text.
    void name_functions(Module& module) const;

private:
    struct Position {
        std::uint32_t file = 0, line = 0, column = 0;
        bool operator==(const Position&) const = default;
    };
    /// A place in .debug_str; an empty label where the function was not inlined.
    struct StringReference {
        std::string_view label;
        std::uint64_t offset = 0;
        bool operator==(const StringReference&) const = default;
    };
    struct Key {
        Position position;
        LocationId inlined_at = kNoLocation;
        StringReference function;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Position& position) const;
        std::size_t operator()(const Key& key) const;
    };

    bool parse_position(TokenStream& tokens, Position& position);
    bool parse_function_name(TokenStream& tokens, StringReference& function);
    bool parse_strings(TokenStream& tokens);
    LocationId intern(const Key& key, Module& module);
    [[nodiscard]] std::string text_at(const StringReference& reference) const;

    LocationId current_ = kNoLocation;
    std::unordered_map<Key, LocationId, Hash> known_;
    /// The last location at a position: `inlined_at` names the caller by its position alone.
    std::unordered_map<Position, LocationId, Hash> last_at_;
    std::vector<StringReference> functions_;  ///< of each location
    std::string strings_;                     ///< bytes of .debug_str
    std::unordered_map<std::string_view, std::size_t> string_labels_;
};

}  // namespace wideload::ptx
