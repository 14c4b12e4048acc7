// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/colour.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/install_layout.h"
#include "cli/lab_device.h"
#include "cli/lab_machine_code.h"
#include "cli/lab_run.h"
#include "cli/messages.h"
#include "cli/step_line.h"
#include "cli/text_output.h"
#include "lab/bounds.h"
#include "lab/csv.h"
#include "lab/join.h"
#include "lab/markdown.h"
#include "lab/page.h"
#include "lab/programs.h"
#include "lab/terminal.h"
#include "profile/document.h"

namespace wideload::cli {
namespace {

constexpr int kDiffers = 1;

lab::TerminalLook look_of(const LabCommand& command) {
    lab::TerminalLook look;
    look.colour = wants_colour(command.look.colour, STDOUT_FILENO);
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 60) {
        look.columns = std::min<std::size_t>(size.ws_col, 120);
    }
    return look;
}

/// Text for a reader would spoil a table or a record on the same stdout.
bool prints_text(const LabCommand& command) {
    return !command.quiet && command.csv != "-" && command.json != "-";
}

/// The named ones of a list, in the order of the course; all where no name is given.
template <class Item, class Name>
Result<std::vector<Item>> chosen(std::vector<Item> items, const std::vector<std::string>& names,
                                 Name name_of) {
    for (const std::string& name : names) {
        if (std::ranges::find(items, name, name_of) != items.end()) continue;
        std::string known;
        for (const Item& item : items) known += (known.empty() ? "" : ", ") + name_of(item);
        return failure("there is no experiment '" + name + "'", "there are: " + known);
    }
    if (!names.empty()) {
        std::erase_if(items, [&](const Item& item) {
            return std::ranges::find(names, name_of(item)) == names.end();
        });
    }
    return items;
}

/// Runs one experiment after the other, where they were asked for.
class Runner {
public:
    explicit Runner(const LabCommand& command) : command_(command) {
        if (command.device) device_.emplace(command);
    }
    /// @param step  how far the whole run is: "[3 of 20] stride"
    Result<std::vector<lab::Outcome>> run(const lab::Program& program, const std::string& step) {
        if (device_) return device_->run(program, step);
        show_step(step, !command_.quiet);
        Result<lab::Outcome> outcome = run_on_virtual_gpu(program, command_);
        if (!outcome) return outcome.errors();
        return std::vector{std::move(*outcome)};
    }

    /// Whether there is any use in the next one.
    [[nodiscard]] bool can_measure() const { return !device_ || device_->can_measure(); }

private:
    const LabCommand& command_;
    std::optional<DeviceLab> device_;
};

void print(const std::string& text, bool& failed) {
    const Diagnostics problems = write_text(text, "-");
    say(problems);
    failed = failed || !problems.empty();
}

/// Carries out the programs that were asked for, and shows each as it ends.
/// @returns what came out of those that ran; problems are said
std::vector<lab::Outcome> run_all(const LabCommand& command,
                                  const std::vector<lab::Program>& programs, bool& failed) {
    Runner runner(command);
    std::vector<lab::Outcome> all;
    for (std::size_t i = 0; i < programs.size() && runner.can_measure(); ++i) {
        const std::string step =
            fmt::format("[{} of {}] {}", i + 1, programs.size(), programs[i].description.name);
        Result<std::vector<lab::Outcome>> outcomes = runner.run(programs[i], step);
        show_step("", !command.quiet);
        if (!outcomes) {
            say(outcomes.errors());
            failed = true;
            continue;
        }
        for (lab::Outcome& outcome : *outcomes) {
            if (prints_text(command)) {
                print(lab::terminal_text(outcome, look_of(command)) + '\n', failed);
            }
            all.push_back(std::move(outcome));
        }
        // After each: what a stopped run measured is kept.
        if (command.device && !command.json.empty() && command.json != "-") {
            say(write_text(lab::record_json(all), command.json));
        }
    }
    failed = failed || !runner.can_measure();
    return all;
}

Result<std::vector<lab::Outcome>> read_record(const std::string& file) {
    const Result<std::string> text = profile::read_text(file);
    if (!text) return text.errors();
    Result<std::vector<lab::Outcome>> record = lab::parse_record(*text, file);
    if (record) {
        for (lab::Outcome& outcome : *record) lab::add_bounds(outcome.results);
    }
    return record;
}

/// What kept records have of the experiments that were asked for, in the order of the course.
Result<std::vector<lab::Outcome>> kept(const LabCommand& command) {
    std::vector<lab::Outcome> all;
    for (const std::string& file : command.results) {
        Result<std::vector<lab::Outcome>> record = read_record(file);
        if (!record) return record;
        std::ranges::move(*record, std::back_inserter(all));
    }
    std::ranges::stable_sort(
        all, {}, [](const lab::Outcome& outcome) { return outcome.description.chapter; });
    return chosen(std::move(all), command.names,
                  [](const lab::Outcome& outcome) { return outcome.description.name; });
}

/// Writes the page. Without the JavaScript that draws charts it is written all the same.
Diagnostics write_page(lab::PageInput input, const std::string& file) {
    const Result<std::filesystem::path> folder = vega_folder();
    if (!folder) return folder.errors();
    Result<std::string> vega = profile::read_text((*folder / "vega.js").string());
    Result<std::string> vega_lite = profile::read_text((*folder / "vega-lite.js").string());
    if (vega && vega_lite) {
        input.vega = std::move(*vega);
        input.vega_lite = std::move(*vega_lite);
    } else {
        say("the page has no charts: Vega is not in " + folder->string() +
            "; run tools/setup, then build and install again");
    }
    return write_text(lab::html_page(input), file);
}

Diagnostics write_markdown(const lab::PageInput& input, const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder / "figures", error);
    if (error) return {failure("cannot make " + folder.string() + ": " + error.message())};
    for (const lab::PageFile& page : lab::markdown_pages(input)) {
        Diagnostics problems = write_text(page.text, (folder / page.name).string());
        if (!problems.empty()) return problems;
    }
    return {};
}

Diagnostics write_pages(const LabCommand& command, lab::PageInput input) {
    Diagnostics problems;
    if (!command.markdown.empty()) append(problems, write_markdown(input, command.markdown));
    if (!command.html.empty()) append(problems, write_page(std::move(input), command.html));
    return problems;
}

bool any_difference(const std::vector<lab::Outcome>& outcomes, bool quiet) {
    bool found = false;
    for (const lab::Outcome& outcome : outcomes) {
        for (const lab::Difference& difference : lab::differences(outcome.results)) {
            found = true;
            if (quiet) {
                say(outcome.description.name + ": " + lab::words(difference, outcome));
            }
        }
    }
    return found;
}

int list(const LabCommand& command, const std::vector<lab::Program>& programs) {
    bool failed = false;
    print(lab::terminal_list(programs, look_of(command)), failed);
    return failed ? kToolFailed : 0;
}

/// After several experiments, all their kernels beside each other.
void show_roofline(const LabCommand& command, const std::vector<lab::Outcome>& outcomes,
                   bool& failed) {
    if (!prints_text(command) || outcomes.size() < 2) return;
    print(lab::roofline_text(outcomes, look_of(command)), failed);
}

int finish(const LabCommand& command, lab::PageInput input, bool failed) {
    const std::vector<lab::Outcome>& outcomes = input.outcomes;
    show_roofline(command, outcomes, failed);
    if (!command.json.empty()) {
        const Diagnostics problems = write_text(lab::record_json(outcomes), command.json);
        say(problems);
        failed = failed || !problems.empty();
    }
    if (!command.csv.empty()) {
        const Diagnostics problems = write_text(lab::csv(outcomes), command.csv);
        say(problems);
        failed = failed || !problems.empty();
    }
    const bool differs = any_difference(outcomes, command.quiet);
    const Diagnostics problems = write_pages(command, std::move(input));
    say(problems);
    if (differs) return kDiffers;
    return failed || !problems.empty() ? kToolFailed : 0;
}

int show_kept(const LabCommand& command, lab::PageInput input) {
    Result<std::vector<lab::Outcome>> outcomes = kept(command);
    if (!outcomes) return tool_failed(outcomes.errors());
    bool failed = false;
    for (const lab::Outcome& outcome : *outcomes) {
        if (prints_text(command)) {
            print(lab::terminal_text(outcome, look_of(command)) + '\n', failed);
        }
    }
    input.outcomes = std::move(*outcomes);
    return finish(command, std::move(input), failed);
}

Result<std::vector<lab::Program>> programs_of(const LabCommand& command) {
    const Result<std::filesystem::path> folder = lab_folder();
    if (!folder) return folder.errors();
    Result<std::vector<lab::Program>> programs = lab::find_programs(*folder);
    if (!programs) return programs;
    return chosen(std::move(*programs), command.names,
                  [](const lab::Program& program) { return program.description.name; });
}

/// Of all experiments those that the virtual GPU can run, the others being said; none that it
/// cannot may be named. A real GPU's programs refuse by themselves.
Result<std::vector<lab::Program>> runnable(const LabCommand& command,
                                           std::vector<lab::Program> programs) {
    if (command.device) return programs;
    std::vector<lab::Program> left;
    for (lab::Program& program : programs) {
        const std::string refusal = lab::refusal(program.description, virtual_gpu(command));
        if (refusal.empty()) {
            left.push_back(std::move(program));
        } else if (command.names.empty()) {
            say("left out: " + refusal);
        } else {
            return failure(refusal, "choose another --gpu; 'wideload gpus' lists them");
        }
    }
    return left;
}

}  // namespace

int execute(const LabCommand& command) {
    lab::PageInput input;
    if (!command.beside.empty()) {  // before anything is run for its sake
        Result<std::vector<lab::Outcome>> beside = read_record(command.beside);
        if (!beside) return tool_failed(beside.errors());
        input.beside = std::move(*beside);
    }
    if (!command.results.empty()) return show_kept(command, std::move(input));
    const Result<std::vector<lab::Program>> programs = programs_of(command);
    if (!programs) return tool_failed(programs.errors());
    if (command.names.empty() && !command.all) return list(command, *programs);
    const Result<std::vector<lab::Program>> wanted = runnable(command, *programs);
    if (!wanted) return tool_failed(wanted.errors());
    bool failed = false;
    input.outcomes = run_all(command, *wanted, failed);
    if (input.outcomes.empty()) return kToolFailed;  // and what was kept before stays
    if (const std::string missing = missing_machine_code(input.outcomes);
        !missing.empty() && !command.quiet) {
        say(missing);
    }
    return finish(command, std::move(input), failed);
}

}  // namespace wideload::cli
