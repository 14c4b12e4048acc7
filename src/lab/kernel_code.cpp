// SPDX-License-Identifier: Apache-2.0
#include "lab/kernel_code.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <ranges>
#include <set>
#include <utility>

#include "lab/lines.h"

namespace wideload::lab {
namespace {

struct Source {
    std::string_view name, text;
};

constexpr auto kSources = std::to_array<Source>({
#include "lab/kernel_sources.inc"
});

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// The words of an item that say what it is: neither its comment nor its template parameters.
std::string_view head_of(std::string_view item) {
    std::string_view line;
    while (!item.empty()) {
        line = take_line(item);
        if (!line.starts_with("//") && !line.starts_with("template")) return line;
    }
    return line;
}

bool is_for_the_device(std::string_view item) {
    std::string_view head = head_of(item);
    for (const std::string_view storage : {"static ", "inline ", "constexpr ", "extern "}) {
        if (head.starts_with(storage)) head.remove_prefix(storage.size());
    }
    if (head.starts_with("struct ")) return contains(item, "__device__");
    return head.starts_with("__global__") || head.starts_with("__device__") ||
           head.starts_with("__constant__") || head.starts_with("__host__ __device__");
}

/// How much deeper in braces the end of a line is than its beginning.
int deeper(std::string_view line) {
    if (line.starts_with("namespace ") || line.starts_with("}  // namespace")) return 0;
    return static_cast<int>(std::ranges::count(line, '{') - std::ranges::count(line, '}'));
}

/// Takes what stands before the next blank line that lies in no braces.
std::string take_item(std::string_view& source) {
    std::string item;
    int depth = 0;
    while (!source.empty()) {
        const std::string_view line = take_line(source);
        if (line.empty() && depth == 0) break;
        depth += deeper(line);
        item += std::string(line) + "\n";
    }
    return item;
}

/// "gemm/tiled.cuh" of `#include "gemm/tiled.cuh"` or, from the same folder, `#include
/// "tiled.cuh"`.
const Source* included(std::string_view line, std::string_view from) {
    constexpr std::string_view kInclude = "#include \"";
    if (!line.starts_with(kInclude)) return nullptr;
    line.remove_prefix(kInclude.size());
    const std::string path(line.substr(0, line.find('"')));
    const std::string folder(from.substr(0, from.rfind('/') + 1));
    for (const std::string& name : {folder + path, path}) {
        const auto found = std::ranges::find(kSources, name, &Source::name);
        if (found != kSources.end()) return &*found;
    }
    return nullptr;
}

/// "kStride" of "constexpr unsigned kStride = 32;"; empty of any other line.
std::string_view constant_in(std::string_view line) {
    if (!line.starts_with("constexpr ") || !line.ends_with(';')) return {};
    std::string_view name = line.substr(0, line.find(" ="));
    name = name.substr(0, name.find_first_of("[{("));
    return name.substr(name.rfind(' ') + 1);
}

bool is_of_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool code_names(std::string_view code, std::string_view name) {
    for (std::size_t at = code.find(name); at != std::string_view::npos;
         at = code.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        const bool begins = at == 0 || !is_of_a_name(code[at - 1]);
        if (begins && (end == code.size() || !is_of_a_name(code[end]))) return true;
    }
    return false;
}

/// The file's constants that the code names, and those that these name: later ones first.
std::string constants_of(std::string_view source, std::string_view code) {
    std::vector<std::string_view> lines;
    while (!source.empty()) {
        const std::string_view line = take_line(source);
        if (!constant_in(line).empty()) lines.push_back(line);
    }
    std::string named;
    for (const std::string_view line : lines | std::views::reverse) {
        const std::string_view name = constant_in(line);
        if (code_names(code, name) || code_names(named, name))
            named.insert(0, std::string(line) + "\n");
    }
    return named;
}

void add(std::vector<CodeFile>& files, std::set<std::string_view>& seen, const Source& source) {
    if (!seen.insert(source.name).second) return;
    std::string_view rest = source.text;
    while (!rest.empty()) {
        if (const Source* other = included(take_line(rest), source.name)) add(files, seen, *other);
    }
    std::string code = device_items(source.text);
    if (!code.empty()) files.push_back({std::string(source.name), std::move(code)});
}

}  // namespace

std::string device_items(std::string_view source) {
    std::string code;
    for (std::string_view rest = source; !rest.empty();) {
        const std::string item = take_item(rest);
        if (is_for_the_device(item)) code += (code.empty() ? "" : "\n") + item;
    }
    const std::string constants = constants_of(source, code);
    return constants.empty() ? code : constants + "\n" + code;
}

std::vector<CodeFile> kernel_code(std::string_view experiment) {
    std::vector<CodeFile> files;
    std::set<std::string_view> seen;
    const std::string name = std::string(experiment) + ".cu";
    const auto own = std::ranges::find(kSources, name, &Source::name);
    if (own != kSources.end()) add(files, seen, *own);
    return files;
}

}  // namespace wideload::lab
