// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "operations.h"

/// Random kernels as abstract programs: printed as PTX for the engine, evaluated directly for the
/// expected memory and counts.
namespace wideload::fuzz {

using RegisterId = std::uint32_t;

enum class Special : std::uint8_t {
    tid_x,
    tid_y,
    tid_z,
    ntid_x,
    ntid_y,
    ntid_z,
    ctaid_x,
    nctaid_x,
    laneid,
    lanemask_lt,
};

struct Operand {
    enum class Kind : std::uint8_t { reg, immediate, special };
    Kind kind = Kind::immediate;
    RegisterId reg = 0;
    std::uint64_t bits = 0;  ///< of an immediate
    Special special = Special::tid_x;

    static Operand of(RegisterId reg) { return {Kind::reg, reg, 0, {}}; }
    static Operand constant(std::uint64_t bits) { return {Kind::immediate, 0, bits, {}}; }
    static Operand of(Special special) { return {Kind::special, 0, 0, special}; }
};

struct Guard {
    RegisterId predicate = 0;
    bool negated = false;
};

enum class Space : std::uint8_t { global, shared, local, constant, generic };

/// Of the kernel's arrays, for statements that take an address.
enum class Symbol : std::uint8_t { shared, local, constant, variable };

enum class Collective : std::uint8_t {
    shuffle_index,
    shuffle_up,
    shuffle_down,
    shuffle_xor,
    vote_all,
    vote_any,
    vote_uniform,
    vote_ballot,
    match_any,
    reduce_add,
    reduce_min_s32,
    reduce_max_u32,
    reduce_and,
    reduce_or,
    reduce_xor,
    active_mask,
    sync_warp,
};

enum class Reduction : std::uint8_t {
    add_u32,
    min_s32,
    max_u32,
    and_b32,
    or_b32,
    xor_b32,
    add_u64,
    max_s64,
};

struct Statement;
using Statements = std::vector<Statement>;

struct Statement {
    enum class Kind : std::uint8_t {
        operation,   ///< results[0] = operation(sources)
        parameter,   ///< results[0] = kernel parameter `index` (a function's: its argument)
        address_of,  ///< results[0] = address of `symbol`, a space's own or (generic) any
        load,        ///< results = [address + offset], an element each
        store,       ///< [address + offset] = sources
        reduction,   ///< red, or atom with results[0] where the statement has one
        collective,  ///< over the warp's active lanes; `sources` end with the member mask
        barrier,
        branch,      ///< if (sources[0]) bodies[0] else bodies[1]
        loop,        ///< for (results[0] = 0; results[0] < sources[0]; ++) bodies[0]
        leave_loop,  ///< break of the loop `index` levels out
        next_turn,   ///< continue
        choose,      ///< brx.idx: bodies[sources[0]]
        irregular,   ///< bodies are nodes of any graph, see `edges`
        leave,       ///< exit, of a function: ret
        call,        ///< results[0] = functions[index](sources)
    };
    Kind kind = Kind::operation;
    std::vector<RegisterId> results;
    std::vector<Operand> sources;
    std::optional<Guard> guard;
    const Operation* operation = nullptr;
    unsigned index = 0;

    // Memory.
    Space space = Space::global;
    Symbol symbol = Symbol::shared;
    RegisterId address = 0;
    std::int64_t offset = 0;
    unsigned element_bytes = 4;
    bool sign_extends = false;
    Reduction reduction = Reduction::add_u32;
    Collective collective = Collective::sync_warp;
    std::string modifier;  ///< ".nc", ".volatile", ...
    unsigned site = 0;     ///< of memory statements; see Kernel::sites

    // Control.
    std::vector<Statements> bodies;
    bool tests_first = true;    ///< of loops: while, else do-while (whose count is never 0)
    bool whole_thread = false;  ///< leave: `exit` even in a function
    /// Of an irregular graph: node n goes on to edges[n], chosen by its last register's value
    /// modulo their number; bodies.size() stands for the way out. `results` are the fuel, which
    /// ends what would go on for ever, and each node's chooser.
    std::vector<std::vector<unsigned>> edges;
};

struct Function {
    std::vector<Type> registers;
    Statements body;
    unsigned parameters = 0;           ///< of a called one: b32 each
    std::optional<RegisterId> result;  ///< of a called one, b32
};

struct Dimensions {
    std::uint32_t x = 1, y = 1, z = 1;
    [[nodiscard]] std::uint32_t count() const { return x * y * z; }
};

/// Layout of the memory that every kernel gets.
inline constexpr std::uint64_t kInputBytes = 16384, kInputMargin = 256;
inline constexpr std::uint64_t kLocalBytes = 64, kConstantBytes = 256;
inline constexpr std::uint64_t kTotalsBytes = 8192;
enum class Parameter : unsigned { input, output, totals, word, wide, real };
inline constexpr unsigned kParameters = 6;

struct Kernel {
    std::uint64_t seed = 0;
    std::string name;
    Dimensions block;
    std::uint32_t blocks = 1;
    Function entry;
    std::vector<Function> functions;
    std::uint64_t shared_bytes = 0, output_bytes = 0;
    std::array<std::uint8_t, kConstantBytes> constants{};
    std::uint32_t word = 0;
    std::uint64_t wide = 0;
    float real = 0;
    unsigned sites = 0;
    /// Which lanes meet in irregular graphs is the engine's to choose: requests there are its own.
    std::vector<char> site_is_irregular;
    bool has_irregular = false;
};

}  // namespace wideload::fuzz
