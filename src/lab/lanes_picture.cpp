// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "arch/compute_capability.h"
#include "counters/rules.h"
#include "lab/picture.h"
#include "report/svg.h"
#include "report/words.h"

namespace wideload::lab {
namespace {

namespace svg = report::svg;

constexpr double kLaneTop = 4, kLaneHeight = 18, kSectorTop = 84, kSectorHeight = 22;
constexpr double kLanePitch = kPictureWidth / arch::kWarpSize;
constexpr double kSectorGap = 5;  // between sectors that are no neighbours

bool is_active(const Request& request, unsigned lane) { return (request.mask >> lane & 1) != 0; }

/// What a lane asks for, as far as it lies side by side in memory.
struct Piece {
    unsigned lane = 0;
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    unsigned turn = 0;  ///< of those with which an atomic's lanes visit the sector

    [[nodiscard]] std::uint64_t sector() const { return address / arch::kSectorBytes; }
};

/// Addresses of local memory are each lane's own; its words are interleaved by lane, so that word w
/// of lane l lies at w × 128 + l × 4.
void add_local(std::vector<Piece>& pieces, unsigned lane, std::uint64_t offset,
               std::uint32_t bytes) {
    constexpr std::uint32_t kLocalWordBytes = 4;
    while (bytes > 0) {
        const auto within = static_cast<std::uint32_t>(offset % kLocalWordBytes);
        const std::uint32_t here = std::min(bytes, kLocalWordBytes - within);
        const std::uint64_t word = offset / kLocalWordBytes * arch::kWarpSize + lane;
        pieces.push_back({lane, word * kLocalWordBytes + within, here});
        offset += here;
        bytes -= here;
    }
}

std::vector<Piece> pieces_of(const Request& request) {
    std::vector<Piece> pieces;
    const bool is_local = request.kind.starts_with("local_");
    for (unsigned lane = 0; lane < arch::kWarpSize; ++lane) {
        if (!is_active(request, lane)) continue;
        const std::uint32_t bytes = std::max(request.bytes_per_lane, 1U);
        if (is_local) {
            add_local(pieces, lane, request.addresses[lane], bytes);
        } else {
            pieces.push_back({lane, request.addresses[lane], bytes});
        }
    }
    return pieces;
}

/// A sector where it is drawn: as often as lanes take turns there.
struct Slot {
    std::uint64_t sector = 0;
    unsigned turn = 0;

    auto operator<=>(const Slot&) const = default;
};

std::vector<Slot> slots_of(const std::vector<Piece>& pieces) {
    std::set<Slot> slots;
    for (const Piece& piece : pieces) {
        slots.insert({piece.sector(), piece.turn});
        slots.insert({(piece.address + piece.bytes - 1) / arch::kSectorBytes, piece.turn});
    }
    return {slots.begin(), slots.end()};
}

/// Lanes of an atomic visit a sector packet by packet, each a sector's work, unless the compiler
/// combined the warp's values first: then fewer sectors were counted.
void take_turns(std::vector<Piece>& pieces, const Request& request) {
    if (request.kind != "global_red" && request.kind != "global_atom") return;
    if (request.sectors == slots_of(pieces).size()) return;
    const auto packets =
        counters::atomic_packets({request.addresses, request.mask, request.bytes_per_lane});
    std::map<std::uint64_t, std::set<unsigned>> packets_of;
    for (const Piece& piece : pieces) packets_of[piece.sector()].insert(packets[piece.lane]);
    for (Piece& piece : pieces) {
        const std::set<unsigned>& of = packets_of[piece.sector()];
        piece.turn = static_cast<unsigned>(std::distance(of.begin(), of.find(packets[piece.lane])));
    }
}

/// Where each touched sector is drawn.
struct Shelf {
    std::vector<Slot> slots;  ///< ascending
    std::vector<double> left;
    double width = 0;  ///< of one sector

    [[nodiscard]] double place(const Piece& piece) const {
        const auto found = std::ranges::lower_bound(slots, Slot{piece.sector(), piece.turn});
        const auto index = static_cast<std::size_t>(found - slots.begin());
        const double within =
            static_cast<double>(piece.address % arch::kSectorBytes) / arch::kSectorBytes;
        return left[index] + within * width;
    }
    [[nodiscard]] bool has_gap_before(std::size_t i) const {
        return i > 0 && slots[i].sector != slots[i - 1].sector + 1;
    }
};

Shelf shelf_of(const std::vector<Piece>& pieces) {
    Shelf shelf{slots_of(pieces), {}, 0};
    std::size_t gaps = 0;
    for (std::size_t i = 0; i < shelf.slots.size(); ++i) gaps += shelf.has_gap_before(i) ? 1 : 0;
    const auto count = static_cast<double>(std::max<std::size_t>(shelf.slots.size(), 1));
    shelf.width = std::min(kPictureWidth / 4,
                           (kPictureWidth - kSectorGap * static_cast<double>(gaps)) / count);
    double x = 0;
    for (std::size_t i = 0; i < shelf.slots.size(); ++i) {
        if (shelf.has_gap_before(i)) x += kSectorGap;
        shelf.left.push_back(x);
        x += shelf.width;
    }
    return shelf;
}

std::string draw_sectors(const Shelf& shelf, std::string_view style) {
    std::string content;
    for (const double left : shelf.left) {
        content += svg::rectangle({left, kSectorTop, shelf.width, kSectorHeight}, style);
    }
    return content;
}

std::string draw_lane(const Request& request, unsigned lane) {
    const double x = lane * kLanePitch;
    const std::string fill = is_active(request, lane)
                                 ? fmt::format(R"(fill="{}")", svg::lane_colour(lane))
                                 : R"(fill="#ddd")";
    return svg::rectangle({x + 1, kLaneTop, kLanePitch - 2, kLaneHeight}, fill) +
           svg::text(x + kLanePitch / 2, kLaneTop + 13, std::to_string(lane), 10);
}

std::string draw_piece(const Piece& piece, const Shelf& shelf) {
    const std::string colour = svg::lane_colour(piece.lane);
    const double bytes = shelf.width * piece.bytes / arch::kSectorBytes;
    const double to = shelf.place(piece);
    return svg::rectangle({to, kSectorTop + 1, bytes, kSectorHeight - 2},
                          fmt::format(R"(fill="{}")", colour)) +
           svg::line(piece.lane * kLanePitch + kLanePitch / 2, kLaneTop + kLaneHeight,
                     to + bytes / 2, kSectorTop, fmt::format(R"(stroke="{}")", colour));
}

std::size_t distinct_bytes(const std::vector<Piece>& pieces) {
    std::set<std::uint64_t> bytes;
    for (const Piece& piece : pieces) {
        for (std::uint32_t i = 0; i < piece.bytes; ++i) bytes.insert(piece.address + i);
    }
    return bytes.size();
}

std::string caption_of(const std::vector<Piece>& pieces, const Shelf& shelf) {
    const std::size_t sectors = shelf.slots.size();
    const std::string count = report::counted(sectors, "sector") + " of 32 bytes";
    const auto in_memory = static_cast<std::size_t>(
        std::ranges::count(shelf.slots, 0U, [](const Slot& slot) { return slot.turn; }));
    if (in_memory < sectors) {
        return fmt::format("{}: {} in memory, where lanes that share a word take turns", count,
                           in_memory);
    }
    return fmt::format("{}, {} of {} bytes used", count, distinct_bytes(pieces),
                       sectors * arch::kSectorBytes);
}

}  // namespace

std::string lanes_picture(const Request& request) {
    std::vector<Piece> pieces = pieces_of(request);
    take_turns(pieces, request);
    const Shelf shelf = shelf_of(pieces);
    std::string content = draw_sectors(shelf, R"(fill="#eee")");
    for (unsigned lane = 0; lane < arch::kWarpSize; ++lane) content += draw_lane(request, lane);
    for (const Piece& piece : pieces) content += draw_piece(piece, shelf);
    content += draw_sectors(shelf, R"(fill="none" stroke="#333")");
    const std::string caption = caption_of(pieces, shelf);
    content += svg::text(kPictureWidth / 2, kSectorTop + kSectorHeight + 18, caption, 13);
    return svg::drawing(kPictureWidth, kSectorTop + kSectorHeight + 26, content, caption);
}

}  // namespace wideload::lab
