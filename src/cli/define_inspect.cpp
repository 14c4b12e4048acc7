// SPDX-License-Identifier: Apache-2.0
#include "cli/define_inspect.h"

#include "cli/shared_options.h"

namespace wideload::cli {
namespace {

constexpr const char* kInspectExamples =
    R"(FILE is an executable, shared object, object, static library, fat binary, cubin, PTX or .cu; nothing
of it is run. PTX without machine code for the GPU is compiled by ptxas, a .cu by nvcc.

Examples:
  wideload inspect ./my_program
  wideload inspect --kernel 'copy.*float4' --gpu a100 libkernels.so
  wideload inspect --arch sm_100 kernel.ptx
  wideload inspect --json - kernel.cu --nvcc=-Iinclude --nvcc=-maxrregcount=32

nvdisasm, of the CUDA toolkit, is taken from $WIDELOAD_NVDISASM, beside $CUDACXX, $CUDA_HOME/bin,
PATH or /usr/local/cuda/bin; ptxas and nvcc alike.)";

}  // namespace

void define_inspect(CLI::App& app, InspectCommand& command) {
    app.footer(kInspectExamples);
    app.add_option("FILE", command.file, "What to look into")->type_name("")->required();
    app.add_option("--arch", command.arch, "Machine code for this architecture: sm_90, sm_100a")
        ->type_name("ARCH");
    app.add_option("--gpu", command.gpu, "Machine code for this GPU; 'wideload gpus' lists them")
        ->type_name("KEY")
        ->check(known_gpu());
    app.add_option("--kernel", command.kernel, "Only kernels whose names match")
        ->type_name("REGEX");
    app.add_option("--json", command.json, "Write the figures to FILE instead; - is stdout")
        ->type_name("FILE");
    define_nvcc(app, command.nvcc_flags);
    app.add_option("--nvdisasm", command.nvdisasm, "The disassembler to use")->type_name("PROGRAM");
    define_colour(app, command.look);
}

}  // namespace wideload::cli
