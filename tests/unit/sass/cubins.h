// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sass/inspect.h"

namespace wideload::sass::test {

/// The path of an output of nvcc that CMakeLists.txt builds.
[[nodiscard]] std::string cuda_file(const std::string& name);

/// Options that name the tools which CMake found, for sm_90 unless another is given.
[[nodiscard]] InspectOptions options_for(std::uint32_t arch = 90);

/// The kernels of all cubins of a file that is inspected as asked for; a failure fails the test.
[[nodiscard]] std::vector<KernelCode> kernels_of(const std::string& file,
                                                 const InspectOptions& options);

/// The kernel of a mangled name that has `part` in it; a failure fails the test.
[[nodiscard]] KernelCode kernel_named(const std::vector<KernelCode>& kernels,
                                      const std::string& part);

/// Its accesses as "global load 16 B x1 copies.cu:8", inlining places behind it, in their order.
[[nodiscard]] std::vector<std::string> words_of(const KernelCode& kernel);

}  // namespace wideload::sass::test
