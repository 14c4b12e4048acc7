// SPDX-License-Identifier: Apache-2.0
// Loads and stores that machine code does not do inline: checked, counted, then moved lane by lane.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "counters/count.h"
#include "jit/access.h"
#include "jit/runtime/helpers.h"
#include "jit/runtime/lane_memory.h"
#include "jit/runtime/lane_moves.h"

namespace wideload::jit {
namespace {

using counters::SiteRow;

/// One request on its way: what every step needs.
struct Request {
    BlockContext& block;
    std::uint32_t warp;
    std::uint32_t row;
    AccessCode code;
    const std::uint64_t* addresses;

    [[nodiscard]] SiteRow& counters(GenericRow space = GenericRow::global) const {
        return block.sites[row + static_cast<std::uint32_t>(space)];
    }
    [[nodiscard]] std::uint64_t order() const { return order_of(block, warp); }
};

[[noreturn]] void fail(const Request& request, WarpFault fault, std::uint32_t lanes) {
    FaultReport report;
    report.fault = fault;
    report.row = request.row;
    report.warp = request.warp;
    report.lanes = lanes;
    report.address = request.addresses[std::countr_zero(lanes)];
    report.bytes = request.code.lane_bytes();
    report.space = request.code.space();
    if (report.space == ptx::Space::param) report.space_bytes = request.block.parameter_bytes;
    fail_warp(request.block, std::move(report));
}

void check_alignment(const Request& request, std::uint32_t mask) {
    const std::uint64_t low = request.code.lane_bytes() - 1;
    std::uint64_t joined = 0;
    for_each_lane(mask, [&](unsigned lane) { joined |= request.addresses[lane]; });
    if ((joined & low) == 0) return;
    std::uint32_t misaligned = 0;
    for_each_lane(mask, [&](unsigned lane) {
        if ((request.addresses[lane] & low) != 0) misaligned |= 1u << lane;
    });
    fail(request, WarpFault::misaligned_address, misaligned);
}

/// Distance from each lane's address to the host's byte behind it, or one that all share.
struct Displacements {
    std::uint64_t common = 0;
    bool uniform = true;
    std::array<std::uint64_t, kLanes> lanes;  // written only where they differ
};

void touch(counters::TouchedSectors& touched, const Request& request, std::uint32_t mask,
           bool is_store) {
    // Constants have a cache of their own.
    if (request.code.space() == ptx::Space::constant) return;
    for_each_lane(
        mask, [&](unsigned lane) { touched.touch(request.addresses[lane], !is_store, is_store); });
}

void find_allocations(const Request& request, std::uint32_t mask, bool is_store,
                      Displacements& result) {
    Host& host = host_of(request.block);
    const std::uint64_t bytes = request.code.lane_bytes();
    std::uint32_t illegal = 0;
    LegalRange range;
    bool found = false;
    for_each_lane(mask, [&](unsigned lane) {
        const std::uint64_t address = request.addresses[lane];
        if (!found || address - range.begin >= range.bytes) found = host.find(address, range);
        if (!found || address - range.begin + bytes > range.bytes) {
            illegal |= 1u << lane;
            return;
        }
        const auto displacement = static_cast<std::uint64_t>(range.displacement);
        if (lane == static_cast<unsigned>(std::countr_zero(mask))) result.common = displacement;
        result.lanes[lane] = displacement;
        result.uniform &= displacement == result.common;
    });
    if (illegal != 0) fail(request, WarpFault::illegal_address, illegal);
    if (counters::TouchedSectors* touched = host.touched_sectors(); touched != nullptr) {
        touch(*touched, request, mask, is_store);
    } else {
        cache(range, request.counters());
    }
}

template <bool kStore>
void move_elements(const Request& request, std::uint32_t mask, std::uint64_t displacement,
                   void* buffer) {
    const LaneMoves& moves = lane_moves();
    const auto log2 = static_cast<unsigned>(std::countr_zero(request.code.element_bytes()));
    (kStore ? moves.store : moves.load)[log2](request.addresses, mask, displacement,
                                              request.code.width(), buffer);
}

template <bool kStore>
void move_elements(const Request& request, std::uint32_t mask, const Displacements& displacements,
                   void* buffer) {
    if (displacements.uniform) {
        return move_elements<kStore>(request, mask, displacements.common, buffer);
    }
    for_each_lane(mask, [&](unsigned lane) {
        move_elements<kStore>(request, 1u << lane, displacements.lanes[lane], buffer);
    });
}

void count_global(const Request& request, std::uint32_t mask) {
    if (request.block.counting == 0) return;
    counters::count_global(request.counters(), request.addresses, mask, request.code.lane_bytes(),
                           request.order());
}

/// Whether every active lane is aligned and lies in the allocation of the site's last request.
bool lies_in_cached(const Request& request, std::uint32_t mask) {
    const SiteRow& row = request.counters();
    const std::uint64_t bytes = request.code.lane_bytes();
    return row.legal_bytes >= bytes &&
           lane_moves().all_legal(request.addresses, mask, row.legal_begin, row.legal_bytes - bytes,
                                  bytes - 1);
}

template <bool kStore>
void access_global(const Request& request, std::uint32_t mask, void* buffer) {
    Displacements displacements;
    displacements.common = request.counters().legal_displacement;
    if (!lies_in_cached(request, mask)) {
        check_alignment(request, mask);
        find_allocations(request, mask, kStore, displacements);
    }
    count_global(request, mask);
    move_elements<kStore>(request, mask, displacements, buffer);
}

/// Fails unless every active lane is aligned and lies in a space of so many bytes.
void require_within(const Request& request, std::uint32_t mask, std::uint64_t space) {
    const std::uint64_t bytes = request.code.lane_bytes();
    if (space >= bytes &&
        lane_moves().all_legal(request.addresses, mask, 0, space - bytes, bytes - 1)) {
        return;
    }
    check_alignment(request, mask);
    std::uint32_t illegal = 0;
    for_each_lane(mask, [&](unsigned lane) {
        const std::uint64_t offset = request.addresses[lane];
        if (offset >= space || space - offset < bytes) illegal |= 1u << lane;
    });
    fail(request, WarpFault::illegal_address, illegal);
}

template <bool kStore>
void access_shared(const Request& request, std::uint32_t mask, void* buffer,
                   GenericRow row = GenericRow::global) {
    require_within(request, mask, request.block.shared_bytes);
    request.counters(row).legal_bytes = request.block.shared_bytes;
    if (request.block.counting != 0) {
        counters::count_shared(request.counters(row), request.addresses, mask,
                               request.code.lane_bytes(), request.order(), kStore);
    }
    move_elements<kStore>(request, mask, reinterpret_cast<std::uint64_t>(request.block.shared),
                          buffer);
}

/// Elements of 4 bytes, which local memory interleaves by lane: a move for each of a lane's.
template <bool kStore>
void move_local_words(const Request& request, std::uint32_t mask, void* buffer) {
    std::array<std::uint64_t, kLanes> words;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        words[lane] = request.addresses[lane] * kLanes + lane * 4;
    }
    const auto move = (kStore ? lane_moves().store : lane_moves().load)[2];
    const auto first =
        reinterpret_cast<std::uint64_t>(local_word(request.block, request.warp, 0, 0));
    for (unsigned i = 0; i < request.code.width(); ++i) {
        const unsigned row = i * 4 * kLanes;
        move(words.data(), mask, first + row, 1, static_cast<std::byte*>(buffer) + row);
    }
}

template <bool kStore>
void access_local(const Request& request, std::uint32_t mask, void* buffer,
                  GenericRow row = GenericRow::global) {
    require_within(request, mask, request.block.local_bytes);
    const unsigned bytes = request.code.element_bytes(), width = request.code.width();
    request.counters(row).legal_bytes = request.block.local_bytes;
    if (request.block.counting != 0) {
        counters::count_local(request.counters(row), request.addresses, mask,
                              request.code.lane_bytes(), request.order());
    }
    if (bytes == 4) return move_local_words<kStore>(request, mask, buffer);
    auto* elements = static_cast<std::byte*>(buffer);
    for_each_lane(mask, [&](unsigned lane) {
        for (unsigned i = 0; i < width; ++i) {
            std::byte* element = elements + (i * kLanes + lane) * bytes;
            const std::uint64_t offset = request.addresses[lane] + i * bytes;
            if constexpr (kStore) {
                write_local(request.block, request.warp, lane, offset, element, bytes);
            } else {
                read_local(request.block, request.warp, lane, offset, element, bytes);
            }
        }
    });
}

/// The kernel's parameters through generic addresses. As of ld.param, nothing is counted.
template <bool kStore>
void access_parameters(const Request& request, std::uint32_t mask, void* buffer) {
    check_alignment(request, mask);
    const std::uint64_t bytes = request.code.lane_bytes(), all = request.block.parameter_bytes;
    std::uint32_t illegal = 0;
    for_each_lane(mask, [&](unsigned lane) {
        const std::uint64_t offset = request.addresses[lane];
        // A GPU lets no kernel write them.
        if (kStore || offset >= all || all - offset < bytes) illegal |= 1u << lane;
    });
    if (illegal != 0) fail(request, WarpFault::illegal_address, illegal);
    move_elements<false>(request, mask, reinterpret_cast<std::uint64_t>(request.block.parameters),
                         buffer);
}

/// Lanes of a generic access by the space that their address lies in, each space a request of its
/// own.
template <bool kStore>
void access_generic(const Request& request, std::uint32_t mask, void* buffer) {
    // Most pointers lead to global memory, which lies below all windows.
    if (lane_moves().all_legal(request.addresses, mask, 0, kSharedWindow - 1, 0)) {
        return access_global<kStore>(request, mask, buffer);
    }
    std::array<std::uint64_t, kLanes> offsets;
    const auto lanes_in = [&](std::uint64_t window) {
        return lanes_in_window(request.addresses, mask, window, offsets);
    };
    const auto within = [&](ptx::Space space) {
        const AccessCode code = request.code;
        return Request{request.block, request.warp, request.row,
                       AccessCode::of(space, code.element_bytes(), code.width()), offsets.data()};
    };
    const std::uint32_t shared = lanes_in(kSharedWindow), local = lanes_in(kLocalWindow),
                        parameters = lanes_in(kParameterWindow);
    if (const std::uint32_t global = mask & ~shared & ~local & ~parameters; global != 0) {
        access_global<kStore>(request, global, buffer);
    }
    if (shared != 0) {
        access_shared<kStore>(within(ptx::Space::shared), shared, buffer, GenericRow::shared);
    }
    if (local != 0) {
        access_local<kStore>(within(ptx::Space::local), local, buffer, GenericRow::local);
    }
    if (parameters != 0) {
        access_parameters<kStore>(within(ptx::Space::param), parameters, buffer);
    }
}

template <bool kStore>
void access(BlockContext* block, std::uint32_t warp, std::uint32_t row, std::uint32_t code,
            const std::uint64_t* addresses, std::uint32_t mask, void* buffer) {
    if (mask == 0) return;
    const Request request{*block, warp, row, AccessCode{code}, addresses};
    switch (request.code.space()) {
        case ptx::Space::shared:
            return access_shared<kStore>(request, mask, buffer);
        case ptx::Space::local:
            return access_local<kStore>(request, mask, buffer);
        case ptx::Space::generic:
            return access_generic<kStore>(request, mask, buffer);
        default:
            return access_global<kStore>(request, mask, buffer);
    }
}

void load(BlockContext* block, std::uint32_t warp, std::uint32_t row, std::uint32_t code,
          const std::uint64_t* addresses, std::uint32_t mask, void* buffer) {
    access<false>(block, warp, row, code, addresses, mask, buffer);
}

void store(BlockContext* block, std::uint32_t warp, std::uint32_t row, std::uint32_t code,
           const std::uint64_t* addresses, std::uint32_t mask, void* buffer) {
    access<true>(block, warp, row, code, addresses, mask, buffer);
}

/// The global side of an asynchronous copy in which some lanes ask for fewer bytes than they copy:
/// only those that they ask for are read.
void load_in_part(const Request& request, std::uint32_t mask, const std::uint32_t* source_bytes,
                  std::byte* data) {
    check_alignment(request, mask);
    Host& host = host_of(request.block);
    const unsigned element = request.code.element_bytes();
    std::uint32_t illegal = 0;
    for_each_lane(mask, [&](unsigned lane) {
        const std::uint64_t address = request.addresses[lane];
        const std::uint32_t bytes =
            std::min<std::uint32_t>(source_bytes[lane], request.code.lane_bytes());
        LegalRange range;
        if (!host.find(address, range) || address - range.begin + bytes > range.bytes) {
            illegal |= 1u << lane;
            return;
        }
        const auto* from = reinterpret_cast<const std::byte*>(
            address + static_cast<std::uint64_t>(range.displacement));
        for (unsigned i = 0; i < bytes; ++i) {
            data[(i / element * kLanes + lane) * element + i % element] = from[i];
        }
    });
    if (illegal != 0) fail(request, WarpFault::illegal_address, illegal);
    if (counters::TouchedSectors* touched = host.touched_sectors(); touched != nullptr) {
        touch(*touched, request, mask, false);
    }
    count_global(request, mask);
}

/// Global to shared. Rows: the global load, then the shared store.
void async_copy(BlockContext* block, std::uint32_t warp, std::uint32_t row, std::uint32_t bytes,
                const std::uint64_t* from, const std::uint64_t* to, std::uint32_t mask,
                const std::uint32_t* source_bytes) {
    if (mask == 0) return;
    alignas(64) std::array<std::byte, kLanes * 16> data{};
    const unsigned element = bytes == 4 ? 4 : 8;
    // Lanes that ask for no bytes are filled with zeros and make no request.
    std::uint32_t reading = 0, whole = 0;
    std::array<std::uint64_t, kLanes> offsets;
    for_each_lane(mask, [&](unsigned lane) {
        if (source_bytes[lane] != 0) reading |= 1u << lane;
        if (source_bytes[lane] >= bytes) whole |= 1u << lane;
        offsets[lane] = in_window(to[lane], kSharedWindow) ? to[lane] - kSharedWindow : to[lane];
    });
    const AccessCode global = AccessCode::of(ptx::Space::global, element, bytes / element);
    if (reading == whole) {
        load(block, warp, row, global.bits, from, reading, data.data());
    } else {
        load_in_part({*block, warp, row, global, from}, reading, source_bytes, data.data());
    }
    store(block, warp, row + 1, AccessCode::of(ptx::Space::shared, element, bytes / element).bits,
          offsets.data(), mask, data.data());
}

/// ld.param and st.param whose index has left the parameters, or one of them.
void outside_parameters(BlockContext* block, std::uint32_t warp, std::uint32_t lanes,
                        std::uint32_t ptx_line, const std::uint64_t* offsets, std::uint32_t bytes,
                        std::uint64_t parameter_bytes) {
    FaultReport report;
    report.fault = WarpFault::illegal_address;
    report.warp = warp;
    report.lanes = lanes;
    report.ptx_line = ptx_line;
    report.address = offsets[std::countr_zero(lanes)];
    report.bytes = bytes;
    report.space = ptx::Space::param;
    report.space_bytes = parameter_bytes;
    fail_warp(*block, std::move(report));
}

}  // namespace

std::span<const Helper> memory_helpers() {
    static const std::array table = {
        helper("wl_load", &load),
        helper("wl_store", &store),
        helper("wl_async_copy", &async_copy),
        helper("wl_outside_parameters", &outside_parameters),
    };
    return table;
}

}  // namespace wideload::jit
