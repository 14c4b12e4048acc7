// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <vector>

#include "ptx/error_list.h"
#include "ptx_text.h"

namespace wideload::ptx {
namespace {

struct DiagnosticCase {
    std::string reason, text, expected;
};

/// Three lines of header come first, so the case's own first line is line 4.
TEST(Diagnostics, SayWhatIsWrongAndWhere) {
    const std::vector<DiagnosticCase> cases{
        {"unknown instruction", ".entry k() {\n\tfrobnicate.u32 %r1;\n\tret;\n}",
         "test.ptx:5:2: error: unknown instruction `frobnicate`\n"
         "    \tfrobnicate.u32 %r1;\n"
         "    \t^\n"},
        {"unknown modifier: the caret stands under it",
         ".entry k() {\n\t.reg .b32 a;\n\tadd.lo.s32 a, a, a;\n}",
         "test.ptx:6:5: error: unknown modifier `.lo` of `add`\n"
         "    \tadd.lo.s32 a, a, a;\n"
         "    \t   ^\n"},
        {"a type that the instruction does not have",
         ".entry k() {\n\t.reg .b32 a;\n\tfma.rn.b32 a, a, a, a;\n}",
         "test.ptx:6:8: error: `fma` has no form for .b32\n"
         "    \tfma.rn.b32 a, a, a, a;\n"
         "    \t      ^\n"},
        {"a comparison of floating-point values, of integers",
         ".entry k() {\n\t.reg .b32 a;\n\t.reg .pred p;\n\tsetp.ltu.s32 p, a, a;\n}",
         "test.ptx:7:2: error: `setp.ltu.s32` is no instruction of PTX, which has "
         "`setp.eq|ne|lt|le|gt|ge{.and|or|xor}.s32`\n"
         "    \tsetp.ltu.s32 p, a, a;\n"
         "    \t^\n"},
        {"missing semicolon", ".entry k() {\n\t.reg .b32 a;\n\tmov.b32 a, 1\n\tret;\n}",
         "test.ptx:7:2: error: expected `;` after the operands, found `ret`\n"
         "    \tret;\n"
         "    \t^\n"},
        {"errors are collected",
         ".entry k() {\n\tmov.b32 a, 1;\n\tbra nowhere;\n\tmov.b32 b, 1;\n}",
         "test.ptx:5:10: error: name `a` is not declared\n"
         "    \tmov.b32 a, 1;\n"
         "    \t        ^\n"
         "test.ptx:7:10: error: name `b` is not declared\n"
         "    \tmov.b32 b, 1;\n"
         "    \t        ^\n"
         "test.ptx:6:6: error: label `nowhere` is not declared\n"
         "    \tbra nowhere;\n"
         "    \t    ^\n"},
        {"undeclared register", ".entry k() {\n\tmov.b32 %r1, 1;\n}",
         "test.ptx:5:10: error: register `%r1` is not declared\n"
         "    \tmov.b32 %r1, 1;\n"
         "    \t        ^\n"},
        {"register beyond its range", ".entry k() {\n\t.reg .b32 %r<4>;\n\tmov.b32 %r4, 1;\n}",
         "test.ptx:6:10: error: register `%r4` is not declared\n"
         "    \tmov.b32 %r4, 1;\n"
         "    \t        ^\n"},
        {"wrong operand, found by verify", ".entry k() {\n\t.reg .b32 a;\n\tmov.b64 a, 1;\n}",
         "test.ptx:6:2: error: operand 1 of `mov.b64` is `a` of type .b32, which cannot hold .b64\n"
         "    \tmov.b64 a, 1;\n"
         "    \t^\n"},
        {"text ends in a function", ".entry k() {\n\tret;",
         "test.ptx:5:6: error: function `k` has no end\n"
         "    \tret;\n"
         "    \t    ^\n"},
        {"declared twice", ".global .u32 x;\n.global .u32 x;",
         "test.ptx:5:14: error: `x` is declared twice\n"
         "    .global .u32 x;\n"
         "                 ^\n"},
        {"defined twice", ".func f() { ret; }\n.func f() { ret; }",
         "test.ptx:5:7: error: `f` is defined twice\n"
         "    .func f() { ret; }\n"
         "          ^\n"},
        {"too many values", ".global .u8 x[2] = {1, 2, 3};",
         "test.ptx:4:27: error: more values than the array has elements\n"
         "    .global .u8 x[2] = {1, 2, 3};\n"
         "                              ^\n"},
        {"unknown name in an initialiser", ".global .u64 x = {y};",
         "test.ptx:4:19: error: name `y` is not declared\n"
         "    .global .u64 x = {y};\n"
         "                      ^\n"},
        {"type that is none", ".global .u33 x;",
         "test.ptx:4:9: error: unknown type or attribute `.u33` of a variable\n"
         "    .global .u33 x;\n"
         "            ^\n"},
        {"type of instructions alone", ".global .u4 x;",
         "test.ptx:4:9: error: unknown type or attribute `.u4` of a variable\n"
         "    .global .u4 x;\n"
         "            ^\n"},
        {"number that is none", ".global .u32 x = 09;",
         "test.ptx:4:18: error: `09` is not a number\n"
         "    .global .u32 x = 09;\n"
         "                     ^\n"},
        {"alignment", ".global .align 3 .b8 x;",
         "test.ptx:4:16: error: an alignment must be a power of two\n"
         "    .global .align 3 .b8 x;\n"
         "                   ^\n"},
        {"division by zero", ".global .u32 x[8/0];",
         "test.ptx:4:17: error: `/` has no value for these operands\n"
         "    .global .u32 x[8/0];\n"
         "                    ^\n"},
        {"what is no module statement", "hello;",
         "test.ptx:4:1: error: expected a directive of a module, a variable or a function, found "
         "`hello`\n"
         "    hello;\n"
         "    ^\n"},
        {"a character of no use", ".entry k() {\n\t# 1\n}",
         "test.ptx:5:2: error: expected an instruction, found `#`\n"
         "    \t# 1\n"
         "    \t^\n"},
        {"an error in a header does not hide the next function",
         ".entry k(.parm .u32 a) { ret; }\n.entry m() { foo; }",
         "test.ptx:4:10: error: expected `.param` or `.reg`, found `.parm`\n"
         "    .entry k(.parm .u32 a) { ret; }\n"
         "             ^\n"
         "test.ptx:5:14: error: unknown instruction `foo`\n"
         "    .entry m() { foo; }\n"
         "                 ^\n"},
    };
    for (const DiagnosticCase& test : cases) {
        EXPECT_EQ(errors_of(kHeader + test.text), test.expected) << test.reason;
    }
}

TEST(Diagnostics, OfTheWholeTextNameAFirstStep) {
    EXPECT_EQ(errors_of("\x7f"
                        "ELF"),
              "test.ptx:1:1: error: expected `.version` at the start of PTX, found `\\x7f`\n"
              "    \\x7f"
              "ELF\n"
              "    ^\n");
    EXPECT_EQ(errors_of(""),
              "test.ptx:1:1: error: expected `.version` at the start of PTX, found the end of the "
              "text\n");
    EXPECT_EQ(
        errors_of(".version 9.1\n"),
        "test.ptx:1:10: error: PTX ISA 9.1 is newer than 9.0, the newest that is understood\n"
        "    .version 9.1\n"
        "             ^\n"
        "    hint: compile with CUDA 13.0 or older, or for a compute capability that it knows\n");
    EXPECT_EQ(errors_of(".version 9.0\n.target sm_90\n.address_size 32\n"),
              "test.ptx:3:15: error: only PTX of 64-bit addresses can run\n"
              "    .address_size 32\n"
              "                  ^\n"
              "    hint: compile with -m64, the default of nvcc\n");
}

TEST(Diagnostics, StopAtTheirLimit) {
    std::string text = kHeader + ".entry k() {\n";
    for (int i = 0; i < 100; ++i) text += "foo;\n";
    const auto module = parse(text + "}\n", "test.ptx");
    ASSERT_FALSE(module.ok());
    EXPECT_EQ(module.errors().size(), ErrorList::kLimit);
}

TEST(Diagnostics, QuoteNoEndlessLine) {
    const std::string errors =
        errors_of(kHeader + ".entry k() { foo" + std::string(1'000'000, 'o') + "; }");
    EXPECT_LT(errors.size(), 1000U);
    EXPECT_THAT(errors, testing::HasSubstr("test.ptx:4:14: error: unknown instruction"));
}

}  // namespace
}  // namespace wideload::ptx
