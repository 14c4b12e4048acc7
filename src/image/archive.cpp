// SPDX-License-Identifier: Apache-2.0
#include "image/archive.h"

#include <fmt/format.h>

#include <charconv>

namespace wideload::image {
namespace {

constexpr std::string_view kMagic = "!<arch>\n";
constexpr std::string_view kHeaderEnd = "`\n";

/// GNU's tables are "/", "//" and "/SYM64/", BSD's "__.SYMDEF"; "/12" is a name in the name table.
bool is_table(std::string_view name) {
    return name == "/" || name == "//" || name == "/SYM64/" || name.starts_with("__.SYMDEF");
}

std::string member_input(const std::string& archive, std::string_view name) {
    const bool elsewhere = name.starts_with('/') || name.starts_with('#');
    if (elsewhere) return archive;
    return fmt::format("{}({})", archive, name.substr(0, name.find('/')));
}

std::string_view trimmed(std::string_view field) {
    return field.substr(0, field.find_last_not_of(' ') + 1);
}

}  // namespace

bool is_archive(std::span<const std::byte> bytes) { return as_text(bytes).starts_with(kMagic); }

Result<std::vector<ByteRange>> read_archive(const ByteRange& file) {
    constexpr std::string_view kWhat = "archive member header";
    std::vector<ByteRange> members;
    ByteReader reader(file);
    reader.skip(kMagic.size(), "archive header");
    while (reader.ok() && !reader.at_end()) {
        const std::uint64_t header = reader.offset();
        const std::string_view name = trimmed(as_text(reader.take(16, kWhat)));
        reader.skip(32, kWhat);  // time, owner, group, mode
        const std::string_view digits = trimmed(as_text(reader.take(10, kWhat)));
        const std::string_view end = as_text(reader.take(kHeaderEnd.size(), kWhat));
        if (!reader.ok()) break;
        std::uint64_t bytes = 0;
        const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
        if (end != kHeaderEnd || parsed.ec != std::errc{} ||
            parsed.ptr != digits.data() + digits.size()) {
            return file.error_at(header, "malformed archive member header");
        }
        const auto contents = file.slice(reader.offset(), bytes, "archive member");
        if (!contents) return contents.errors();
        if (!is_table(name)) {
            members.push_back({contents->data, member_input(file.input, name), contents->origin});
        }
        reader.skip(bytes, "archive member");
        if (bytes % 2 != 0 && !reader.at_end()) reader.skip(1, "archive padding");
    }
    if (!reader.ok()) return reader.error();
    return members;
}

}  // namespace wideload::image
