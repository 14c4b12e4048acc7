// SPDX-License-Identifier: Apache-2.0
// cp.async.bulk and cp.reduce.async.bulk: each thread copies a row of its own length, or reduces it
// into another, and after all have waited reads what another thread's copy made of its row.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <random>
#include <sstream>
#include <vector>

#include "block.h"

namespace wideload::isa {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr U32 kThreads = 64, kRowWords = 16;
using Row = std::array<U32, kRowWords>;
using Rows = std::vector<Row>;

/// Sources and what targets hold before, a row a thread.
struct Data {
    Rows source = Rows(kThreads), target = Rows(kThreads);
};
/// Bytes that a thread copies: one to four units.
U32 bytes_of(U32 thread) { return (thread % 4 + 1) * 16; }

std::string table(const std::string& name, const Rows& rows) {
    std::vector<U32> words;
    for (const Row& row : rows) words.insert(words.end(), row.begin(), row.end());
    return fmt::format(".global .align 16 .b32 {}[{}] = {{{}}};\n", name, words.size(),
                       fmt::join(words, ", "));
}

/// Where a copy goes from and to; the words between `async.bulk` and the reduction.
struct Direction {
    std::string words;
    bool from_global, to_global;

    [[nodiscard]] bool has_hint() const { return words.ends_with("cache_hint"); }
};

constexpr char kBegin[] =
    ".reg .b64 %g, %h, %policy; .reg .b32 %row, %from, %to, %bytes, %w, %i; .reg .pred %p;\n"
    ".shared .align 16 .b8 sources[4096]; .shared .align 16 .b8 targets[4096];\n"
    ".shared .align 8 .b64 object;\n"
    "setp.ne.u32 %p, %thread, 0;\n@%p bra ready;\nmbarrier.init.shared.b64 [object], 64;\n"
    "ready: createpolicy.fractional.L2::evict_first.b64 %policy;\n"
    "and.b32 %bytes, %thread, 3; mad.lo.u32 %bytes, %bytes, 16, 16; shl.b32 %row, %thread, 6;\n"
    "mov.u32 %from, sources; add.u32 %from, %from, %row; mov.u32 %to, targets;\n"
    "add.u32 %to, %to, %row; mov.u64 %g, source; mad.wide.u32 %g, %row, 1, %g;\n"
    "mov.u64 %h, target; mad.wide.u32 %h, %row, 1, %h; mov.u32 %i, 0;\n"
    "stage: ld.global.u32 %w, [%g]; st.shared.u32 [%from], %w; ld.global.u32 %w, [%h];\n"
    "st.shared.u32 [%to], %w; add.u64 %g, %g, 4; add.u64 %h, %h, 4; add.u32 %from, %from, 4;\n"
    "add.u32 %to, %to, 4; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 16;\n@%p bra stage;\n"
    "sub.u64 %g, %g, 64; sub.u64 %h, %h, 64; sub.u32 %from, %from, 64; sub.u32 %to, %to, 64;\n"
    "fence.proxy.async;\nbar.sync 0;\n";

/// A digest of the row of the thread that is as far from the end, in %result.
std::string digest_of_targets(bool in_global) {
    const std::string_view space = in_global ? "global" : "shared";
    const std::string_view at = in_global ? "%h" : "%to";
    const std::string_view row = in_global
                                     ? "mov.u64 %h, target; mad.wide.u32 %h, %row, 64, %h;\n"
                                     : "mov.u32 %to, targets; mad.lo.u32 %to, %row, 64, %to;\n";
    return fmt::format(
        "bar.sync 0;\nsub.u32 %row, 63, %thread; {0}mov.u32 %i, 0;\n"
        "digest: ld.{1}.u32 %w, [{2}]; mad.lo.u32 %result, %result, 31, %w; add.{3} {2}, {2}, 4;\n"
        "add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 16;\n@%p bra digest;\n",
        row, space, at, in_global ? "u64" : "u32");
}

U32 digest(const Row& row) {
    U32 value = 0;
    for (const U32 word : row) value = value * 31 + word;
    return value;
}

/// @param opcode    "cp.async.bulk" or "cp.reduce.async.bulk"
/// @param operation what follows the direction: ".add.u32", or nothing
std::string copy(const std::string& opcode, const Direction& direction,
                 const std::string& operation) {
    const std::string_view to = direction.to_global ? "%h" : "%to";
    const std::string_view from = direction.from_global ? "%g" : "%from";
    const std::string_view policy = direction.has_hint() ? ", %policy" : "";
    const std::string mnemonic = opcode + "." + direction.words + operation;
    if (direction.to_global) {
        return fmt::format(
            "{} [{}], [{}], %bytes{};\ncp.async.bulk.commit_group;\n"
            "cp.async.bulk.wait_group.read 0;\ncp.async.bulk.wait_group 0;\n",
            mnemonic, to, from, policy);
    }
    return fmt::format(
        "mbarrier.arrive.expect_tx.shared.b64 _, [object], %bytes;\n"
        "{} [{}], [{}], %bytes, [object]{};\n"
        "again: mbarrier.try_wait.parity.shared.b64 %p, [object], 0;\n@!%p bra again;\n",
        mnemonic, to, from, policy);
}

/// @param results each thread's target row afterwards
void check_rows(const std::string& text, const Data& data, const Rows& results, bool in_global) {
    // An H200 knows copies within shared memory only in kernels of clusters: elsewhere they are
    // illegal instructions.
    const bool in_cluster = text.find("shared::cluster.shared::cta") != std::string::npos;
    BlockForm form{kBegin + text + digest_of_targets(in_global),
                   [&](U32 thread) { return digest(results[kThreads - 1 - thread]); }, kThreads};
    form.declarations = table("source", data.source) + table("target", data.target);
    if (in_cluster) form.directives = ".explicitcluster .reqnctapercluster 1, 1, 1";
    check_block(form);
}

Data some_words() {
    Data data;
    for (U32 t = 0; t < kThreads; ++t) {
        for (U32 i = 0; i < kRowWords; ++i) {
            data.source[t][i] = (t * kRowWords + i + 1) * 0x9e3779b9u;
            data.target[t][i] = (t * kRowWords + i + 1) * 0x85ebca6bu;
        }
    }
    return data;
}

TEST(BulkCopy, InEveryDirection) {
    const Data data = some_words();
    Rows results = data.target;
    for (U32 t = 0; t < kThreads; ++t) {
        std::memcpy(results[t].data(), data.source[t].data(), bytes_of(t));
    }
    const std::string to_cta = "shared::cta.global.mbarrier::complete_tx::bytes";
    const std::string to_cluster = "shared::cluster.global.mbarrier::complete_tx::bytes";
    const std::string back = "global.shared::cta.bulk_group";
    for (const Direction& direction :
         {Direction{to_cta, true, false},
          {to_cta + ".L2::cache_hint", true, false},
          {to_cluster, true, false},
          {to_cluster + ".L2::cache_hint", true, false},
          {"shared::cluster.shared::cta.mbarrier::complete_tx::bytes", false, false},
          {back, false, true},
          {back + ".L2::cache_hint", false, true}}) {
        check_rows(copy("cp.async.bulk", direction, ""), data, results, direction.to_global);
    }
}

TEST(BulkCopy, Prefetches) {
    const Data data = some_words();
    for (const std::string form : {"cp.async.bulk.prefetch.L2.global [%h], %bytes;\n",
                                   "cp.async.bulk.prefetch.L2.global.L2::cache_hint [%h], %bytes, "
                                   "%policy;\n"}) {
        check_rows(form, data, data.target, true);
    }
}

// Reductions.

bool is_float(const std::string& type) { return type.find('f') != std::string::npos; }

unsigned element_bytes(const std::string& type) {
    return type.ends_with("16") ? 2 : type.ends_with("64") ? 8 : 4;
}

/// A small integer as a float, which no type has to round.
U64 float_bits(const std::string& type, int number) {
    if (type == "f64") return std::bit_cast<U64>(static_cast<double>(number));
    const U32 bits = std::bit_cast<U32>(static_cast<float>(number));
    if (type == "f32") return bits;
    if (type == "bf16" || number == 0) return bits >> 16;
    const U32 exponent = (bits >> 23 & 0xff) - 127 + 15;
    return (bits >> 16 & 0x8000) | exponent << 10 | (bits >> 13 & 0x3ff);
}
int number_of(U64 value) { return static_cast<int>(value % 61) - 30; }

/// The element that `value` stands for: of integers any bits, of floats small integers.
U64 encode(const std::string& type, U64 value) {
    return is_float(type) ? float_bits(type, number_of(value)) : value;
}

template <class T>
U64 combine(const std::string& operation, U64 target, U64 source) {
    const T t = static_cast<T>(target), s = static_cast<T>(source);
    if (operation == "min") return static_cast<U64>(std::min(t, s));
    if (operation == "max") return static_cast<U64>(std::max(t, s));
    if (operation == "inc") return t >= s ? 0 : target + 1;
    if (operation == "dec") return t == 0 || t > s ? source : target - 1;
    if (operation == "and") return target & source;
    if (operation == "or") return target | source;
    if (operation == "xor") return target ^ source;
    return target + source;
}

/// What a target's element becomes, of the values that encode() takes.
U64 reduced(const std::string& operation, const std::string& type, U64 target, U64 source) {
    if (is_float(type)) {
        const auto number = combine<std::int64_t>(operation, static_cast<U64>(number_of(target)),
                                                  static_cast<U64>(number_of(source)));
        return float_bits(type, static_cast<int>(number));
    }
    if (type == "s32") return combine<std::int32_t>(operation, target, source);
    if (type == "s64") return combine<std::int64_t>(operation, target, source);
    return element_bytes(type) == 4 ? combine<U32>(operation, target, source)
                                    : combine<U64>(operation, target, source);
}

/// Reduces rows of elements of `type` in `direction`.
void check_reduction(const Direction& direction, const std::string& operation,
                     const std::string& type) {
    std::mt19937_64 random(11);
    const unsigned size = element_bytes(type);
    Data data;
    Rows results = data.target;
    for (U32 t = 0; t < kThreads; ++t) {
        for (unsigned at = 0; at < sizeof(Row); at += size) {
            const auto put = [&](Rows& rows, U64 element) {
                std::memcpy(reinterpret_cast<char*>(rows[t].data()) + at, &element, size);
            };
            const U64 source = random(), target = random();
            put(data.source, encode(type, source));
            put(data.target, encode(type, target));
            put(results,
                at < bytes_of(t) ? reduced(operation, type, target, source) : encode(type, target));
        }
    }
    const bool is_half_sum = operation == "add" && type.ends_with("f16");
    check_rows(copy("cp.reduce.async.bulk", direction,
                    fmt::format(".{}{}.{}", operation, is_half_sum ? ".noftz" : "", type)),
               data, results, direction.to_global);
}

struct Reduction {
    const char* operations;
    std::vector<const char*> types;
};

void check_reductions(const Direction& direction, const std::vector<Reduction>& reductions) {
    for (const auto& [operations, types] : reductions) {
        std::istringstream words(operations);
        for (std::string operation; words >> operation;) {
            for (const char* type : types) check_reduction(direction, operation, type);
        }
    }
}

TEST(BulkCopy, ReductionsIntoSharedMemory) {
    check_reductions({"shared::cluster.shared::cta.mbarrier::complete_tx::bytes", false, false},
                     {{"add", {"u32", "s32", "u64"}},
                      {"min max", {"u32", "s32"}},
                      {"inc dec", {"u32"}},
                      {"and or xor", {"b32"}}});
}

TEST(BulkCopy, ReductionsIntoGlobalMemory) {
    for (const std::string hint : {"", ".L2::cache_hint"}) {
        check_reductions({"global.shared::cta.bulk_group" + hint, false, true},
                         {{"add", {"u32", "s32", "u64", "f32", "f64", "f16", "bf16"}},
                          {"min max", {"u32", "s32", "u64", "s64", "f16", "bf16"}},
                          {"inc dec", {"u32"}},
                          {"and or xor", {"b32", "b64"}}});
    }
}

}  // namespace
}  // namespace wideload::isa
