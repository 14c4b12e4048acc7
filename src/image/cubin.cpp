// SPDX-License-Identifier: Apache-2.0
#include "image/cubin.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <unordered_map>

#include "image/nv_info.h"

namespace wideload::image {
namespace {

/// st_other of a symbol that can be launched (STO_CUDA_ENTRY); a device function lacks it.
constexpr std::uint8_t kLaunchable = 0x10;
/// From this ABI version on the number stands in the second byte of the flags (LLVM: EF_CUDA_SM and
/// its successor).
constexpr std::uint8_t kAbiWithShiftedArch = 8;
/// From 9.0 on the size of a kernel's shared section includes the system's own part at its start,
/// which before that lay outside of it: a 1,024-byte array makes 1,024 bytes for sm_80 and 2,048
/// for sm_90.
constexpr std::uint32_t kFirstArchWithReservedInSection = 90;
constexpr std::uint64_t kReservedSharedBytes = 1024;
constexpr std::uint32_t kFirstToolkitThatMarksSpills = 130;

using KernelsBySymbol = std::map<std::uint32_t, CubinKernel>;
/// The first of each name: a cubin has several sections a kernel, and may have thousands of
/// kernels.
using SectionsByName = std::unordered_map<std::string_view, const ElfSection*>;

SectionsByName by_name(const Elf& elf) {
    SectionsByName sections;
    for (const ElfSection& section : elf.sections) sections.try_emplace(section.name, &section);
    return sections;
}

const ElfSection* find(const SectionsByName& sections, const std::string& name) {
    const auto found = sections.find(name);
    return found == sections.end() ? nullptr : found->second;
}

/// Attributes that stand in the common section and name their kernel by the index of its symbol.
Diagnostics apply_common(const ElfSection& section, KernelsBySymbol& kernels) {
    const auto attributes = read_nv_info(section.contents);
    if (!attributes) return attributes.errors();
    for (const NvInfoAttribute& attribute : *attributes) {
        const bool wanted = attribute.code == NvInfo::register_count ||
                            attribute.code == NvInfo::frame_size ||
                            attribute.code == NvInfo::min_stack_size;
        if (!wanted) continue;
        ByteReader reader(attribute.data);
        const auto symbol = reader.read<std::uint32_t>("symbol of an attribute");
        const auto value = reader.read<std::uint32_t>("value of an attribute");
        if (!reader.ok()) return {reader.error()};
        const auto kernel = kernels.find(symbol);
        if (kernel == kernels.end()) continue;  // of a device function
        if (attribute.code == NvInfo::register_count) kernel->second.registers = value;
        if (attribute.code == NvInfo::frame_size) kernel->second.frame_bytes = value;
        if (attribute.code == NvInfo::min_stack_size) kernel->second.stack_bytes = value;
    }
    return {};
}

Diagnostics apply_parameter(const NvInfoAttribute& attribute, CubinKernel& kernel) {
    constexpr std::uint16_t kMostParameters =
        4096;                                 // of one byte each before 12.1; 32,764 bytes since
    constexpr std::uint32_t kSizeShift = 18;  // below: alignment, space, bank
    ByteReader reader(attribute.data);
    reader.skip(4, "kernel parameter");
    const auto position = reader.read<std::uint16_t>("kernel parameter");
    const auto offset = reader.read<std::uint16_t>("kernel parameter");
    const auto packed = reader.read<std::uint32_t>("kernel parameter");
    if (!reader.ok()) return {reader.error()};
    if (position >= kMostParameters) {
        return {attribute.data.error_at(4, fmt::format("kernel parameter {}", position))};
    }
    if (kernel.parameters.size() <= position) kernel.parameters.resize(position + 1u);
    kernel.parameters[position] = {offset, packed >> kSizeShift};
    return {};
}

Diagnostics apply_threads(const NvInfoAttribute& attribute,
                          std::optional<std::array<std::uint32_t, 3>>& threads) {
    ByteReader reader(attribute.data);
    std::array<std::uint32_t, 3> dimensions{};
    for (std::uint32_t& dimension : dimensions)
        dimension = reader.read<std::uint32_t>("block size");
    if (!reader.ok()) return {reader.error()};
    threads = dimensions;
    return {};
}

/// Pairs of what is annotated and where.
Diagnostics apply_annotations(const NvInfoAttribute& attribute, CubinKernel& kernel) {
    constexpr std::uint32_t kSpill = 1;  // cuobjdump -elf: SpillRefill
    ByteReader reader(attribute.data);
    while (!reader.at_end()) {
        const auto kind = reader.read<std::uint32_t>("annotation");
        const auto offset = reader.read<std::uint32_t>("annotation");
        if (!reader.ok()) return {reader.error()};
        if (!kernel.spill_offsets) kernel.spill_offsets.emplace();
        if (kind == kSpill) kernel.spill_offsets->push_back(offset);
    }
    return {};
}

Diagnostics apply_attribute(const NvInfoAttribute& attribute, CubinKernel& kernel) {
    switch (attribute.code) {
        case NvInfo::kernel_parameter:
            return apply_parameter(attribute, kernel);
        case NvInfo::max_threads:
            return apply_threads(attribute, kernel.max_threads);
        case NvInfo::required_threads:
            return apply_threads(attribute, kernel.required_threads);
        case NvInfo::parameter_bytes:
            kernel.parameter_bytes = attribute.value;
            return {};
        case NvInfo::barrier_count:
            kernel.barriers = attribute.value & 0xff;
            return {};
        case NvInfo::annotations:
            return apply_annotations(attribute, kernel);
        default:
            return {};
    }
}

/// Attributes of the kernel's own section.
Diagnostics apply_own(const SectionsByName& sections, CubinKernel& kernel) {
    const ElfSection* section = find(sections, ".nv.info." + kernel.name);
    if (section == nullptr) return {};
    const auto attributes = read_nv_info(section->contents);
    if (!attributes) return attributes.errors();
    for (const NvInfoAttribute& attribute : *attributes) {
        if (Diagnostics errors = apply_attribute(attribute, kernel); !errors.empty()) return errors;
    }
    return {};
}

std::uint64_t static_shared_bytes(const SectionsByName& sections, std::uint32_t arch,
                                  const std::string& kernel) {
    const ElfSection* section = find(sections, ".nv.shared." + kernel);
    if (section == nullptr) return 0;
    if (arch < kFirstArchWithReservedInSection) return section->bytes;
    return section->bytes - std::min(section->bytes, kReservedSharedBytes);
}

/// Banks by the kernel they belong to; the module's under the empty name.
using ConstantBanks = std::map<std::string_view, std::vector<CubinConstantBank>>;

ConstantBanks read_constant_banks(const Elf& elf) {
    static constexpr std::string_view kPrefix = ".nv.constant";
    ConstantBanks banks;
    for (const ElfSection& section : elf.sections) {
        if (!section.name.starts_with(kPrefix)) continue;
        const std::string_view rest = section.name.substr(kPrefix.size());
        std::uint32_t bank = 0;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), bank);
        if (error != std::errc{}) continue;
        std::string_view kernel = rest.substr(static_cast<std::size_t>(end - rest.data()));
        if (kernel.starts_with('.')) kernel.remove_prefix(1);
        banks[kernel].push_back({bank, section.bytes});
    }
    return banks;
}

void apply_constant_banks(const ConstantBanks& banks, CubinKernel& kernel) {
    for (const std::string_view owner : {std::string_view(kernel.name), std::string_view()}) {
        const auto found = banks.find(owner);
        if (found == banks.end()) continue;
        kernel.constant_banks.insert(kernel.constant_banks.end(), found->second.begin(),
                                     found->second.end());
    }
    std::ranges::sort(kernel.constant_banks, {}, &CubinConstantBank::bank);
}

/// The version of the toolkit as it numbers itself in a cubin, 130 for 13.0; 0 where it does not.
std::uint32_t toolkit_version(const Elf& elf) {
    constexpr std::uint64_t kNoteHeaderBytes = 12, kFieldsBefore = 4;
    const ElfSection* note = elf.section(".note.nv.cuinfo");
    if (note == nullptr) return 0;
    ByteReader reader(note->contents);
    const auto name_bytes = reader.read<std::uint32_t>("note");
    reader.skip(kNoteHeaderBytes - sizeof name_bytes, "note");
    reader.skip((std::uint64_t{name_bytes} + 3) / 4 * 4, "name of a note");
    reader.skip(kFieldsBefore, "note");
    const auto version = reader.read<std::uint16_t>("note");
    return reader.ok() ? version : 0;
}

/// Instructions of 16 bytes, whose lowest 12 bits name the operation and where its operands lie.
std::optional<std::uint32_t> count_global_loads(const Elf& elf, const ElfSymbol& kernel) {
    constexpr std::uint32_t kFirstArchOfWideInstructions = 70;
    constexpr std::size_t kInstructionBytes = 16;
    constexpr std::uint16_t kOperation = 0xfff;
    constexpr std::uint16_t kLoad = 0x381, kLoadByDescriptor = 0x981;  // since sm_80
    if (cubin_arch(elf) < kFirstArchOfWideInstructions || kernel.section >= elf.sections.size()) {
        return std::nullopt;
    }
    const std::span<const std::byte> code = elf.sections[kernel.section].contents.data;
    if (kernel.value > code.size() || kernel.bytes > code.size() - kernel.value)
        return std::nullopt;
    std::uint32_t loads = 0;
    for (std::size_t at = kernel.value; at + kInstructionBytes <= kernel.value + kernel.bytes;
         at += kInstructionBytes) {
        std::uint16_t low = 0;
        std::memcpy(&low, &code[at], sizeof low);
        const auto operation = static_cast<std::uint16_t>(low & kOperation);
        loads += operation == kLoad || operation == kLoadByDescriptor ? 1 : 0;
    }
    return loads;
}

Result<KernelsBySymbol> launchable_symbols(const Elf& elf) {
    KernelsBySymbol kernels;
    const auto table = std::ranges::find(elf.sections, kSectionSymbolTable, &ElfSection::type);
    if (table == elf.sections.end()) return kernels;
    const auto symbols = read_symbols(elf, *table);
    if (!symbols) return symbols.errors();
    for (std::uint32_t index = 0; index < symbols->size(); ++index) {
        const ElfSymbol& symbol = (*symbols)[index];
        if (symbol.type != kSymbolFunction || (symbol.other & kLaunchable) == 0) continue;
        kernels[index].name = symbol.name;
        kernels[index].symbol = index;
        kernels[index].global_loads = count_global_loads(elf, symbol);
    }
    return kernels;
}

}  // namespace

std::uint32_t cubin_arch(const Elf& elf) {
    return (elf.abi_version >= kAbiWithShiftedArch ? elf.flags >> 8 : elf.flags) & 0xff;
}

Result<std::vector<CubinKernel>> read_cubin(const ByteRange& cubin) {
    const auto elf = read_elf(cubin);
    if (!elf) return elf.errors();
    if (elf->machine != kMachineCuda) return cubin.error_at(18, "an ELF file, but not a cubin");
    auto by_symbol = launchable_symbols(*elf);
    if (!by_symbol) return by_symbol.errors();
    if (const ElfSection* common = elf->section(".nv.info")) {
        if (Diagnostics errors = apply_common(*common, *by_symbol); !errors.empty()) return errors;
    }
    const SectionsByName sections = by_name(*elf);
    const ConstantBanks banks = read_constant_banks(*elf);
    const bool spills_are_marked = toolkit_version(*elf) >= kFirstToolkitThatMarksSpills;
    std::vector<CubinKernel> kernels;
    for (auto& [symbol, kernel] : *by_symbol) {
        if (spills_are_marked) kernel.spill_offsets.emplace();
        if (Diagnostics errors = apply_own(sections, kernel); !errors.empty()) return errors;
        kernel.static_shared_bytes = static_shared_bytes(sections, cubin_arch(*elf), kernel.name);
        apply_constant_banks(banks, kernel);
        if (kernel.spill_offsets) std::ranges::sort(*kernel.spill_offsets);
        kernels.push_back(std::move(kernel));
    }
    return kernels;
}

}  // namespace wideload::image
