// SPDX-License-Identifier: Apache-2.0
#include "gpu/machine_code.h"

#include <sys/mman.h>

#include "cuda_files.h"
#include "image/select.h"

namespace wideload::gpu {
namespace {

using image::cuda_bytes;
using image::FatBinary;
using image::read_cuda_file;

constexpr const char* kLookUp = "_Z7look_upPKiPii";

class HoweverCompressed : public testing::TestWithParam<const char*> {};

TEST_P(HoweverCompressed, TellsWhatPtxasWrote) {
    const auto bytes = cuda_bytes("image_sm_90.cubin");
    const auto cubin = image::read_cubin({bytes, "cubin"});
    ASSERT_TRUE(cubin.ok());
    MachineCode code(read_cuda_file(std::string("image_") + GetParam() + ".fatbin"), 90);
    for (const image::CubinKernel& kernel : *cubin) {
        const MachineKernel* found = code.find(kernel.name);
        ASSERT_NE(found, nullptr) << kernel.name;
        EXPECT_EQ(found->arch, 90u);
        EXPECT_EQ(found->facts.registers, kernel.registers);
        EXPECT_EQ(found->facts.frame_bytes, kernel.frame_bytes);
        EXPECT_EQ(found->facts.static_shared_bytes, kernel.static_shared_bytes);
        EXPECT_EQ(found->facts.barriers, kernel.barriers);
    }
    EXPECT_EQ(code.find("no_such_kernel"), nullptr);
}

INSTANTIATE_TEST_SUITE_P(MachineCode, HoweverCompressed,
                         testing::Values("none", "speed", "balance", "size"));

// It holds sm_80 and sm_90a, and PTX for others.
TEST(MachineCode, IsThatWhichTheDriverWouldLoad) {
    const auto arch_on = [](std::uint32_t gpu) {
        MachineCode code(read_cuda_file("image_many.fatbin"), gpu);
        const MachineKernel* kernel = code.find(kLookUp);
        return kernel == nullptr ? 0 : kernel->arch;
    };
    EXPECT_EQ(arch_on(80), 80u);
    EXPECT_EQ(arch_on(89), 80u);
    EXPECT_EQ(arch_on(90), 90u);
    EXPECT_EQ(arch_on(100), 0u);
    EXPECT_EQ(arch_on(120), 0u);
}

// Objects that are linked again when the program starts do not say what the linker makes of them.
TEST(MachineCode, IsNotThatOfRelocatableObjects) {
    auto binaries = read_cuda_file("image_none.fatbin");
    for (FatBinary& binary : binaries) binary.relocatable = true;
    EXPECT_EQ(MachineCode(std::move(binaries), 90).find(kLookUp), nullptr);
}

// Reading it would fault: most programs launch few of the kernels that they carry.
TEST(MachineCode, IsNotReadBeforeItIsAskedFor) {
    constexpr std::size_t kBytes = 1 << 16;
    void* forbidden = mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(forbidden, MAP_FAILED);
    FatBinary binary;
    image::Entry& entry = binary.entries.emplace_back();
    entry.kind = image::EntryKind::elf;
    entry.arch = 90;
    entry.payload.data = {static_cast<const std::byte*>(forbidden), kBytes};
    MachineCode code({binary}, 90);
    ASSERT_EQ(mprotect(forbidden, kBytes, PROT_READ), 0);
    EXPECT_EQ(code.find(kLookUp), nullptr);  // zeros are no cubin
    munmap(forbidden, kBytes);
}

// The PTX, which runs, does without it.
TEST(MachineCode, ThatIsCorruptIsAsGoodAsAbsent) {
    auto binaries = read_cuda_file("image_size.fatbin");
    for (FatBinary& binary : binaries) {
        for (image::Entry& entry : binary.entries) {
            const std::size_t half = entry.payload.size() / 2;
            entry.payload.data = entry.payload.data.first(half);
        }
    }
    EXPECT_EQ(MachineCode(std::move(binaries), 90).find(kLookUp), nullptr);
    binaries = read_cuda_file("image_size.fatbin");
    for (FatBinary& binary : binaries) {
        for (image::Entry& entry : binary.entries) entry.expanded_bytes = std::uint64_t{1} << 40;
    }
    EXPECT_EQ(MachineCode(std::move(binaries), 90).find(kLookUp), nullptr);
}

}  // namespace
}  // namespace wideload::gpu
