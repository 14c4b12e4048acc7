// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ptx_text.h"

namespace wideload::ptx {
namespace {

/// "b.h:7:3 in inner, from a.cu:5:2 in outer, from a.cu:4:9"
std::string describe(const Module& module, LocationId id) {
    if (id == kNoLocation) return "nowhere";
    const Location& l = module.locations[id];
    std::string text =
        module.files.at(l.file) + ':' + std::to_string(l.line) + ':' + std::to_string(l.column);
    if (!l.function.empty()) text += " in " + l.function;
    if (l.inlined_at != kNoLocation) text += ", from " + describe(module, l.inlined_at);
    return text;
}

constexpr std::string_view kDebugStrings = R"(
	.file	1 "a.cu"
	.file	2 "b.h", 1700000000, 1234
	.section	.debug_info
	{
.b32 5082
.b32 .debug_abbrev
.b8 123 // a } in a comment
	}
	.section	.debug_str
	{
$L__info_string0:
.b8 111,117,116,101,114,0
$L__info_string1:
.b8 120,105,110,110
.b8 101,114,0

	}
)";

TEST(Location, FollowsInliningToTheKernel) {
    const Module module = parse_valid(kHeader + R"(
.entry k() {
	.reg .b32 r;
	mov.b32 r, 0;
	.loc 1 4 9
	mov.b32 r, 1;
	.loc 1 5 2, function_name $L__info_string0, inlined_at 1 4 9
	mov.b32 r, 2;
	.loc 2 7 3, function_name $L__info_string1+1, inlined_at 1 5 2
	mov.b32 r, 3;
	.loc 1 4 9
	ret;
}
.entry m() { ret; }
)" + std::string(kDebugStrings));
    const Function& k = function_named(module, "k");
    EXPECT_EQ(describe(module, k.body[0].location), "nowhere");
    EXPECT_EQ(describe(module, k.body[1].location), "a.cu:4:9");
    EXPECT_EQ(describe(module, k.body[2].location), "a.cu:5:2 in outer, from a.cu:4:9");
    EXPECT_EQ(describe(module, k.body[3].location),
              "b.h:7:3 in inner, from a.cu:5:2 in outer, from a.cu:4:9");
    EXPECT_EQ(k.body[4].location, k.body[1].location) << "equal places are one location";
    EXPECT_EQ(describe(module, function_named(module, "m").body[0].location), "nowhere")
        << "a function does not inherit its predecessor's last place";
}

TEST(Location, OfAnUnknownCallerStillHasAChain) {
    const Module module = parse_valid(kHeader + R"(
.entry k() {
	.loc 2 7 3, function_name $L__info_string9, inlined_at 1 40 1
	ret;
}
)" + std::string(kDebugStrings));
    EXPECT_EQ(describe(module, function_named(module, "k").body[0].location),
              "b.h:7:3, from a.cu:40:1");
}

}  // namespace
}  // namespace wideload::ptx
