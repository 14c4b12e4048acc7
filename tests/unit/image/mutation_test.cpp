// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "cuda_files.h"
#include "image/cubin.h"
#include "image/decompress.h"
#include "image/select.h"

namespace wideload::image {
namespace {

constexpr int kMutations = 10000;

/// Bytes whose end is the end of a page that nothing follows: a read past it ends the test.
class GuardedBytes {
public:
    explicit GuardedBytes(std::size_t most) {
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        usable_ = (most + page - 1) / page * page;
        mapped_ = usable_ + page;
        void* memory =
            ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        first_ = static_cast<std::byte*>(memory);
        ::mprotect(first_ + usable_, page, PROT_NONE);
    }
    ~GuardedBytes() { ::munmap(first_, mapped_); }
    GuardedBytes(const GuardedBytes&) = delete;
    GuardedBytes& operator=(const GuardedBytes&) = delete;

    std::span<const std::byte> place(std::span<const std::byte> bytes) {
        std::byte* start = first_ + usable_ - bytes.size();
        std::ranges::copy(bytes, start);
        return {start, bytes.size()};
    }

private:
    std::byte* first_ = nullptr;
    std::size_t usable_ = 0, mapped_ = 0;
};

/// Damage as it happens (cut, zeroed, flipped) and as an attacker does it (extreme values in
/// aligned fields).
class Mutator {
public:
    /// @param structures offsets near which headers lie; half of the damage is done there
    Mutator(std::vector<std::byte> original, std::vector<std::size_t> structures)
        : original_(std::move(original)), structures_(std::move(structures)) {}

    std::vector<std::byte> next() {
        std::vector<std::byte> bytes = original_;
        const std::size_t steps = 1 + below(6);
        for (std::size_t i = 0; i < steps && !bytes.empty(); ++i) mutate(bytes);
        return bytes;
    }

private:
    std::size_t below(std::size_t limit) { return random_() % limit; }

    std::size_t somewhere(std::size_t size) {
        constexpr std::size_t kHeaderBytes = 128;
        if (structures_.empty() || below(2) == 0) return below(size);
        return std::min(size - 1, structures_[below(structures_.size())] + below(kHeaderBytes));
    }

    void mutate(std::vector<std::byte>& bytes) {
        const std::size_t at = somewhere(bytes.size());
        switch (below(8)) {
            case 0:
                bytes.resize(at);
                break;
            case 1:
                std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                            std::min<std::size_t>(1 + below(64), bytes.size() - at), std::byte{0});
                break;
            case 2:
                bytes[at] = static_cast<std::byte>(random_());
                break;
            case 3:
                bytes[at] ^= static_cast<std::byte>(1u << below(8));
                break;
            case 4:
                bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), 1 + below(16),
                             std::byte{0x5a});
                break;
            default:
                overwrite_field(bytes, at);
                break;
        }
    }

    void overwrite_field(std::vector<std::byte>& bytes, std::size_t at) {
        constexpr std::uint64_t kExtremes[] = {
            0,          1,           0x7f,      0xff,       0xffff,          0x7fffffff,
            0xffffffff, 0x100000000, INT64_MAX, UINT64_MAX, UINT64_MAX - 15, UINT64_MAX - 63};
        const std::uint64_t value =
            below(3) == 0 ? below(2 * original_.size()) : kExtremes[below(std::size(kExtremes))];
        const std::size_t width = std::size_t{1} << below(4);
        at -= at % width;
        std::memcpy(bytes.data() + at, &value, std::min(width, bytes.size() - at));
    }

    std::vector<std::byte> original_;
    std::vector<std::size_t> structures_;
    std::mt19937_64 random_{20250921};  // NOLINT(cert-msc51-cpp): the same damage in every run
};

/// Everything that a run may ask of an input. @returns the errors of the steps that failed
Diagnostics read_everything(std::span<const std::byte> bytes) {
    constexpr std::uint64_t kMost = 1 << 24;
    Diagnostics errors;
    const auto collect = [&errors](const auto& result) {
        if (!result) errors.insert(errors.end(), result.errors().begin(), result.errors().end());
        return result.ok();
    };
    const auto binaries = read_bytes(bytes, "mutant");
    if (!collect(binaries)) return errors;
    for (const FatBinary& binary : *binaries) {
        const bool has_ptx = std::ranges::any_of(
            binary.entries, [](const Entry& entry) { return entry.kind == EntryKind::ptx; });
        const auto ptx = select_ptx(binary, 90);
        if (has_ptx) collect(ptx);  // machine code alone is no damage
        for (const Entry& entry : binary.entries) {
            const auto payload = decompress(entry, kMost);
            if (collect(payload) && entry.kind == EntryKind::elf) {
                collect(read_cubin({*payload, "cubin"}));
            }
        }
    }
    (void)select_modules(*binaries, 90);
    return errors;
}

/// @returns how many mutants were read without any error
int survivors(Mutator mutator, std::size_t largest) {
    GuardedBytes guarded(largest + 4096);
    int intact = 0;
    for (int i = 0; i < kMutations; ++i) {
        const auto mutant = mutator.next();
        const Diagnostics errors = read_everything(guarded.place(mutant));
        if (errors.empty()) ++intact;
        for (const Diagnostic& error : errors) {
            EXPECT_FALSE(error.message.empty()) << "mutant " << i;
            EXPECT_FALSE(error.where.file.empty()) << "mutant " << i << ": " << error.message;
        }
    }
    return intact;
}

/// Where the headers of an ELF file and of the fat binaries in it lie.
std::vector<std::size_t> structures_of(const std::vector<std::byte>& bytes) {
    std::vector<std::size_t> offsets = {0};
    if (const auto elf = read_elf({bytes, "original"}); elf.ok()) {
        std::uint64_t headers = 0;
        std::memcpy(&headers, bytes.data() + 40, sizeof headers);
        for (std::size_t i = 0; i < elf->sections.size(); ++i) offsets.push_back(headers + 64 * i);
        for (const ElfSection& section : elf->sections) offsets.push_back(section.contents.origin);
    }
    const auto binaries = read_bytes(bytes, "original");
    if (!binaries) return offsets;
    for (const FatBinary& binary : *binaries) {
        for (const Entry& entry : binary.entries) offsets.push_back(entry.payload.origin - 64);
    }
    return offsets;
}

class Mutations : public testing::TestWithParam<const char*> {};

// A corrupt input is an error or a result, never a crash, an over-read or an exhausted memory. That
// the mutants of both kinds occur shows that the damage is neither always fatal at the first byte
// nor without effect.
TEST_P(Mutations, AreErrorsOrResults) {
    const auto original = cuda_bytes(GetParam());
    ASSERT_TRUE(read_everything(original).empty()) << format(read_everything(original));
    const int intact = survivors(Mutator(original, structures_of(original)), original.size());
    EXPECT_GT(intact, kMutations / 100);
    EXPECT_LT(intact, kMutations * 9 / 10);
}

INSTANTIATE_TEST_SUITE_P(Files, Mutations,
                         testing::Values("image_size.fatbin", "image_speed.fatbin",
                                         "image_library.so", "image_relocatable.o",
                                         "image_sm_90.cubin", "image_library.a"),
                         [](const auto& file) {
                             std::string name = file.param;
                             std::ranges::replace(name, '.', '_');
                             return name;
                         });

}  // namespace
}  // namespace wideload::image
