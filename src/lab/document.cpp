// SPDX-License-Identifier: Apache-2.0
#include "lab/document.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

namespace wideload::lab {

Result<nlohmann::json> parse_document(std::string_view text, const std::string& source) {
    try {
        return nlohmann::json::parse(text);
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
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in) {
        return failure_in(
            file, "cannot be read: " + std::generic_category().message(errno != 0 ? errno : EIO));
    }
    return text;
}

}  // namespace wideload::lab
