// SPDX-License-Identifier: Apache-2.0
#include "gpu/fault_report.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "gpu/waiting_callee.h"
#include "profile/demangle.h"
#include "profile/place.h"

namespace wideload::gpu {
namespace {

using jit::WarpFault;

/// "thread (33,0,0) of block (2,0,0)"
std::string name_thread(const Grid& grid, const jit::FaultReport& report) {
    const Dim3& block = grid.configuration.block;
    const std::uint32_t thread =
        report.warp * jit::kLanes +
        static_cast<std::uint32_t>(std::countr_zero(report.lanes | 1u << 31));
    return fmt::format("thread ({},{},{}) of block ({},{},{})", thread % block[0],
                       thread / block[0] % block[1], thread / block[0] / block[1],
                       grid.fault_block[0], grid.fault_block[1], grid.fault_block[2]);
}

std::string name_lanes(std::uint32_t lanes) {
    const int count = std::popcount(lanes);
    return count == 1
               ? std::string{}
               : fmt::format(" and {} more lane{} of its warp", count - 1, count == 2 ? "" : "s");
}

const ptx::Instruction* instruction_of(const Kernel& kernel, const jit::CompiledKernel& compiled,
                                       const jit::FaultReport& report) {
    if (report.row < compiled.tables.sites.size()) {
        return compiled.tables.sites[report.row].instruction;
    }
    const auto find_in = [&](const ptx::Function& function) -> const ptx::Instruction* {
        const auto found =
            std::ranges::find(function.body, report.ptx_line, &ptx::Instruction::ptx_line);
        return found == function.body.end() ? nullptr : &*found;
    };
    if (const ptx::Instruction* own = find_in(*kernel.function)) return own;
    for (const jit::BlockInfo& block : compiled.tables.blocks) {
        if (const ptx::Instruction* called = find_in(*block.function)) return called;
    }
    return nullptr;
}

/// Farther from an allocation than this, an address has nothing to do with it.
constexpr std::int64_t kFarBytes = std::int64_t{64} << 20;
/// Indices added to a null pointer end here.
constexpr std::uint64_t kNullBytes = std::uint64_t{1} << 20;

bool is_mapped(std::uint64_t address) {
    const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    unsigned char resident = 0;
    return ::mincore(reinterpret_cast<void*>(address / page_bytes * page_bytes), 1, &resident) == 0;
}

std::string describe_far_place(const Grid& grid, std::uint64_t address) {
    if (address < kNullBytes) return "the pointer is null: was its cudaMalloc checked?";
    const bool of_engine =
        grid.memory.in_arena(address - static_cast<std::uint64_t>(grid.memory.displacement()));
    if (!grid.memory.in_arena(address) && !of_engine && is_mapped(address)) {
        return "this is memory of the host: copy it with cudaMemcpy, or allocate it with "
               "cudaMallocManaged or cudaMallocHost";
    }
    return "no allocation is near it";
}

std::string count_of_bytes(std::uint64_t bytes) {
    return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

std::string describe_place(const Grid& grid, std::uint64_t address, ptx::Space space) {
    switch (space) {
        case ptx::Space::shared:
            return fmt::format("the block has {} of shared memory",
                               count_of_bytes(grid.shared_bytes));
        case ptx::Space::local:
            return fmt::format("each thread has {} of local memory",
                               count_of_bytes(grid.local_bytes()));
        case ptx::Space::param:
            return fmt::format("there are {} of parameters",
                               count_of_bytes(grid.fault.space_bytes));
        default:
            break;
    }
    const auto neighbour = grid.memory.nearest(address);
    if (!neighbour) return "nothing is allocated";
    const std::uint64_t end = neighbour->allocation.begin + neighbour->allocation.bytes;
    if (neighbour->distance == 0 && !neighbour->allocation.freed &&
        address + grid.fault.bytes > end) {
        return fmt::format("it begins inside {} and goes {} beyond",
                           describe(neighbour->allocation),
                           count_of_bytes(address + grid.fault.bytes - end));
    }
    const bool far = std::abs(neighbour->distance) > kFarBytes;
    return far ? describe_far_place(grid, address) : "it lies " + describe(*neighbour);
}

/// What an access does, and in which space.
struct AccessWords {
    std::string_view verb = "read";
    ptx::Space space = ptx::Space::global;
};

/// Asynchronous copies have a site for each place that they reach.
AccessWords words_of_copy(profile::SiteKind kind) {
    switch (kind) {
        case profile::SiteKind::shared_st:
            return {"write", ptx::Space::shared};
        case profile::SiteKind::shared_ld:
            return {"read", ptx::Space::shared};
        case profile::SiteKind::shared_atom:
            return {"mbarrier operation", ptx::Space::shared};
        case profile::SiteKind::bulk_st:
        case profile::SiteKind::bulk_red:
            return {"write", ptx::Space::global};
        default:
            return {"read", ptx::Space::global};
    }
}

AccessWords words_of(const ptx::Instruction& instruction, const Grid& grid) {
    switch (instruction.opcode) {
        case ptx::Opcode::cp:
            if (grid.fault.row < grid.kernel.tables.sites.size()) {
                return words_of_copy(grid.kernel.tables.sites[grid.fault.row].kind);
            }
            return {"mbarrier operation", ptx::Space::shared};
        case ptx::Opcode::mbarrier:
            return {"mbarrier operation", ptx::Space::shared};
        case ptx::Opcode::atom:
            return {"atomic", instruction.space};
        case ptx::Opcode::st:
        case ptx::Opcode::red:
            return {"write", instruction.space};
        default:
            return {"read", instruction.space};
    }
}

/// " of shared memory": what an address counts from where it is not one of global memory.
std::string_view name_origin(ptx::Space space) {
    switch (space) {
        case ptx::Space::shared:
            return " of shared memory";
        case ptx::Space::local:
            return " of local memory";
        case ptx::Space::param:
            return " of the parameters";
        default:
            return "";
    }
}

void describe_address_fault(const Kernel& kernel, const Grid& grid, const ptx::Instruction* at,
                            Diagnostic& diagnostic, bool misaligned) {
    const jit::FaultReport& report = grid.fault;
    AccessWords access = at == nullptr ? AccessWords{} : words_of(*at, grid);
    if (report.space != ptx::Space::generic) access.space = report.space;
    const std::string who = name_thread(grid, report) + name_lanes(report.lanes);
    diagnostic.message = fmt::format("{} {} of {} at 0x{:x}{} in kernel '{}' by {}",
                                     misaligned ? "misaligned" : "illegal", access.verb,
                                     count_of_bytes(report.bytes), report.address,
                                     name_origin(access.space), kernel.title, who);
    if (misaligned) {
        diagnostic.hint = fmt::format(
            "the address must be a multiple of {} and is {} past one; use narrower accesses, or "
            "align the pointer",
            report.bytes, report.address % report.bytes);
    } else {
        diagnostic.hint = describe_place(grid, report.address, access.space);
    }
}

/// A call too deep reaches beyond local memory, as a wrong index does; only functions that call
/// themselves can.
bool is_stack_overflow(const Grid& grid) {
    return grid.kernel.recursive && grid.fault.space == ptx::Space::local &&
           grid.fault.fault == WarpFault::illegal_address &&
           static_cast<std::int64_t>(grid.fault.address) >= 0;
}

void describe_bad_free(const Kernel& kernel, const Grid& grid, Diagnostic& diagnostic) {
    const std::uint64_t address = grid.fault.address;
    const auto neighbour = grid.memory.nearest(address);
    const bool twice = neighbour && neighbour->allocation.freed &&
                       neighbour->allocation.kind == AllocationKind::heap &&
                       neighbour->allocation.begin == address;
    diagnostic.message = fmt::format("kernel '{}' freed 0x{:x}{}, in {}", kernel.title, address,
                                     twice ? " twice" : ", which no malloc of a kernel returned",
                                     name_thread(grid, grid.fault));
    diagnostic.hint = describe_place(grid, address, ptx::Space::global);
    if (neighbour && neighbour->allocation.kind == AllocationKind::device) {
        diagnostic.hint += "; free memory of cudaMalloc on the host, with cudaFree";
    }
}

void describe_fault(const Kernel& kernel, const Grid& grid, LaunchOutcome& outcome) {
    const jit::FaultReport& report = grid.fault;
    Diagnostic& diagnostic = outcome.diagnostic;
    const ptx::Instruction* at = instruction_of(kernel, grid.kernel, report);
    if (at != nullptr) {
        locate(kernel, kernel.module->source_frames.of(*at), at->ptx_line, diagnostic);
        diagnostic.source_line = at->mnemonic;
    }
    const std::string who = name_thread(grid, report);
    switch (report.fault) {
        case WarpFault::illegal_address:
            if (is_stack_overflow(grid)) {
                outcome.fault = Fault::stack_overflow;
                diagnostic.message =
                    fmt::format("kernel '{}' ran out of local memory in {}", kernel.title, who);
                diagnostic.hint =
                    fmt::format("{}; cudaDeviceSetLimit(cudaLimitStackSize, bytes) gives it more",
                                describe_place(grid, report.address, ptx::Space::local));
                break;
            }
            outcome.fault = Fault::illegal_address;
            describe_address_fault(kernel, grid, at, diagnostic, false);
            break;
        case WarpFault::misaligned_address:
            outcome.fault = Fault::misaligned_address;
            describe_address_fault(kernel, grid, at, diagnostic, true);
            break;
        case WarpFault::bad_free:
            outcome.fault = Fault::illegal_address;
            describe_bad_free(kernel, grid, diagnostic);
            break;
        case WarpFault::assertion:
            outcome.fault = Fault::assertion;
            diagnostic.message =
                fmt::format("assertion `{}` failed in kernel '{}' in {}{}", report.complaint,
                            kernel.title, who, name_lanes(report.lanes));
            break;
        case WarpFault::trap:
            outcome.fault = Fault::trap;
            diagnostic.message = fmt::format("kernel '{}' executed trap in {}", kernel.title, who);
            break;
        case WarpFault::bad_function_pointer:
            outcome.fault = Fault::bad_function_pointer;
            diagnostic.message =
                fmt::format("kernel '{}' called 0x{:x}, which is no function, in {}", kernel.title,
                            report.address, who);
            diagnostic.hint =
                "the address of a __device__ function is known to device code alone: take it "
                "there, or copy it from a __device__ variable";
            break;
        case WarpFault::bad_operand:
            outcome.fault = Fault::bad_operand;
            diagnostic.message =
                fmt::format("kernel '{}' {}, in {}", kernel.title, report.complaint, who);
            break;
    }
}

std::string hint_of_timeout(const Kernel& kernel) {
    const ptx::Function* callee = find_waiting_callee(kernel);
    if (callee == nullptr) {
        return "what it counted until then is in the report; allow more with --kernel-timeout";
    }
    return fmt::format(
        "it calls '{}', which has a loop that waits, and calls itself or is too large to be "
        "inlined: threads of one warp cannot wait there for one that has returned; make the loop a "
        "function of its own, or allow more with --kernel-timeout",
        profile::demangle_briefly(callee->name));
}

}  // namespace

void locate(const Kernel& kernel, const profile::Frames& frames, std::uint32_t ptx_line,
            Diagnostic& diagnostic) {
    if (const profile::Frame* frame = profile::own_frame(*frames)) {
        diagnostic.where = frame->where;
        diagnostic.where.column = 0;
    } else {
        diagnostic.where = {kernel.module->ptx.name, ptx_line, 0};
    }
}

std::string_view name(Fault fault) {
    switch (fault) {
        case Fault::none:
            return "none";
        case Fault::invalid_configuration:
            return "invalid_configuration";
        case Fault::out_of_resources:
            return "out_of_resources";
        case Fault::illegal_address:
            return "illegal_address";
        case Fault::misaligned_address:
            return "misaligned_address";
        case Fault::unsupported:
            return "unsupported";
        case Fault::bad_operand:
            return "bad_operand";
        case Fault::bad_function_pointer:
            return "bad_function_pointer";
        case Fault::assertion:
            return "assertion";
        case Fault::trap:
            return "trap";
        case Fault::stack_overflow:
            return "stack_overflow";
        case Fault::timeout:
            return "timeout";
        case Fault::interrupted:
            return "interrupted";
        case Fault::internal:
            return "internal";
    }
    return "internal";
}

void describe_end(const Kernel& kernel, const Grid& grid, double timeout_s,
                  LaunchOutcome& outcome) {
    switch (grid.stop.load()) {
        case Stop::none:
            return;
        case Stop::fault:
            describe_fault(kernel, grid, outcome);
            return;
        case Stop::timeout:
            outcome.fault = Fault::timeout;
            outcome.diagnostic =
                failure(fmt::format("kernel '{}' ran longer than {} s and was ended", kernel.title,
                                    timeout_s),
                        hint_of_timeout(kernel));
            return;
        case Stop::interrupted:
            outcome.fault = Fault::interrupted;
            outcome.diagnostic = failure(fmt::format("kernel '{}' was interrupted", kernel.title),
                                         "what it counted until then is in the report");
            return;
        case Stop::deadlock:
            outcome.fault = Fault::timeout;
            outcome.diagnostic = failure(
                fmt::format("kernel '{}' would never end: every warp of a block waits at a barrier",
                            kernel.title),
                "each thread of the block must reach the same barriers; a GPU would hang here");
            return;
        case Stop::no_memory:
            outcome.fault = Fault::out_of_resources;
            outcome.diagnostic = failure(fmt::format(
                "this machine has no memory left for the blocks of kernel '{}'", kernel.title));
            return;
    }
}

}  // namespace wideload::gpu
