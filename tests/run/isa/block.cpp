// SPDX-License-Identifier: Apache-2.0
#include "block.h"

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "golden_vectors.h"
#include "machine.h"

namespace wideload::isa {
namespace {

constexpr std::uint32_t kUntouched = 0xa5a5a5a5;

std::string kernel_text(const BlockForm& form) {
    return ".version 8.7\n.target " + form.target + "\n.address_size 64\n" + form.declarations +
           "\n.visible .entry kernel(.param .u64 results) " + form.directives +
           "\n{\n.reg .b64 %out;\n.reg .b32 %thread, %result;\n"
           "mov.u32 %thread, %tid.x;\nmov.u32 %result, 0;\n" +
           form.text +
           "\nld.param.u64 %out, [results];\ncvta.to.global.u64 %out, %out;\n"
           "mad.wide.u32 %out, %thread, 4, %out;\nst.global.u32 [%out], %result;\nret;\n}\n";
}

}  // namespace

void check_block(const BlockForm& form) {
    Form golden_form;
    golden_form.text = form.text;
    GoldenVector golden(golden_form, next_form_name());
    std::vector<std::uint32_t> results(form.threads, kUntouched);
    const std::uint64_t address = machine().upload(std::as_bytes(std::span(results)));
    const std::uint64_t parameters[] = {address};
    const std::string text = kernel_text(form);
    const std::string error = machine().run(text, "kernel", {}, {form.threads}, parameters);
    machine().download(address, std::as_writable_bytes(std::span(results)));
    machine().free(address);
    ASSERT_EQ(error, "") << text;
    for (std::uint32_t thread = 0; thread < form.threads; ++thread) {
        const std::uint32_t wanted = form.expected(thread);
        golden.add({}, wanted, results[thread]);
        ASSERT_EQ(results[thread], wanted) << form.text << "\nthread " << thread;
    }
    golden.finish();
}

std::string with(std::string text, const std::string& part, const std::string& replacement) {
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;
         at += replacement.size()) {
        text.replace(at, part.size(), replacement);
    }
    return text;
}

}  // namespace wideload::isa
