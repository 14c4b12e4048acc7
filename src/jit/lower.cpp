// SPDX-License-Identifier: Apache-2.0
#include "jit/lower.h"

#include <fmt/format.h>

#include "jit/emitter.h"

namespace wideload::jit {
namespace {

using ptx::Category;
using ptx::Instruction;
using ptx::Opcode;

/// Arithmetic opcodes serve several types, and each type's family knows its own.
Lowering arithmetic_family(const Instruction& instruction) {
    switch (ptx::category(instruction)) {
        case Category::half:
            return lower_half;
        case Category::float32:
        case Category::float64:
            return instruction.approx || instruction.full ? lower_approximation : lower_floating;
        default:
            return lower_integer;
    }
}

Lowering special_function_family(const Instruction& instruction) {
    if (ptx::is_float(instruction.type()) && ptx::bit_width(instruction.type()) < 32) {
        return lower_half;
    }
    if (ptx::is_packed(instruction.type())) return lower_half;
    // sqrt.rn and rcp.rn are exact, all else approximates.
    return instruction.rounding != ptx::Rounding::none ? lower_floating : lower_approximation;
}

Lowering family(const Instruction& instruction) {
    switch (instruction.opcode) {
        case Opcode::add:
        case Opcode::sub:
        case Opcode::mul:
        case Opcode::mad:
        case Opcode::fma:
        case Opcode::div:
        case Opcode::rem:
        case Opcode::abs:
        case Opcode::neg:
        case Opcode::min:
        case Opcode::max:
        case Opcode::copysign:
            return arithmetic_family(instruction);
        case Opcode::addc:
        case Opcode::subc:
        case Opcode::madc:
        case Opcode::mul24:
        case Opcode::mad24:
        case Opcode::sad:
        case Opcode::dp4a:
        case Opcode::dp2a:
            return lower_integer;
        case Opcode::rcp:
        case Opcode::sqrt:
        case Opcode::rsqrt:
        case Opcode::sin:
        case Opcode::cos:
        case Opcode::lg2:
        case Opcode::ex2:
        case Opcode::tanh:
            return special_function_family(instruction);
        case Opcode::and_:
        case Opcode::or_:
        case Opcode::xor_:
        case Opcode::not_:
        case Opcode::cnot:
        case Opcode::lop3:
        case Opcode::shf:
        case Opcode::shl:
        case Opcode::shr:
        case Opcode::prmt:
        case Opcode::bfe:
        case Opcode::bfi:
        case Opcode::bfind:
        case Opcode::clz:
        case Opcode::popc:
        case Opcode::brev:
        case Opcode::fns:
        case Opcode::bmsk:
        case Opcode::szext:
            return lower_bits;
        case Opcode::set:
        case Opcode::setp:
        case Opcode::selp:
        case Opcode::slct:
        case Opcode::testp:
            return lower_compare;
        case Opcode::mov:
        case Opcode::cvta:
        case Opcode::isspacep:
            return lower_move;
        case Opcode::cvt:
            return lower_conversion;
        case Opcode::vadd:
        case Opcode::vsub:
        case Opcode::vabsdiff:
        case Opcode::vmin:
        case Opcode::vmax:
        case Opcode::vshl:
        case Opcode::vshr:
        case Opcode::vmad:
        case Opcode::vset:
        case Opcode::vadd2:
        case Opcode::vsub2:
        case Opcode::vavrg2:
        case Opcode::vabsdiff2:
        case Opcode::vmin2:
        case Opcode::vmax2:
        case Opcode::vset2:
        case Opcode::vadd4:
        case Opcode::vsub4:
        case Opcode::vavrg4:
        case Opcode::vabsdiff4:
        case Opcode::vmin4:
        case Opcode::vmax4:
        case Opcode::vset4:
            return lower_video;
        case Opcode::shfl:
        case Opcode::vote:
        case Opcode::match:
        case Opcode::redux:
        case Opcode::activemask:
        case Opcode::elect:
            return lower_warp;
        case Opcode::ld:
        case Opcode::ldu:
            return lower_load;
        case Opcode::st:
            return lower_store;
        case Opcode::atom:
        case Opcode::red:
            return lower_atomic;
        case Opcode::cp:
            if (instruction.in_form("mbarrier")) return lower_copy_arrival;
            return instruction.in_form("bulk") ? lower_bulk_copy : lower_async_copy;
        case Opcode::mbarrier:
            return lower_mbarrier;
        case Opcode::mapa:
        case Opcode::getctarank:
            return lower_cluster_address;
        case Opcode::createpolicy:
            return lower_cache_policy;
        case Opcode::bar:
        case Opcode::barrier:
        case Opcode::membar:
        case Opcode::fence:
        case Opcode::nanosleep:
            return lower_synchronization;
        case Opcode::prefetch:
        case Opcode::prefetchu:
        case Opcode::applypriority:
        case Opcode::discard:
        case Opcode::pmevent:
        case Opcode::griddepcontrol:
        case Opcode::setmaxnreg:
            return lower_nothing;
        case Opcode::call:
            return lower_call;
        default:
            return nullptr;
    }
}

bool is_control_flow(Opcode opcode) {
    return opcode == Opcode::bra || opcode == Opcode::brx || opcode == Opcode::ret ||
           opcode == Opcode::exit || opcode == Opcode::trap;
}

bool is_asynchronous(const Instruction& instruction) {
    return instruction.form.find("async") != std::string::npos ||
           instruction.form.find("bulk") != std::string::npos;
}

}  // namespace

std::optional<std::string> why_unsupported(const Instruction& instruction) {
    const std::string name(ptx::name(instruction.opcode));
    if (is_control_flow(instruction.opcode)) return std::nullopt;
    switch (ptx::category(instruction)) {
        case Category::matrix:
            return fmt::format("'{}' needs tensor cores, which the virtual GPU does not have",
                               name);
        case Category::texture:
            return fmt::format("'{}' needs texture units, which the virtual GPU does not have",
                               name);
        default:
            break;
    }
    if (family(instruction) == nullptr) {
        return fmt::format("the virtual GPU does not execute '{}'", name);
    }
    if (instruction.opcode == Opcode::cp && instruction.in_form("bulk")) {
        return why_bulk_copy_unsupported(instruction);
    }
    if (instruction.opcode == Opcode::prefetch && instruction.in_form("tensormap")) {
        return "the virtual GPU does not execute bulk copies of tensors, nor prefetches their maps";
    }
    if (instruction.opcode == Opcode::cvt) return why_conversion_unsupported(instruction);
    if ((instruction.opcode == Opcode::st || instruction.opcode == Opcode::red) &&
        is_asynchronous(instruction)) {
        return fmt::format("the virtual GPU does not execute the asynchronous form of '{}'", name);
    }
    if (instruction.opcode == Opcode::barrier &&
        instruction.form.find("cluster") != std::string::npos) {
        return "the virtual GPU does not run clusters of blocks";
    }
    return std::nullopt;
}

void lower(Emitter& emitter, const Instruction& instruction) {
    const Lowering lowering = family(instruction);
    if (lowering == nullptr) {
        emitter.refuse(
            fmt::format("'{}' is not supported by the virtual GPU", instruction.mnemonic));
        return;
    }
    lowering(emitter, instruction);
}

}  // namespace wideload::jit
