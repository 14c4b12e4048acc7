// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/interleave.cuh>

#include "case.cuh"
#include "staged_sectors.cuh"

/// interleave and deinterleave.
namespace counts {

/// Structs too large to be staged, of fields of whole sectors, by words: neighbouring lanes take
/// neighbouring words of the structs. The fields lie in as many arrays, here one behind the other.
template <int Size, int Fields>
void interleave_anything(std::size_t count) {
    const std::size_t bytes = count * Size;
    Memory structs(bytes * Fields), arrays(bytes * Fields);
    Blob<Size>* fields[Fields];
    for (int f = 0; f < Fields; ++f) {
        fields[f] = reinterpret_cast<Blob<Size>*>(arrays.as<char>() + f * bytes);
    }
    std::vector<int> places;
    for (std::size_t field = 0; field < count * Fields; ++field)
        places.push_back(static_cast<int>(field % Fields * count + field / Fields));
    const std::size_t together = sectors(bytes * Fields);
    const std::size_t apart = sectors_of_words(Size, places);
    const std::string what =
        " structs of " + std::to_string(Fields) + " fields of " + std::to_string(Size) + " bytes";
    Case("deinterleave" + what).whole("global_ld", together).exactly("global_st", apart).run([&] {
        return wideload::deinterleave(structs.as<const Blob<Size>>(), fields, count);
    });
    Case("interleave" + what).exactly("global_ld", apart).whole("global_st", together).run([&] {
        return wideload::interleave(fields, structs.as<Blob<Size>>(), count);
    });
}

/// Structs and arrays at any addresses, by ranges of bytes through shared memory, in blocks of
/// either size.
///
/// @tparam AtSectors  whether both offsets are multiples of a sector
template <int Size, int Fields, bool AtSectors, bool Small>
void interleave_staged_as(std::size_t count, std::size_t struct_offset, std::size_t field_offset) {
    using T = Blob<Size>;
    using Split = wideload::detail::StagedInterleave<Size, Fields, true, AtSectors, Small>;
    using Join = wideload::detail::StagedInterleave<Size, Fields, false, AtSectors, Small>;
    const std::size_t field_bytes = (count * Size + field_offset + 255) / 256 * 256;
    Memory structs(count * Size * Fields, struct_offset), arrays(field_bytes * Fields);
    T* fields[Fields];
    for (int f = 0; f < Fields; ++f)
        fields[f] = reinterpret_cast<T*>(arrays.as<char>() + f * field_bytes + field_offset);
    // So few structs go by small blocks, where there are such.
    constexpr bool kChosen = Small || !Split::kHasSmall;
    const auto launch = [&](auto shape, auto plan) {
        for (int f = 0; f < Fields; ++f) plan.fields[f] = fields[f];
        return wideload::detail::launch_interleave_staged_as<decltype(shape)>(plan, nullptr);
    };
    const std::string what = " " + std::to_string(count) + " structs of " + std::to_string(Fields) +
                             " fields of " + std::to_string(Size) + " bytes, " +
                             std::to_string(struct_offset) + " and " +
                             std::to_string(field_offset) + " past a line, in " +
                             (Small ? "small" : "large") + " blocks";
    using wideload::detail::InterleavePlan;
    Case("deinterleave" + what)
        .wide_runs_exactly("global_ld",
                           sectors_staged<typename Split::Read>(struct_offset, count,
                                                                Split::kTileStructs, Split::kHeld))
        .wide_runs_exactly("global_st", Fields * sectors_drained<typename Split::Written>(
                                                     field_offset, count, Split::kTileStructs))
        .run([&] {
            if constexpr (kChosen)
                return wideload::deinterleave(structs.as<const T>(), fields, count);
            else
                return launch(Split{},
                              InterleavePlan<Fields, const T, T>{structs.as<const T>(), {}, count});
        });
    Case("interleave" + what)
        .wide_runs_exactly("global_ld",
                           Fields * sectors_staged<typename Join::Read>(
                                        field_offset, count, Join::kTileStructs, Join::kHeld))
        .wide_runs_exactly("global_st", sectors_drained<typename Join::Written>(
                                            struct_offset, count, Join::kTileStructs))
        .run([&] {
            if constexpr (kChosen)
                return wideload::interleave(fields, structs.as<T>(), count);
            else
                return launch(Join{},
                              InterleavePlan<Fields, T, const T>{structs.as<T>(), {}, count});
        });
}

template <int Size, int Fields, bool AtSectors = false>
void interleave_staged(std::size_t count, std::size_t struct_offset, std::size_t field_offset) {
    interleave_staged_as<Size, Fields, AtSectors, false>(count, struct_offset, field_offset);
    if constexpr (wideload::detail::StagedInterleave<Size, Fields, true, false, false>::kHasSmall)
        interleave_staged_as<Size, Fields, AtSectors, true>(count, struct_offset, field_offset);
}

/// Structs of `Fields` elements to arrays and back.
template <int Size, int Fields>
void interleave(std::size_t count) {
    const std::size_t field_bytes = (count * Size + 255) / 256 * 256;
    Memory structs(count * Size * Fields), arrays(field_bytes * Fields);
    Blob<Size>* fields[Fields];
    for (int f = 0; f < Fields; ++f) {
        fields[f] = reinterpret_cast<Blob<Size>*>(arrays.as<char>() + f * field_bytes);
    }
    const std::size_t together = sectors(count * Size * Fields);
    const std::size_t apart = Fields * sectors(count * Size);
    const std::string what = " " + std::to_string(count) + " structs of " + std::to_string(Fields) +
                             " fields of " + std::to_string(Size) + " bytes";
    Case("deinterleave" + what).whole("global_ld", together).whole("global_st", apart).run([&] {
        return wideload::deinterleave(structs.as<const Blob<Size>>(), fields, count);
    });
    Case("interleave" + what).whole("global_ld", apart).whole("global_st", together).run([&] {
        return wideload::interleave(fields, structs.as<Blob<Size>>(), count);
    });
}

inline void interleaves() {
    interleave<4, 2>(1 << 13);
    interleave<4, 3>(1 << 13);
    interleave<4, 4>(1 << 13);
    interleave<4, 5>(1 << 13);
    interleave<4, 8>(1 << 12);
    interleave<4, 16>(1 << 12);
    interleave<2, 16>(1 << 13);
    // More than small tiles are for.
    interleave<4, 16>((1 << 17) + 512);
    interleave<8, 16>((1 << 16) + 512);
    interleave<1, 16>((1 << 19) + 512);
    interleave<1, 16>((1 << 13) + 5 * 32);
    interleave<4, 3>((1 << 13) + 13);
    interleave<1, 3>(1 << 13);
    interleave<1, 4>(1 << 13);
    interleave<2, 3>(1 << 13);
    interleave<8, 3>(1 << 12);
    interleave<16, 2>(1 << 12);
    interleave<16, 7>(1 << 11);
    interleave_anything<64, 16>(1 << 9);
    interleave<32, 3>(1 << 11);
    interleave<64, 5>(1 << 10);
    interleave<12, 3>(1 << 12);
    interleave<44, 2>(1 << 10);
    interleave<6, 4>(1 << 14);
    interleave<3, 3>(1 << 14);
    interleave<20, 16>(1 << 10);
    interleave_staged<12, 3, true>(4099, 0, 0);
    interleave_staged<20, 16, true>(777, 0, 0);
    interleave_staged<4, 3>(5000, 1, 0);
    interleave_staged<4, 3>(5000, 4, 2);
    interleave_staged<4, 8>(3000, 3, 7);
    interleave_staged<1, 3>(20000, 1, 0);
    interleave_staged<1, 4>(20011, 0, 5);
    interleave_staged<2, 2>(9000, 2, 6);
    interleave_staged<8, 3>(2500, 20, 1);
    interleave_staged<12, 5>(1500, 1, 3);
    interleave_staged<32, 3>(700, 2, 8);
    interleave_staged<6, 4, true>(3001, 0, 32);
    interleave_staged<3, 3, true>(5000, 64, 0);
    interleave_staged<12, 3>(1 << 12, 0, 16);
    interleave_staged<3, 3>(5000, 9, 2);
    interleave_staged<3, 16>(1000, 3, 0);
    interleave_staged<5, 4>(3000, 0, 1);
    interleave_staged<7, 8>(900, 7, 7);
    interleave_staged<1, 16>(4000, 1, 1);
}

}  // namespace counts
