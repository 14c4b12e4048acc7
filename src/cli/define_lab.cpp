// SPDX-License-Identifier: Apache-2.0
#include "cli/define_lab.h"

#include "cli/shared_options.h"

namespace wideload::cli {
namespace {

constexpr const char* kLabExamples =
    R"(Without a name the experiments are listed. Each is also a program that 'wideload run' can analyse.

Examples:
  wideload lab                                    what there is
  wideload lab coalescing                         one experiment on the virtual GPU
  wideload lab coalescing --device                on this machine's GPU: times, GB/s, counters
  wideload lab --all --html lab.html              the whole course as one page
  wideload lab --all --json lab.json              all of them, and keep the record
  wideload lab stride --csv stride.csv            its results as a table
  wideload lab stride --results lab.json          show a kept record

Exit code: 1 where a count is not what its formula says or a result is wrong; 125 where wideload
failed.)";

/// Options that ask for results, or say of what: without results they would be passed over in
/// silence.
void check_work(const LabCommand& command) {
    const auto refuse = [](const char* sentence) {
        throw CLI::ParseError(sentence, CLI::ExitCodes::RequiredError);
    };
    const bool has_results = !command.names.empty() || command.all || !command.results.empty();
    const bool wants_results = command.device || !command.gpu.empty() || !command.json.empty() ||
                               !command.csv.empty() || !command.html.empty() ||
                               !command.markdown.empty() || !command.beside.empty();
    if (wants_results && !has_results) {
        refuse(
            "lab needs the NAME of an experiment, --all, or --results FILE; alone it lists what "
            "there is");
    }
    if (!command.beside.empty() && command.html.empty() && command.markdown.empty()) {
        refuse("--beside adds to a page: give --html or --markdown, too");
    }
}

}  // namespace

void define_lab(CLI::App& app, LabCommand& command) {
    app.footer(kLabExamples);
    app.add_option("names", command.names, "Experiments to run")->type_name("NAME...");
    app.add_flag("--all", command.all, "Run every experiment, in the order of the course");
    auto* device = app.add_flag("--device", command.device,
                                "Run on this machine's GPU with the documents' own sizes");
    app.add_option("--only", command.only,
                   "With --device: only time, or only count (by ncu, if allowed)")
        ->type_name("times|counters")
        ->check(CLI::IsMember({"times", "counters"}).description(""))
        ->needs(device);
    auto* gpu = app.add_option("--gpu", command.gpu, "The virtual GPU; 'wideload gpus' lists them")
                    ->type_name("KEY")
                    ->check(known_gpu())
                    ->excludes(device);
    app.add_option("--json", command.json, "Keep descriptions and results in FILE")
        ->type_name("FILE");
    app.add_option("--csv", command.csv, "Write the results to FILE as a table; - is stdout")
        ->type_name("FILE");
    app.add_option("--html", command.html,
                   "Write FILE: one page with plots, which needs nothing else")
        ->type_name("FILE");
    app.add_option("--markdown", command.markdown,
                   "Write a page for each experiment into FOLDER, with plots as SVG")
        ->type_name("FOLDER");
    app.add_option("--beside", command.beside, "Show the results that FILE keeps in the page, too")
        ->type_name("FILE");
    app.add_option("--results", command.results,
                   "Show what FILE keeps instead of running; may be given again")
        ->type_name("FILE")
        ->allow_extra_args(false)
        ->excludes(device)
        ->excludes(gpu);
    app.add_flag("--quiet", command.quiet, "Print only what is wrong");
    define_colour(app, command.look);
    app.callback([&command] { check_work(command); });
}

}  // namespace wideload::cli
