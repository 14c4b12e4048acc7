// SPDX-License-Identifier: Apache-2.0
#include "recorded.h"

#include <algorithm>
#include <fstream>
#include <vector>

namespace wideload::isa {
namespace {

/// The fields of every line that is no comment, which tabs part.
std::vector<std::vector<std::string>> read_lines(const char* path) {
    std::vector<std::vector<std::string>> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#')) continue;
        std::vector<std::string>& fields = lines.emplace_back();
        for (std::size_t begin = 0; begin <= line.size();) {
            const std::size_t end = std::min(line.find('\t', begin), line.size());
            fields.push_back(line.substr(begin, end - begin));
            begin = end + 1;
        }
    }
    return lines;
}

/// Where the mnemonic of the statement at `at` stands: after its labels and its guard.
std::size_t skip_labels_and_guard(const std::string& text, std::size_t at) {
    while (at < text.size()) {
        const std::size_t end = std::min(text.find_first_of(" ;", at), text.size());
        if (text[at] != '@' && text[end - 1] != ':') break;
        at = text.find_first_not_of(' ', end);
    }
    return at;
}

void add_mnemonics(const std::string& text, std::set<std::string, std::less<>>& mnemonics) {
    for (std::size_t at = 0; at < text.size();) {
        at = skip_labels_and_guard(text, text.find_first_not_of(" ;{}", at));
        if (at == std::string::npos) break;
        mnemonics.insert(text.substr(at, text.find_first_of(" ;", at) - at));
        at = std::min(text.find_first_of(";{}", at), text.size());
    }
}

}  // namespace

const std::map<std::string, GoldenRow>& golden_rows() {
    static const auto rows = [] {
        std::map<std::string, GoldenRow> all;
        for (const auto& fields : read_lines(WIDELOAD_ISA_GOLDEN)) {
            all[fields.at(0)] = {fields.at(1), std::stoull(fields.at(2), nullptr, 16),
                                 fields.at(3)};
        }
        return all;
    }();
    return rows;
}

std::vector<std::string> listed_forms(const std::string& test, unsigned from) {
    std::vector<std::string> names;
    const std::string begin = test + "#";
    const auto add = [&](const auto& list) {
        for (auto at = list.lower_bound(begin); at != list.end(); ++at) {
            const std::string& name = at->first;
            if (!name.starts_with(begin)) break;
            if (std::stoul(name.substr(begin.size())) >= from) names.push_back(name);
        }
    };
    add(golden_rows());
    add(unrecorded_forms());
    return names;
}

const std::map<std::string, Unrecorded>& unrecorded_forms() {
    static const auto forms = [] {
        std::map<std::string, Unrecorded> all;
        for (const auto& fields : read_lines(WIDELOAD_ISA_UNRECORDED)) {
            all[fields.at(0)] = {fields.at(1), fields.at(2)};
        }
        return all;
    }();
    return forms;
}

const std::set<std::string, std::less<>>& executed_mnemonics() {
    static const auto mnemonics = [] {
        std::set<std::string, std::less<>> all;
        for (const auto& [name, row] : golden_rows()) add_mnemonics(row.text, all);
        for (const auto& [name, form] : unrecorded_forms()) add_mnemonics(form.text, all);
        return all;
    }();
    return mnemonics;
}

}  // namespace wideload::isa
