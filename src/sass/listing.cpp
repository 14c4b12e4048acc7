// SPDX-License-Identifier: Apache-2.0
#include "sass/listing.h"

#include <charconv>
#include <optional>

namespace wideload::sass {
namespace {

constexpr std::string_view kLocationMark = "//## File \"";
constexpr std::string_view kSectionMark = ".section\t";  // and not .sectioninfo
constexpr std::string_view kCodeSection = ".text.";
constexpr std::string_view kPtxFile = ".nv_debug_ptx_txt";
/// Deeper than any inlining that ptxas records; a hostile listing could go on for ever.
constexpr std::size_t kMostFrames = 64;

std::string_view without_indent(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

/// Takes a word off the front of a text, as far as a space or one of `;{}`.
std::string_view take_word(std::string_view& text) {
    text = without_indent(text);
    const std::string_view word = text.substr(0, text.find_first_of(" \t;{}"));
    text.remove_prefix(word.size());
    return word;
}

template <class Integer>
std::optional<Integer> leading_number(std::string_view text, int base = 10) {
    Integer number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (error != std::errc{} || end == text.data()) return std::nullopt;
    return number;
}

}  // namespace

void ListingReader::read_line(std::string_view line) {
    line = without_indent(line);
    if (line.starts_with(kLocationMark)) {
        read_location(line);
    } else if (line.starts_with("/*")) {
        if (in_code_) read_instruction(line);
    } else if (line.starts_with(kSectionMark)) {
        line.remove_prefix(kSectionMark.size());
        begin_section(without_indent(line));
    }
}

void ListingReader::begin_section(std::string_view name) {
    // Quoted where the name has characters that an assembler would take for its own.
    if (name.starts_with('"')) name.remove_prefix(1);
    name = name.substr(0, name.find_first_of("\","));
    in_code_ = name.starts_with(kCodeSection);
    function_ = in_code_ ? name.substr(kCodeSection.size()) : std::string_view{};
    frames_.clear();
    chain_goes_on_ = false;
    ptx_line_ = 0;
}

/// `File "a.h", line 2 inlined at "a.cu", line 4` is followed by `File "a.cu", line 4`.
void ListingReader::read_location(std::string_view comment) {
    static constexpr std::string_view kLine = "\", line ";
    comment.remove_prefix(kLocationMark.size());
    const std::size_t quote = comment.find(kLine);
    if (quote == std::string_view::npos) return;
    const std::string_view file = comment.substr(0, quote);
    const std::string_view rest = comment.substr(quote + kLine.size());
    const auto line = leading_number<std::uint32_t>(rest);
    if (!line) return;
    if (file == kPtxFile) {
        ptx_line_ = *line;
        return;
    }
    if (!chain_goes_on_) frames_.clear();
    if (frames_.size() < kMostFrames) frames_.push_back({std::string(file), *line, 0});
    chain_goes_on_ = rest.find(" inlined at ") != std::string_view::npos;
}

/// `/*0070*/  @!P0 LDG.E R3, desc[UR6][R4.64] ;`
void ListingReader::read_instruction(std::string_view line) {
    line.remove_prefix(2);
    const auto offset = leading_number<std::uint64_t>(line, 16);
    const std::size_t end = line.find("*/");
    if (!offset || end == std::string_view::npos) return;
    line = without_indent(line.substr(end + 2));
    if (line.starts_with('{')) line.remove_prefix(1);
    std::string_view opcode = take_word(line);
    if (opcode.starts_with('@')) opcode = take_word(line);
    if (opcode.empty() || opcode.front() < 'A' || opcode.front() > 'Z') return;
    chain_goes_on_ = false;
    ++instructions_;
    sink_({function_, *offset, opcode, frames_, ptx_line_});
}

}  // namespace wideload::sass
