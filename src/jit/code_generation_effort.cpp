// SPDX-License-Identifier: Apache-2.0
#include "jit/code_generation_effort.h"

#include <llvm/Support/CommandLine.h>

namespace wideload::jit {
namespace {

/// A setting that LLVM offers on the command line alone. One that this LLVM lacks is left out: it
/// changes time, not meaning.
template <typename Value>
void set(llvm::StringRef name, Value value) {
    auto& options = llvm::cl::getRegisteredOptions();
    if (const auto found = options.find(name); found != options.end()) {
        static_cast<llvm::cl::opt<Value>*>(found->second)->setValue(value);
    }
}

}  // namespace

void choose_code_generation_effort(const llvm::Function& function) {
    // Splitting live ranges around regions costs a third of the time of kernels with hundreds of
    // blocks at LLVM's own budget of 10,000; generated code ran as fast with this one.
    set("grow-region-complexity-budget", 200ul);

    // Hoisting constants out of loops lets them live through the whole function. That pays in a
    // kernel that is a few loops; in a long one they only come back as spills.
    constexpr std::size_t kLongFunctionBlocks = 600;
    set("disable-machine-licm", function.size() > kLongFunctionBlocks);
}

}  // namespace wideload::jit
