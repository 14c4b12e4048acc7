// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ptx/opcode.h"
#include "ptx/types.h"

namespace wideload::ptx {

using RegisterId = std::uint32_t;  ///< index into Function::registers
using LabelId = std::uint32_t;     ///< index into Function::labels
using LocationId = std::uint32_t;  ///< index into Module::locations
inline constexpr LocationId kNoLocation = ~0u;

/// Special registers (PTX ISA, "Special Registers"). Three-dimensional ones are one name per
/// dimension.
// clang-format off
enum class SpecialRegister : std::uint8_t {
    tid_x, tid_y, tid_z, ntid_x, ntid_y, ntid_z, ctaid_x, ctaid_y, ctaid_z,
    nctaid_x, nctaid_y, nctaid_z, laneid, warpid, nwarpid, smid, nsmid, gridid,
    lanemask_eq, lanemask_le, lanemask_lt, lanemask_ge, lanemask_gt,
    clock, clock_hi, clock64, globaltimer, globaltimer_lo, globaltimer_hi,
    dynamic_smem_size, total_smem_size, aggr_smem_size,
    clusterid_x, clusterid_y, clusterid_z, nclusterid_x, nclusterid_y, nclusterid_z,
    cluster_ctaid_x, cluster_ctaid_y, cluster_ctaid_z,
    cluster_nctaid_x, cluster_nctaid_y, cluster_nctaid_z, cluster_ctarank, cluster_nctarank,
    is_explicit_cluster, pm0, pm1, pm2, pm3, pm4, pm5, pm6, pm7,
    envreg,  // its number is in Operand::bits
    current_graph_exec,
    reserved_smem_offset_begin, reserved_smem_offset_end, reserved_smem_offset_cap,
    pm0_64, pm1_64, pm2_64, pm3_64, pm4_64, pm5_64, pm6_64, pm7_64,
    reserved_smem_offset_0, reserved_smem_offset_1,
};
// clang-format on

/// What an operand of an instruction is.
struct Operand {
    enum class Kind : std::uint8_t {
        reg,        ///< `reg`; a negated predicate source sets `negated`
        immediate,  ///< `bits`: integer two's complement, or the IEEE pattern of the instruction's
                    ///< type
        special,    ///< `special`
        symbol,     ///< address of a variable or function: `symbol` + `offset`
        address,    ///< [reg + offset], [symbol + offset] or [offset]
        vector,     ///< {elements}; a sink `_` is an element of kind none
        label,      ///< `label`
        none,       ///< the sink `_`
    };
    Kind kind = Kind::none;
    bool negated = false;            ///< !p
    bool has_base_register = false;  ///< address: `reg` is the base
    bool is_pair = false;            ///< vector: written `d|p`, not {d, p}
    bool is_float_literal =
        false;  ///< immediate: written as 0f/0d/decimal floating point; `bits` is then binary64 (a
                ///< NaN of 0f is widened bit by bit, so that its payload survives)
    RegisterId reg = 0;
    LabelId label = 0;
    SpecialRegister special = SpecialRegister::tid_x;
    std::uint64_t bits = 0;
    std::int64_t offset = 0;
    std::string symbol;             ///< empty where no symbol is named
    std::vector<Operand> elements;  ///< of a vector; also {p, q} of `p|q`
    std::string selector;  ///< of a video instruction's register: "b0", "h1", "h10", "b7654"
};

[[nodiscard]] inline Operand register_operand(RegisterId id) {
    Operand operand;
    operand.kind = Operand::Kind::reg;
    operand.reg = id;
    return operand;
}

/// Guard `@p` or `@!p`.
struct Guard {
    RegisterId predicate;
    bool negated;
};

enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rna, rs, rni, rzi, rmi, rpi };
enum class Comparison : std::uint8_t {
    none,
    eq,
    ne,
    lt,
    le,
    gt,
    ge,
    lo,
    ls,
    hi,
    hs,
    equ,
    neu,
    ltu,
    leu,
    gtu,
    geu,
    num,
    nan,
};
enum class BoolOp : std::uint8_t { none, and_, or_, xor_, popc };
/// Which half of a product, or how a product widens.
enum class MulMode : std::uint8_t { none, lo, hi, wide };
enum class ShiftMode : std::uint8_t {
    none,
    left,
    right,
    clamp_left,
    wrap_left,
    clamp_right,
    wrap_right
};
/// The operation of atom, red, redux, and of bar.red.
enum class AtomOp : std::uint8_t {
    none,
    add,
    inc,
    dec,
    min,
    max,
    and_,
    or_,
    xor_,
    exch,
    cas,
    popc
};
enum class ShuffleMode : std::uint8_t { none, up, down, bfly, idx };
enum class VoteMode : std::uint8_t { none, all, any, uni, ballot };
enum class PrmtMode : std::uint8_t { none, f4e, b4e, rc8, ecl, ecr, rc16 };
enum class Semantics : std::uint8_t {
    none,
    weak,
    relaxed,
    acquire,
    release,
    acq_rel,
    sc,
    volatile_,
    mmio
};
enum class Scope : std::uint8_t { none, cta, cluster, gpu, sys };
enum class CacheOp : std::uint8_t { none, ca, cg, cs, lu, cv, wb, wt };

/// One PTX instruction. Operands stand in PTX's order: destinations first.
/// Modifiers that carry meaning for execution have a field of their own; the full list, as written,
/// stays in `text`.
struct Instruction {
    Opcode opcode = Opcode::mov;
    std::optional<Guard> guard;
    /// The type modifiers in the order written: `cvt.rn.f32.s32` has {f32, s32}; `set.lt.u32.f32`
    /// {u32, f32}.
    std::array<Type, 4> types{};
    Space space = Space::generic;
    Space to_space = Space::generic;  ///< second space: `cp.async.cg.shared.global`, cvta's target
    std::uint8_t vector_width = 1;    ///< 1, 2, 4, 8: of ld, st, atom
    bool ftz = false, sat = false, approx = false, full = false, relu = false;
    bool to = false;       ///< cvta.to
    bool uni = false;      ///< bra.uni, call.uni
    bool sync = false;     ///< shfl.sync and the like
    bool aligned = false;  ///< barrier.sync.aligned; always true for bar
    bool noftz = false;
    bool read_only = false;  ///< ld.global.nc
    bool carry_out = false;  ///< .cc
    /// min/max modifiers; `absolute` is .abs, with or without .xorsign
    bool xorsign_abs = false, absolute = false, nan_propagating = false;
    bool shiftamt = false;  ///< bfind.shiftamt
    bool unified = false;
    bool satfinite = false;  ///< cvt.satfinite
    bool added = false;      ///< by the engine: it stands in no PTX text, and is in no count
    Rounding rounding = Rounding::none;
    Comparison comparison = Comparison::none;
    BoolOp bool_op = BoolOp::none;
    MulMode mul_mode = MulMode::none;
    ShiftMode shift_mode = ShiftMode::none;
    AtomOp atom_op = AtomOp::none;
    ShuffleMode shuffle_mode = ShuffleMode::none;
    VoteMode vote_mode = VoteMode::none;
    PrmtMode prmt_mode = PrmtMode::none;
    Semantics semantics = Semantics::none;
    Scope scope = Scope::none;
    CacheOp cache_op = CacheOp::none;
    /// Secondary opcode words that select a form: "sync", "arrive", "red" of bar and barrier;
    /// "commit_group", "wait_group", "wait_all", "" of cp.async; "bulk.bulk_group",
    /// "bulk.shared::cluster.mbarrier::complete_tx::bytes" of cp.async.bulk; "init", "arrive",
    /// "try_wait.parity"... of mbarrier; "any", "all" of match; "wrap", "clamp" of bmsk and shf;
    /// "b32"-less words that no field above holds, joined by dots. `form` of bar.sync is "sync"
    /// (and `sync` is set), of bar.warp.sync "warp.sync", of barrier.cluster.arrive
    /// "cluster.arrive"; `.cta` of bar and
    /// `.async` of cp are dropped; shf's ".l.wrap" is in `shift_mode` and here "wrap". testp keeps
    /// "finite"..., prefetch "L1"/"L2", `shared::cluster` accesses "shared::cluster", cvt.pack
    /// "pack". Cache hints (L1::no_allocate, L2::128B, L2::cache_hint) are dropped; `mnemonic` has
    /// them.
    std::string form;
    /// In PTX's order. A call has always {returned...}, callee (symbol or register), {arguments...}
    /// as vectors of symbols, registers or immediates, then, of an indirect call, a symbol: its
    /// .callprototype or .calltargets. brx.idx has the index and a symbol: the key of
    /// Function::branch_targets. `d|p` is a vector {d, p} of `is_pair`. `mov.v4.u32 d, %tid` has a
    /// vector of the four scalar special registers as its source.
    std::vector<Operand> operands;
    LocationId location = kNoLocation;
    std::uint32_t ptx_line = 0;  ///< line in the PTX text, 1-based
    std::uint32_t ptx_column = 0;
    std::string mnemonic;  ///< as written: "ld.global.nc.v4.f32"

    [[nodiscard]] Type type() const { return types[0]; }
    /// Whether the word is one of `form`.
    [[nodiscard]] bool in_form(std::string_view word) const {
        return ("." + form + ".").find("." + std::string(word) + ".") != std::string::npos;
    }
};

}  // namespace wideload::ptx
