// SPDX-License-Identifier: Apache-2.0
#include "sass/refused_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "image/elf.h"

namespace wideload::sass {
namespace {

/// The first kernel that is refused by itself, where one of the halves that are looked into is;
/// else none.
KernelSpan first_refused(KernelSpan kernels, const ReadsKernels& reads) {
    while (kernels.size() > 1) {
        const KernelSpan half = kernels.first(kernels.size() / 2);
        kernels = reads(half) ? kernels.subspan(half.size()) : half;
    }
    return reads(kernels) ? KernelSpan{} : kernels;
}

/// Whether one of a few kernels beside the refused one is read: then the file as a whole is sound.
bool reads_another(KernelSpan kernels, const image::CubinKernel& refused,
                   const ReadsKernels& reads) {
    const std::size_t asked = std::min(kernels.size(), std::size_t{4});
    for (std::size_t i = 0; i < asked; ++i) {
        const KernelSpan other = kernels.subspan(i * kernels.size() / asked, 1);
        if (other[0].symbol != refused.symbol && reads(other)) return true;
    }
    return false;
}

Diagnostic at_section_table(const ByteRange& cubin, std::string_view message) {
    constexpr std::uint64_t kOffsetOfTable = 40;  // e_shoff of an ELF64 header
    ByteReader header(cubin);
    header.skip(kOffsetOfTable, "ELF header");
    return cubin.error_at(header.read<std::uint64_t>("ELF header"), message);
}

Diagnostic at_code_of(const ByteRange& cubin, const image::CubinKernel& kernel) {
    const std::string message =
        fmt::format("the disassembler refuses the code of kernel {}", kernel.name);
    const auto elf = image::read_elf(cubin);
    const image::ElfSection* code = elf ? elf->section(".text." + kernel.name) : nullptr;
    return code == nullptr ? at_section_table(cubin, message) : code->contents.error_at(0, message);
}

Diagnostic place_of(const ByteRange& cubin, KernelSpan kernels, const ReadsKernels& reads) {
    const KernelSpan refused = first_refused(kernels, reads);
    if (refused.empty()) {
        return at_section_table(cubin,
                                "the disassembler refuses kernels together that it reads "
                                "one by one");
    }
    if (kernels.size() > 1 && !reads_another(kernels, refused[0], reads)) {
        return at_section_table(cubin, "the disassembler refuses every kernel");
    }
    return at_code_of(cubin, refused[0]);
}

}  // namespace

Diagnostics locate_refusal(const ByteRange& cubin, KernelSpan kernels, const ReadsKernels& reads,
                           const Diagnostics& refusal) {
    Diagnostic place = place_of(cubin, kernels, reads);
    for (const Diagnostic& said : refusal) place.message += ": " + said.message;
    return {place};
}

}  // namespace wideload::sass
