// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/define_inspect.h"
#include "cli/define_lab.h"
#include "cli/define_occupancy.h"
#include "cli/define_roofline.h"
#include "cli/exit_codes.h"
#include "cli/shared_options.h"
#include "cli/version.h"

namespace wideload::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  wideload run -- ./my_program its arguments     what each line's loads and stores cost
  wideload run --json p.json -- ./my_program     keep the profile too
  wideload report p.json                         print the report of a kept profile
  wideload inspect ./my_program                  what the machine code says of its kernels
  wideload occupancy ./my_program                how many warps of each kernel fit, and why)";

constexpr const char* kRunExamples =
    R"(The program runs unmodified on a virtual GPU; its input, output, exit code and signals are its own.
The report comes on stderr after it ends. Build the program with -lineinfo to see source lines.

Examples:
  wideload run -- ./my_program --its --arguments
  wideload run --gpu a100 --json p.json -- ./my_program
  wideload run --report report.txt -- mpirun -n 4 ./my_program
  wideload run --deterministic --kernel-timeout 600 -- ./my_program

Exit code: the program's own; 125 where wideload failed, 126 where the program cannot be run,
127 where it is not found.)";

constexpr const char* kReportExamples = R"(Several profiles are shown as one run.

Examples:
  wideload report p.json
  wideload report p.rank*.json
  wideload report --all --color always p.json | less -R)";

constexpr const char* kGpusExamples = R"(Examples:
  wideload gpus
  wideload run --gpu a100 -- ./my_program        with a key of the first column)";

/// Help as CLI11 lays it out, with usage lines of our own.
class HelpFormatter : public CLI::Formatter {
public:
    HelpFormatter() { column_width(30); }
    std::string make_usage(const CLI::App* app, std::string /*name*/) const override {
        static const std::map<std::string, std::string> kUsage = {
            {"run", "wideload run [OPTIONS] [--] PROGRAM [ARGUMENTS]"},
            {"report", "wideload report [OPTIONS] FILE..."},
            {"occupancy", kOccupancyUsage},
            {"inspect", kInspectUsage},
            {"roofline", kRooflineUsage},
            {"gpus", "wideload gpus"},
            {"lab", kLabUsage},
            {"wideload", "wideload COMMAND"}};
        return "Usage: " + kUsage.at(app->get_name()) + "\n";
    }
};

/// What is wrong in one sentence, then where to look.
std::string describe_mistake(const CLI::App* app, const CLI::Error& mistake) {
    static constexpr std::string_view kIsRequired = " is required";
    const std::vector<CLI::App*> commands = app->get_subcommands();
    const std::string command = commands.empty() ? "" : commands.front()->get_name();
    std::string sentence = mistake.what();
    if (!command.empty() && sentence.ends_with(kIsRequired)) {
        sentence.resize(sentence.size() - kIsRequired.size());
        sentence = command + " needs a " + sentence;
    }
    return "wideload: " + sentence + "\nSee 'wideload " + (command.empty() ? "" : command + ' ') +
           "--help'.\n";
}

/// Before anything is parsed, since CLI11 names neither the word nor the commands there are.
void check_command(CLI::App& app, const std::vector<std::string>& words) {
    if (!words.empty() && words.front().starts_with('-')) return;
    std::string names;
    for (const CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
        if (!words.empty() && words.front() == command->get_name()) return;
        names += (names.empty() ? "" : ", ") + command->get_name();
    }
    const std::string sentence = words.empty()
                                     ? "wideload needs a command: " + names
                                     : "there is no command '" + words.front() + "', only " + names;
    throw CLI::ParseError(sentence, CLI::ExitCodes::RequiredError);
}

/// Seconds that make sense; std::stod alone would take nan, inf and 1e300.
CLI::Validator seconds() {
    return CLI::Validator(
        [](const std::string& word) {
            static constexpr double kMost = 1e9;
            double value = -1;
            const bool is_number = CLI::detail::lexical_cast(word, value);
            if (is_number && value >= 0 && value <= kMost) return std::string{};
            return "'" + word + "' is no number of seconds from 0 to 1,000,000,000";
        },
        "");
}

/// An empty name is a shell variable that was not set.
CLI::Validator not_empty() {
    return CLI::Validator(
        [](const std::string& word) {
            return word.empty() ? std::string("the name of a file is missing") : std::string{};
        },
        "");
}

void define_look(CLI::App& command, ReportOptions& look) {
    define_colour(command, look);
    command.add_flag("--all", look.all_sites, "List every access, also those that cost nothing");
}

void define_run(CLI::App& run, RunCommand& command) {
    run.footer(kRunExamples);
    run.add_option("--gpu", command.gpu,
                   "The GPU that the program sees; 'wideload gpus' lists them")
        ->type_name("KEY")
        ->check(known_gpu());
    run.add_option("--json", command.json, "Keep the profile in FILE; - is stdout")
        ->type_name("FILE")
        ->check(not_empty());
    run.add_option("--report", command.report,
                   "Write the report to FILE instead of stderr; - is stdout")
        ->type_name("FILE")
        ->check(not_empty());
    run.add_flag("--quiet", command.quiet, "No report and no progress line");
    run.add_option("--kernel-timeout", command.kernel_timeout_s,
                   "End kernels that take longer than S seconds (60; 0: never)")
        ->type_name("S")
        ->check(seconds());
    run.add_option("--workers", command.workers, "Host threads that run blocks (one per core)")
        ->type_name("N")
        ->check(CLI::Range(1u, 1024u).description(""));
    run.add_flag("--deterministic", command.deterministic,
                 "One worker: the same counts each time, races or not");
    run.add_flag_callback(
        "--no-counters", [&command] { command.counters = false; }, "Run without counting");
    run.add_flag("--roofline", command.roofline,
                 "Count the distinct bytes that DRAM has to move too (slower)");
    run.add_option("--isa", command.host_isa,
                   "Use no wider host vectors than avx512, avx2 or baseline")
        ->type_name("ISA")
        ->check(one_of({"avx512", "avx2", "baseline"}));
    define_look(run, command.look);
    run.prefix_command();
}

void define_report(CLI::App& report, ReportCommand& command) {
    report.footer(kReportExamples);
    report.add_option("FILE", command.files, "Profiles that 'wideload run --json' wrote")
        ->type_name("")
        ->required();
    define_look(report, command.look);
}

/// What stands behind the first "--" is the program's, whatever it looks like.
std::vector<std::string> split_program(std::vector<std::string>& words) {
    const auto mark = std::ranges::find(words, "--");
    if (mark == words.end()) return {};
    std::vector<std::string> program(std::next(mark), words.end());
    words.erase(mark, words.end());
    return program;
}

/// Options that each make sense, but not beside each other.
void check_together(const RunCommand& run) {
    const auto refuse = [](const char* sentence) {
        throw CLI::ParseError(sentence, CLI::ExitCodes::ExcludesError);
    };
    if (run.deterministic && run.workers > 1) {
        refuse("--deterministic is one worker: leave --workers out");
    }
    if (run.roofline && !run.counters) {
        refuse("--roofline needs what --no-counters leaves out: leave one of them out");
    }
    if (run.json == "-" && run.report == "-") {
        refuse("--json and --report cannot both be stdout: name a file for one of them");
    }
}

/// The program's words: those that CLI11 left, which begin with the first that is no option, then
/// those behind "--".
void take_program(RunCommand& run, std::vector<std::string> left, std::vector<std::string> behind) {
    if (!left.empty() && left.front().starts_with('-')) {
        throw CLI::ParseError("there is no option " + left.front(), CLI::ExitCodes::ExtrasError);
    }
    run.program = std::move(left);
    std::ranges::move(behind, std::back_inserter(run.program));
    check_together(run);
    if (run.program.empty()) {
        throw CLI::ParseError("run needs a program: wideload run -- ./my_program",
                              CLI::ExitCodes::RequiredError);
    }
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
    CLI::App app("Finds where GPU memory bandwidth is lost, without a GPU.", "wideload");
    app.formatter(std::make_shared<HelpFormatter>());
    app.failure_message(describe_mistake);
    app.set_version_flag("--version", std::string(kVersion));
    app.footer(kExamples);
    app.require_subcommand(1);

    RunCommand run;
    CLI::App* run_app =
        app.add_subcommand("run", "Run a CUDA program on a virtual GPU and report its accesses");
    define_run(*run_app, run);
    ReportCommand report;
    CLI::App* report_app = app.add_subcommand("report", "Print the report of kept profiles");
    define_report(*report_app, report);
    OccupancyCommand occupancy;
    CLI::App* occupancy_app =
        app.add_subcommand("occupancy", "Show how many warps of a kernel fit, and its cliffs");
    define_occupancy(*occupancy_app, occupancy);
    InspectCommand inspect;
    CLI::App* inspect_app = app.add_subcommand(
        "inspect", "Print what machine code says: access widths, registers, spills");
    define_inspect(*inspect_app, inspect);
    RooflineCommand roofline;
    CLI::App* roofline_app =
        app.add_subcommand("roofline", "Bound the time of a kept profile's kernels by peak rates");
    define_roofline(*roofline_app, roofline);
    app.add_subcommand("gpus", "List the GPUs that --gpu can stand for")->footer(kGpusExamples);
    LabCommand lab;
    CLI::App* lab_app = app.add_subcommand(
        "lab", "Measure what each technique costs or gains, one experiment each");
    define_lab(*lab_app, lab);

    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    const bool is_run = !words.empty() && words.front() == "run";
    std::vector<std::string> behind = is_run ? split_program(words) : std::vector<std::string>{};
    try {
        check_command(app, words);
        std::ranges::reverse(words);  // CLI11 takes them from the back
        app.parse(std::move(words));
        if (run_app->parsed()) take_program(run, run_app->remaining(), std::move(behind));
    } catch (const CLI::ParseError& mistake) {
        return Answered{app.exit(mistake) == 0 ? 0 : kToolFailed};
    }
    if (run_app->parsed()) return run;
    if (report_app->parsed()) return report;
    if (occupancy_app->parsed()) return occupancy;
    if (lab_app->parsed()) return lab;
    if (inspect_app->parsed()) return inspect;
    if (roofline_app->parsed()) return roofline;
    return GpusCommand{};
}

}  // namespace wideload::cli
