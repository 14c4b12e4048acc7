// SPDX-License-Identifier: Apache-2.0
#include "image/registered.h"

#include <gmock/gmock.h>

#include "cuda_files.h"
#include "image/select.h"

namespace wideload::image {
namespace {

using testing::HasSubstr;

/// __fatBinC_Wrapper_t as the toolkit's fatbinary_section.h declares it.
struct Wrapper {
    int magic = 0x466243B1;
    int version = 1;
    const void* data = nullptr;
    const void* prelinked = nullptr;
};

TEST(Registered, ReadsAWholeProgram) {
    const auto fatbin = cuda_bytes("image_balance.fatbin");
    const Wrapper wrapper{.data = fatbin.data()};
    const auto binaries = read_registered(&wrapper, "app");
    ASSERT_TRUE(binaries.ok()) << format(binaries.errors());
    ASSERT_EQ(binaries->size(), 1u);
    const auto selection = select_modules(*binaries, 90);
    ASSERT_TRUE(selection.ok()) << format(selection.errors());
    ASSERT_EQ(selection->modules.size(), 1u);
    EXPECT_THAT(selection->modules[0].text, HasSubstr(".entry _Z5scalePKfPfi"));
}

// What the toolkit's link.stub registers: nvlink's machine code, and an array of the objects' fat
// binaries.
TEST(Registered, ReadsALinkedProgram) {
    const auto linked = cuda_bytes("image_none.fatbin");
    const auto first = cuda_bytes("image_size.fatbin");
    const auto second = cuda_bytes("image_speed.fatbin");
    const void* const objects[] = {first.data(), second.data(), nullptr};
    const Wrapper wrapper{.version = 2, .data = linked.data(), .prelinked = objects};
    const auto binaries = read_registered(&wrapper, "app");
    ASSERT_TRUE(binaries.ok()) << format(binaries.errors());
    ASSERT_EQ(binaries->size(), 3u);
    EXPECT_FALSE((*binaries)[0].relocatable);
    EXPECT_TRUE((*binaries)[1].relocatable);
    EXPECT_TRUE((*binaries)[2].relocatable);
    const auto selection = select_modules(*binaries, 90);
    ASSERT_TRUE(selection.ok()) << format(selection.errors());
    EXPECT_EQ(selection->modules.size(), 2u);
}

TEST(Registered, RefusesWhatIsNoWrapper) {
    EXPECT_THAT(message_of(read_registered(nullptr, "app")), HasSubstr("null"));
    Wrapper wrapper{};
    EXPECT_THAT(message_of(read_registered(&wrapper, "app")), HasSubstr("null"));
    wrapper.magic = 0x12345678;
    EXPECT_THAT(message_of(read_registered(&wrapper, "app")), HasSubstr("magic 0x12345678"));
    wrapper = {.version = 3};
    EXPECT_THAT(message_of(read_registered(&wrapper, "app")), HasSubstr("version 3"));
    const std::uint64_t junk[2] = {0x0123456789abcdef, 8};
    wrapper = {.data = junk};
    EXPECT_THAT(message_of(read_registered(&wrapper, "app")),
                HasSubstr("where a fat binary should start"));
}

// cuModuleLoadData takes any of these by a bare pointer.
TEST(Loaded, TakesEveryFormByItsPointer) {
    const auto fatbin = cuda_bytes("image_size.fatbin");
    const Wrapper wrapper{.data = fatbin.data()};
    const std::string ptx = read_text(cuda_file("image.ptx"));
    for (const void* image :
         {static_cast<const void*>(fatbin.data()), static_cast<const void*>(&wrapper),
          static_cast<const void*>(ptx.c_str())}) {
        const auto binaries = read_loaded(image, "module");
        ASSERT_TRUE(binaries.ok()) << format(binaries.errors());
        const auto selection = select_modules(*binaries, 90);
        ASSERT_TRUE(selection.ok()) << format(selection.errors());
        EXPECT_THAT(selection->modules[0].text, HasSubstr(".entry _Z5scalePKfPfi"));
    }
    const auto cubin = cuda_bytes("image_sm_90.cubin");
    const auto binaries = read_loaded(cubin.data(), "module");
    ASSERT_TRUE(binaries.ok()) << format(binaries.errors());
    EXPECT_EQ((*binaries)[0].entries[0].payload.size(), cubin.size());
    EXPECT_FALSE(read_loaded(nullptr, "module").ok());
    EXPECT_FALSE(read_loaded("neither", "module").ok());
}

}  // namespace
}  // namespace wideload::image
