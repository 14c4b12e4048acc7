// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Text in columns of a terminal. Widths are columns, not bytes: `×` takes one, a CJK character
/// two.
namespace wideload::report {

/// What stands below a head is set in by so much.
inline constexpr std::string_view kIndent = "  ";

[[nodiscard]] std::size_t display_width(std::string_view text);

[[nodiscard]] std::string pad_left(std::string_view text, std::size_t width);
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t width);

/// `text`, or where it is wider, as much of it as fits with "…" at the end.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);
/// The same with the "…" in front: of a path the end matters.
[[nodiscard]] std::string shortened_front(std::string_view text, std::size_t width);

/// Breaks at spaces into lines of at most `width` columns, each led by `indent`, each ended by a
/// newline. A word that is wider is broken where it must be.
[[nodiscard]] std::string wrapped(std::string_view text, std::string_view indent,
                                  std::size_t width);

/// Escape sequences around text, or nothing where colour is off.
class Style {
public:
    explicit Style(bool colour) : colour_(colour) {}
    [[nodiscard]] std::string bold(std::string_view text) const { return wrap("1", text); }
    [[nodiscard]] std::string dim(std::string_view text) const { return wrap("2", text); }
    [[nodiscard]] std::string bad(std::string_view text) const { return wrap("31", text); }
    [[nodiscard]] std::string fair(std::string_view text) const { return wrap("33", text); }
    [[nodiscard]] std::string good(std::string_view text) const { return wrap("32", text); }
    [[nodiscard]] std::string advice(std::string_view text) const { return wrap("36", text); }

private:
    [[nodiscard]] std::string wrap(std::string_view code, std::string_view text) const;
    bool colour_;
};

}  // namespace wideload::report
