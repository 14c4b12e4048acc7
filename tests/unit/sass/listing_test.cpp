// SPDX-License-Identifier: Apache-2.0
#include "sass/listing.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>

namespace wideload::sass {
namespace {

using testing::ElementsAre;

constexpr std::string_view kListing = R"(	.target	sm_90

//--------------------- .text._Z5scalePKfPf --------------------------
	.section	.text._Z5scalePKfPf,"ax",@progbits
	.sectioninfo	@"SHI_REGISTERS=15"
	.align	128
        .global         _Z5scalePKfPf
_Z5scalePKfPf:
.text._Z5scalePKfPf:
	//## File "/src/a.cu", line 4
	//## File ".nv_debug_ptx_txt", line 30
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "/src/my \"own\".h", line 2 inlined at "/src/b.h", line 3
	//## File "/src/b.h", line 3 inlined at "/src/a.cu", line 5
	//## File "/src/a.cu", line 5
	//## File ".nv_debug_ptx_txt", line 33
        /*0010*/              @!P0 LDG.E.128 R4, desc[UR4][R2.64] ;
	//## File ".nv_debug_ptx_txt", line 34
        /*0020*/              @UP1 STG.E desc[UR4][R4.64], R7 &wr=0x2 ;
.L_x_1:
	//## File "/src/a.cu", line 6
        /*0030*/                   EXIT;
        /*0040*/                   { NOP;
        /*0x50*/                   }
	.section	.nv.constant0._Z5scalePKfPf,"a",@progbits
        /*0000*/ 	.byte	0x00, 0x00
	.section	".text.other$name","ax",@progbits
        /*0000*/                   BRX R2 -0x10 (*"BRANCH_TARGETS .L_x_1"*);
)";

std::string words(const Instruction& instruction) {
    std::string text = fmt::format("{}+{:x} {} ptx {}", instruction.function, instruction.offset,
                                   instruction.opcode, instruction.ptx_line);
    for (const SourceLocation& frame : instruction.frames) {
        text += fmt::format(" {}:{}", frame.file, frame.line);
    }
    return text;
}

void read(ListingReader& reader, std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        reader.read_line(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

// Locations hold until the next one; of an inlined line the chain follows line by line.
TEST(Listing, GivesInstructionsWithTheirPlaces) {
    std::vector<std::string> found;
    ListingReader reader([&](const Instruction& i) { found.push_back(words(i)); });
    read(reader, kListing);
    EXPECT_THAT(
        found,
        ElementsAre(
            "_Z5scalePKfPf+0 LDC ptx 30 /src/a.cu:4",
            "_Z5scalePKfPf+10 LDG.E.128 ptx 33 /src/my \\\"own\\\".h:2 /src/b.h:3 /src/a.cu:5",
            "_Z5scalePKfPf+20 STG.E ptx 34 /src/my \\\"own\\\".h:2 /src/b.h:3 /src/a.cu:5",
            "_Z5scalePKfPf+30 EXIT ptx 34 /src/a.cu:6", "_Z5scalePKfPf+40 NOP ptx 34 /src/a.cu:6",
            "other$name+0 BRX ptx 0"));
    EXPECT_EQ(reader.instructions(), found.size());
}

// The text comes from a program that reads untrusted files: any bytes are skipped or read, no chain
// of lines grows without bound, and nothing is made up from lines that are no instructions.
TEST(Listing, SurvivesDamage) {
    std::mt19937 random(20251121);  // NOLINT(cert-msc51-cpp): the same damage in every run
    std::uint64_t instructions = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string text(kListing);
        for (unsigned steps = random() % 8; steps > 0 && !text.empty(); --steps) {
            const std::size_t at = random() % text.size();
            switch (random() % 5) {
                case 0:
                    text[at] = static_cast<char>(random());
                    break;
                case 1:
                    text.erase(at, random() % 40);
                    break;
                case 2:
                    text.insert(at, text.substr(random() % text.size(), random() % 80));
                    break;
                case 3:
                    text.insert(at, "99999999999999999999999");
                    break;
                default:
                    text.resize(at + 1);
            }
        }
        ListingReader reader([&](const Instruction& instruction) {
            ++instructions;
            ASSERT_FALSE(instruction.opcode.empty());
            ASSERT_LE(instruction.frames.size(), 64u);
        });
        read(reader, text);
        ASSERT_LE(reader.instructions(), text.size());
    }
    EXPECT_GT(instructions, 20000u);
}

TEST(Listing, BoundsAChainOfInlining) {
    std::string text = "\t.section\t.text.k,\"ax\"\n";
    for (int i = 0; i < 10000; ++i) {
        text += "//## File \"a\", line 1 inlined at \"a\", line 1\n";
    }
    text += "/*0000*/ EXIT ;\n";
    std::size_t frames = 0;
    ListingReader reader([&](const Instruction& i) { frames = i.frames.size(); });
    read(reader, text);
    EXPECT_GT(frames, 1u);
    EXPECT_LE(frames, 64u);
}

}  // namespace
}  // namespace wideload::sass
