// SPDX-License-Identifier: Apache-2.0
#include "sass/opcode.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace wideload::sass {
namespace {

struct Expected {
    const char* opcode;
    Category category;
    Action action;
    std::uint32_t bytes;
};

// As ptxas 13.0 writes them; widths by the PTX that they were compiled from.
TEST(Opcode, TellsSpaceActionAndWidth) {
    using enum Category;
    const Expected kExpected[] = {
        {"LDG.E", global, Action::load, 4},
        {"LDG.E.U8.SYS", global, Action::load, 1},
        {"LDG.E.S16.CONSTANT", global, Action::load, 2},
        {"LDG.E.64.CONSTANT", global, Action::load, 8},
        {"LDG.E.LTC128B.128", global, Action::load, 16},
        {"LDG.E.LTC128B", global, Action::load, 4},
        {"LDG.E.ENL2.256", global, Action::load, 32},
        {"STG.E.ENL2.256", global, Action::store, 32},
        {"STG.E.128.STRONG.SYS", global, Action::store, 16},
        {"LDS.U.128", shared, Action::load, 16},
        {"LDSM.16.M88.4", shared, Action::load, 16},
        {"LDSM.16.MT88.2", shared, Action::load, 8},
        {"LDSM.16.M88", shared, Action::load, 4},
        {"STS.U16", shared, Action::store, 2},
        {"LDL.LU.64", local, Action::load, 8},
        {"STL", local, Action::store, 4},
        {"LDGSTS.E.BYPASS.128", global, Action::copy, 16},
        {"LDGSTS.E", global, Action::copy, 4},
        {"RED.E.ADD.F64.RN.STRONG.GPU", global, Action::reduce, 8},
        {"REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU", global, Action::reduce, 16},
        {"ATOM.E.ADD.F16x2.RN.STRONG.GPU", generic, Action::atomic, 4},
        {"ATOMG.E.CAS.64.STRONG.GPU", global, Action::atomic, 8},
        {"ATOMS.CAST.SPIN.64", shared, Action::atomic, 8},
        {"LD.E.SYS", generic, Action::load, 4},
        {"ULDC.64", constant, Action::load, 8},
        {"UBLKCP.S.G", global, Action::copy, 0},
        {"UTMALDG.2D", global, Action::copy, 0},
    };
    for (const Expected& expected : kExpected) {
        const Opcode opcode = classify(expected.opcode);
        EXPECT_EQ(name(opcode.category), name(expected.category)) << expected.opcode;
        EXPECT_EQ(name(opcode.action), name(expected.action)) << expected.opcode;
        EXPECT_EQ(opcode.bytes, expected.bytes) << expected.opcode;
    }
}

TEST(Opcode, PutsOthersIntoTheMix) {
    using enum Category;
    const std::pair<const char*, Category> kExpected[] = {
        {"IMAD.WIDE.U32", integer},
        {"UIADD3", integer},
        {"FFMA", fp32},
        {"DFMA", fp64},
        {"HADD2.F32", fp16},
        {"MUFU.RCP", special},
        {"F2F.F64.F32", conversion},
        {"S2UR", move},
        {"SHFL.BFLY", warp},
        {"BAR.SYNC.DEFER_BLOCKING", synchronization},
        {"BRA.U", control},
        {"HMMA.16816.F32", tensor},
        {"TEX.LL", texture},
        {"WHATEVER.64", other},
        {"", other},
        {"U", other}};
    for (const auto& [opcode, category] : kExpected) {
        EXPECT_EQ(name(classify(opcode).category), name(category)) << opcode;
        EXPECT_FALSE(classify(opcode).accesses_memory()) << opcode;
    }
}

// Modifiers of no known form do not make a width.
TEST(Opcode, ReadsHostileModifiers) {
    EXPECT_EQ(classify("LDG.E.99999999999999999999").bytes, 4u);
    EXPECT_EQ(classify("LDG.E.F32x4000000000").bytes, 4u);
    EXPECT_EQ(classify("LDG.....").bytes, 4u);
    EXPECT_EQ(classify("LDG.F16x0").bytes, 4u);
}

TEST(Opcode, CategoriesHaveNamesOfTheirOwn) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < kCategories; ++i) names.insert(name(static_cast<Category>(i)));
    EXPECT_EQ(names.size(), kCategories);
    EXPECT_FALSE(names.contains(""));
}

}  // namespace
}  // namespace wideload::sass
