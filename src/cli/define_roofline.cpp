// SPDX-License-Identifier: Apache-2.0
#include "cli/define_roofline.h"

#include "cli/shared_options.h"

namespace wideload::cli {
namespace {

constexpr const char* kRooflineExamples =
    R"(No kernel takes less time than its operations and bytes at the GPU's peak rates.

Examples:
  wideload run --roofline --json p.json -- ./my_program
  wideload roofline p.json
  wideload roofline --gpu a100 p.json
  wideload roofline --svg roofline.svg p.json
  wideload roofline --json roofline.json p.json)";

}  // namespace

void define_roofline(CLI::App& app, RooflineCommand& command) {
    app.footer(kRooflineExamples);
    app.add_option("FILE", command.files, "Profiles that 'wideload run --roofline --json' wrote")
        ->type_name("")
        ->required();
    app.add_option("--gpu", command.gpu, "The GPU whose roofs count (the one of the run)")
        ->type_name("KEY")
        ->check(known_gpu());
    app.add_option("--json", command.json, "Write the figures to FILE instead; - is stdout")
        ->type_name("FILE");
    app.add_option("--svg", command.svg, "Draw the plot into FILE, too")->type_name("FILE");
}

}  // namespace wideload::cli
