// SPDX-License-Identifier: Apache-2.0
#include "cli/define_occupancy.h"

#include "arch/compute_capability.h"
#include "cli/shared_options.h"

namespace wideload::cli {
namespace {

constexpr const char* kOccupancyExamples =
    R"(How many warps of a kernel one multiprocessor holds, what limits them, and how near the cliffs are
at which one register, byte or thread more costs a block. Nothing is run.
PTX without machine code for the GPU is compiled by ptxas, a .cu by nvcc.

Examples:
  wideload occupancy ./my_program
  wideload occupancy ./my_program --kernel '^matmul' --block 512
  wideload occupancy --registers 33 --block 512 --gpu all
  wideload occupancy --registers 33 --block 512 --svg steps.svg
  wideload occupancy kernels.cubin --shared 65536 --json occupancy.json)";

/// Kernels come from a file or from figures, never from both.
void check_subject(const OccupancyCommand& command) {
    const auto refuse = [](const char* sentence) {
        throw CLI::ParseError(sentence, CLI::ExitCodes::RequiredError);
    };
    if (command.file.empty() && !command.registers) {
        refuse("occupancy needs a FILE, or --registers and --block");
    }
    if (command.file.empty() && !command.threads) {
        refuse("--registers needs --block: how many threads a block has");
    }
    if (!command.file.empty() && command.registers) {
        refuse("--registers stands instead of a FILE: leave one of them out");
    }
    if (command.file.empty() && !command.kernel.empty()) {
        refuse("--kernel chooses among the kernels of a FILE, and there is none");
    }
}

}  // namespace

void define_occupancy(CLI::App& app, OccupancyCommand& command) {
    app.footer(kOccupancyExamples);
    app.add_option("FILE", command.file,
                   "Executable, library, object, fatbin, cubin, PTX or .cu of the kernels")
        ->type_name("");
    app.add_option("--kernel", command.kernel, "Only kernels whose name has a match of REGEX")
        ->type_name("REGEX");
    app.add_option("--block", command.threads,
                   "Threads a block (the kernel's launch bounds, else 256)")
        ->type_name("N")
        ->check(CLI::Range(1u, arch::kMaxThreadsPerBlock).description(""));
    app.add_option("--registers", command.registers, "Registers a thread, instead of a FILE")
        ->type_name("R")
        ->check(CLI::Range(1u, arch::kMaxRegistersPerThread).description(""));
    app.add_option("--shared", command.shared_bytes,
                   "Shared memory a block; of a FILE's kernels beside their static")
        ->type_name("BYTES");
    app.add_option("--gpu", command.gpu, "The GPU, or all; 'wideload gpus' lists them")
        ->type_name("KEY")
        ->check(known_gpu(true));
    app.add_option("--json", command.json, "Write the figures to FILE instead; - is stdout")
        ->type_name("FILE");
    define_nvcc(app, command.nvcc_flags);
    app.add_option("--svg", command.svg, "Draw the step plots into FILE, too")->type_name("FILE");
    app.callback([&command] { check_subject(command); });
}

}  // namespace wideload::cli
