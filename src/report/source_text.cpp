// SPDX-License-Identifier: Apache-2.0
#include "report/source_text.h"

#include <fstream>

namespace wideload::report {
namespace {

/// Generated sources may be huge; nobody reads past this.
constexpr std::uintmax_t kMaxFileBytes = 64u << 20;

/// More than any terminal shows of one line.
constexpr std::size_t kMaxLineBytes = 1000;

std::string cleaned(const std::string& raw) {
    std::string text;
    for (const char c : raw) {
        if (text.size() == kMaxLineBytes) break;
        if (c == '\t') {
            text += ' ';
        } else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) {
            text += c;
        }
    }
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

}  // namespace

std::string SourceText::line(const SourceLocation& where) {
    if (where.file.empty() || where.line == 0) return {};
    const std::vector<std::string>& lines = lines_of(where.file);
    return where.line <= lines.size() ? cleaned(lines[where.line - 1]) : std::string{};
}

std::string SourceText::shown_path(const std::string& file) const {
    const std::filesystem::path path = std::filesystem::path(file).lexically_normal();
    if (!path.is_absolute()) return path.string();
    const std::filesystem::path relative = path.lexically_relative(folder_);
    if (relative.empty() || *relative.begin() == "..") return path.string();
    return relative.string();
}

const std::vector<std::string>& SourceText::lines_of(const std::string& file) {
    const auto [entry, is_new] = files_.try_emplace(file);
    if (!is_new) return entry->second;
    const std::filesystem::path path = folder_ / file;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return entry->second;
    if (const auto bytes = std::filesystem::file_size(path, error);
        error || bytes > kMaxFileBytes) {
        return entry->second;
    }
    std::ifstream stream(path);
    for (std::string text; std::getline(stream, text);) entry->second.push_back(text);
    return entry->second;
}

}  // namespace wideload::report
