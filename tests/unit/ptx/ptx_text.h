// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "ptx/parser.h"

namespace wideload::ptx {

inline const std::string kHeader = ".version 9.0\n.target sm_90\n.address_size 64\n";

/// Registers of every type, and names of every kind, for single instructions.
inline const std::string kKernelStart =
    ".global .align 16 .b8 bytes[64];\n"
    ".shared .align 4 .b32 words[32];\n"
    ".extern .func callee(.param .b32 a);\n"
    ".visible .entry kernel(.param .u64 pointer, .param .u32 count)\n"
    "{\n"
    "\t.reg .pred %p<8>;\n"
    "\t.reg .b16 %rs<8>;\n"
    "\t.reg .b32 %r<40>;\n"
    "\t.reg .b64 %rd<8>;\n"
    "\t.reg .b128 %q<4>;\n"
    "\t.reg .f32 %f<8>;\n"
    "\t.reg .f64 %fd<8>;\n"
    "\t.local .align 8 .b8 stack[16];\n";

inline std::string kernel_with(const std::string& body) {
    return kHeader + kKernelStart + body + "\nend:\n\tret;\n}\n";
}

/// The module, where the text has no error; an empty one and a failed test otherwise.
inline Module parse_valid(const std::string& text) {
    auto module = parse(text, "test.ptx");
    EXPECT_TRUE(module.ok()) << (module.ok() ? "" : format(module.errors()));
    return module.ok() ? std::move(module).value() : Module{};
}

inline const Function& function_named(const Module& module, std::string_view name) {
    for (const Function& function : module.functions) {
        if (function.name == name) return function;
    }
    ADD_FAILURE() << "no function " << name;
    static const Function none;
    return none;
}

/// The first instruction of a kernel of which `body` is the body.
inline Instruction parse_instruction_text(const std::string& body) {
    const Module module = parse_valid(kernel_with(body));
    const Function& kernel = function_named(module, "kernel");
    EXPECT_FALSE(kernel.body.empty());
    return kernel.body.empty() ? Instruction{} : kernel.body.front();
}

/// All errors as a user sees them, or "".
inline std::string errors_of(const std::string& text) {
    const auto module = parse(text, "test.ptx");
    return module.ok() ? "" : format(module.errors());
}

/// The message of the first error, or "".
inline std::string first_error(const std::string& text) {
    const auto module = parse(text, "test.ptx");
    return module.ok() ? "" : module.errors().front().message;
}

}  // namespace wideload::ptx
