// SPDX-License-Identifier: Apache-2.0
#include "cli/shared_options.h"

#include <algorithm>
#include <map>
#include <utility>

#include "arch/device.h"

namespace wideload::cli {

CLI::Validator one_of(std::vector<std::string> words) {
    return CLI::Validator(
        [words = std::move(words)](const std::string& word) {
            if (std::ranges::find(words, word) != words.end()) return std::string{};
            return "'" + word + "' is none of " + CLI::detail::join(words, ", ");
        },
        "");
}

CLI::Validator known_gpu(bool or_all) {
    return CLI::Validator(
        [or_all](const std::string& key) {
            if ((or_all && key == "all") || arch::find_device(key) != nullptr) return std::string{};
            std::string message = "there is no GPU '" + key + "', only";
            if (or_all) message += " all";
            for (const arch::Device& device : arch::devices()) {
                message += ' ' + std::string(device.key);
            }
            return message;
        },
        "");
}

void define_nvcc(CLI::App& command, std::vector<std::string>& flags) {
    command.add_option("--nvcc", flags, "A flag more for nvcc, of a .cu; repeatable")
        ->type_name("FLAG")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void define_colour(CLI::App& command, ReportOptions& look) {
    static const std::map<std::string, Colour> kColours = {
        {"auto", Colour::automatic}, {"always", Colour::always}, {"never", Colour::never}};
    command
        .add_option_function<std::string>(
            "--color", [&look](const std::string& word) { look.colour = kColours.at(word); },
            "auto (on a terminal, unless NO_COLOR is set), always or never")
        ->type_name("WHEN")
        ->check(one_of({"auto", "always", "never"}));
}

}  // namespace wideload::cli
