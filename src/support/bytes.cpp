// SPDX-License-Identifier: Apache-2.0
#include "support/bytes.h"

#include <fmt/format.h>

#include <bit>

namespace wideload {

static_assert(std::endian::native == std::endian::little,
              "the formats read here are little-endian");

namespace {

Diagnostic truncated(const ByteRange& range, std::uint64_t offset, std::uint64_t bytes,
                     std::string_view what) {
    if (offset > range.size()) {
        return range.error_at(
            range.size(),
            fmt::format("truncated: {} begins {} bytes past the end", what, offset - range.size()));
    }
    return range.error_at(offset, fmt::format("truncated: {} needs {} bytes, {} are left", what,
                                              bytes, range.size() - offset));
}

}  // namespace

Result<ByteRange> ByteRange::slice(std::uint64_t offset, std::uint64_t bytes,
                                   std::string_view what) const {
    // Not offset + bytes > size(): untrusted values may wrap.
    if (offset > size() || bytes > size() - offset) return truncated(*this, offset, bytes, what);
    return ByteRange{data.subspan(offset, bytes), input, origin + offset};
}

Result<std::string_view> ByteRange::terminated_string(std::uint64_t offset,
                                                      std::string_view what) const {
    if (offset >= size()) return truncated(*this, offset, 1, what);
    const auto* text = reinterpret_cast<const char*>(data.data()) + offset;
    const std::uint64_t longest = size() - offset;
    const void* end = std::memchr(text, '\0', longest);
    if (end == nullptr) return error_at(offset, fmt::format("{} does not end", what));
    return std::string_view(text, static_cast<std::size_t>(static_cast<const char*>(end) - text));
}

Diagnostic ByteRange::error_at(std::uint64_t offset, std::string_view message,
                               std::string hint) const {
    return failure_in(input, fmt::format("{} (at byte {:#x})", message, origin + offset),
                      std::move(hint));
}

std::span<const std::byte> ByteReader::take(std::uint64_t bytes, std::string_view what) {
    if (!require(bytes, what)) return {};
    const auto taken = range_.data.subspan(offset_, bytes);
    offset_ += bytes;
    return taken;
}

bool ByteReader::require(std::uint64_t bytes, std::string_view what) {
    if (!ok()) return false;
    if (bytes <= remaining()) return true;
    error_ = truncated(range_, offset_, bytes, what);
    return false;
}

}  // namespace wideload
