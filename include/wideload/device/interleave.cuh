// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/interleave_dispatch.cuh>

namespace wideload {

/// Structs to arrays: fields[f][i] = structs[i * Fields + f] for i in [0, count), f in [0, Fields).
///
/// @param structs  `count` structs of `Fields` elements each, one behind the other (pass the
/// address of the first field)
/// @param fields   one array of `count` elements per field
/// @param count    in structs; beyond 2^31 allowed
/// @param stream   the work runs in its order; no synchronisation; may be captured into a graph
/// @tparam Fields  2 to 16
///
/// Alignment: any. Fastest where every pointer is a multiple of the element, or of 4 bytes for
/// narrower ones, and elements have 1, 2, 4, 8 or 16 bytes. All others go as ranges of bytes
/// through shared memory, 16 bytes an access on both sides, best where all ranges begin at
/// multiples of 32 bytes; structs of more than 512 bytes by words, neighbouring lanes taking
/// neighbouring words of the structs, which are single bytes where such structs are misaligned.
/// @return cudaErrorInvalidValue for a null pointer with a count, for a field that overlaps the
/// structs or another field,
///         for a size past the address space; else what the launch returned. A count of 0 is a
///         success
/// Cost: 2 * count * Fields * sizeof(T) bytes.
/// Source: staging through shared memory with conflict-free padding, measured in
/// bench/library/NOTES.md.
template <class T, int Fields>
cudaError_t deinterleave(const T* structs, T* const (&fields)[Fields], std::size_t count,
                         cudaStream_t stream = nullptr) {
    static_assert(is_bitwise_copyable_v<T>,
                  "wideload::deinterleave moves raw bytes: T must be trivially copyable");
    static_assert(Fields >= 2 && Fields <= 16, "wideload::deinterleave takes 2 to 16 fields");
    return detail::dispatch_deinterleave(structs, fields, count, stream);
}

/// Arrays to structs: structs[i * Fields + f] = fields[f][i]. The inverse of `deinterleave`; see
/// there. Two fields may be the same array; `Field` is T or const T.
template <class Field, class T, int Fields>
cudaError_t interleave(Field* const (&fields)[Fields], T* structs, std::size_t count,
                       cudaStream_t stream = nullptr) {
    static_assert(std::is_same_v<std::remove_const_t<Field>, T>,
                  "wideload::interleave: the fields' element type is not that of the structs");
    static_assert(is_bitwise_copyable_v<T>,
                  "wideload::interleave moves raw bytes: T must be trivially copyable");
    static_assert(Fields >= 2 && Fields <= 16, "wideload::interleave takes 2 to 16 fields");
    return detail::dispatch_interleave<T, Fields>(fields, structs, count, stream);
}

}  // namespace wideload
