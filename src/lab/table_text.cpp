// SPDX-License-Identifier: Apache-2.0
#include "lab/table_text.h"

#include <algorithm>
#include <vector>

namespace wideload::lab {
namespace {

using report::display_width;

/// The columns of a table that stand beside each other, by number.
using Part = std::vector<std::size_t>;

std::size_t longest_word(std::string_view text) {
    std::size_t longest = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        longest = std::max(longest, display_width(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return longest;
}

/// A table with the widths that its columns need.
class Sheet {
public:
    Sheet(const Table& table, const report::Style& style) : table_(table), style_(style) {
        constexpr std::size_t kNarrowHead = 12;
        for (std::size_t column = 0; column < table.heads.size(); ++column) {
            std::size_t width = 0;
            for (const auto& row : table.rows) {
                if (column < row.size()) width = std::max(width, display_width(row[column]));
            }
            // Heads are broken over lines so that a column is no wider than its figures need.
            const std::size_t room =
                std::max({width, kNarrowHead, longest_word(table.heads[column])});
            const std::string lines = report::wrapped(table.heads[column], "", room);
            std::vector<std::string>& head = heads_.emplace_back();
            for (std::size_t at = 0; at < lines.size();) {
                const std::size_t end = lines.find('\n', at);
                head.push_back(lines.substr(at, end - at));
                width = std::max(width, display_width(head.back()));
                at = end + 1;
            }
            widths_.push_back(width);
        }
    }

    /// As many columns beside each other as there is room for, one at least.
    [[nodiscard]] std::vector<Part> parts(std::size_t columns) const {
        Part keys;
        std::size_t keys_width = 1;
        for (std::size_t column = 0; column < std::min(table_.key_columns, widths_.size());
             ++column) {
            keys.push_back(column);
            keys_width += taken_by(column);
        }
        std::vector<Part> parts = {keys};
        std::size_t used = keys_width;
        for (std::size_t column = keys.size(); column < widths_.size(); ++column) {
            if (used + taken_by(column) > columns && parts.back().size() > keys.size()) {
                parts.push_back(keys);
                used = keys_width;
            }
            parts.back().push_back(column);
            used += taken_by(column);
        }
        return parts;
    }

    [[nodiscard]] std::string text(const Part& part) const {
        std::size_t head_lines = 0;
        for (const std::size_t column : part) {
            head_lines = std::max(head_lines, heads_[column].size());
        }
        std::string text;
        for (std::size_t line = 0; line < head_lines; ++line) {
            text += style_.dim(row_text(part, [&](std::size_t column) {
                return line < heads_[column].size() ? heads_[column][line] : std::string{};
            }));
        }
        for (const auto& row : table_.rows) {
            text += row_text(part, [&](std::size_t column) {
                return column < row.size() ? row[column] : std::string{};
            });
        }
        return text;
    }

private:
    /// With the space that parts it from the column before it.
    [[nodiscard]] std::size_t taken_by(std::size_t column) const {
        return widths_[column] + (table_.is_text(column) ? 1 : 2);
    }

    template <class CellOf>
    [[nodiscard]] std::string row_text(const Part& part, CellOf cell_of) const {
        std::string line = " ";
        for (const std::size_t column : part) {
            line += ' ';
            line += table_.is_text(column) ? report::pad_right(cell_of(column), widths_[column])
                                           : report::pad_left(cell_of(column), widths_[column] + 1);
        }
        return line + '\n';
    }

    const Table& table_;
    const report::Style& style_;
    std::vector<std::size_t> widths_;
    std::vector<std::vector<std::string>> heads_;  ///< by column, its lines
};

}  // namespace

std::string table_text(const Table& table, const report::Style& style, std::size_t columns) {
    const Sheet sheet(table, style);
    std::string text;
    for (const Part& part : sheet.parts(columns)) {
        text += (text.empty() ? "" : "\n") + sheet.text(part);
    }
    return text;
}

}  // namespace wideload::lab
