// SPDX-License-Identifier: Apache-2.0
#include "profile/document.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace wideload::profile {

Result<nlohmann::json> parse_document(std::string_view text, const std::string& source,
                                      const nlohmann::json::parser_callback_t& keep) {
    try {
        return nlohmann::json::parse(text, keep);
    } catch (const nlohmann::json::parse_error& mistake) {
        const std::string_view before =
            text.substr(0, std::min(text.size(), mistake.byte == 0 ? 0 : mistake.byte - 1));
        Diagnostic diagnostic = failure("this is not JSON");
        diagnostic.where.file = source;
        diagnostic.where.line = static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1);
        const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
        diagnostic.where.column = static_cast<std::uint32_t>(before.size() - line_start + 1);
        return diagnostic;
    } catch (const nlohmann::json::exception&) {
        return failure_in(source, "this is not JSON: a number is out of range");
    }
}

Result<std::string> read_text(const std::string& file) {
    errno = 0;
    std::ifstream in(file, std::ios::binary);
    std::string text;
    std::error_code unknown;
    if (const auto bytes = std::filesystem::file_size(file, unknown); !unknown) text.reserve(bytes);
    std::array<char, 1 << 16> chunk{};
    // read() and not an iterator, which throws where the file is a folder.
    while (in && (in.read(chunk.data(), chunk.size()) || in.gcount() > 0)) {
        text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
    }
    if (!in.eof()) {
        return failure_in(
            file, "cannot be read: " + std::generic_category().message(errno != 0 ? errno : EIO));
    }
    return text;
}

}  // namespace wideload::profile
