// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "support/result.h"

namespace wideload {

[[nodiscard]] inline std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Untrusted bytes that know where they lie in their input, so that every failure can name the
/// place.
struct ByteRange {
    std::span<const std::byte> data;
    std::string input;         ///< the path, or what else the user knows the input by
    std::uint64_t origin = 0;  ///< offset of data[0] in the input

    [[nodiscard]] std::uint64_t size() const { return data.size(); }

    /// The bytes from `offset` on; an error where they do not all lie in this range.
    /// @param what names them in the error: "section header"
    [[nodiscard]] Result<ByteRange> slice(std::uint64_t offset, std::uint64_t bytes,
                                          std::string_view what) const;

    /// The text from `offset` to the next NUL; an error where there is none in this range.
    [[nodiscard]] Result<std::string_view> terminated_string(std::uint64_t offset,
                                                             std::string_view what) const;

    /// "<message> (at byte 0x<offset in the input>)".
    [[nodiscard]] Diagnostic error_at(std::uint64_t offset, std::string_view message,
                                      std::string hint = {}) const;
};

/// Reads little-endian values in sequence. The first read past the end fails and is kept; it and
/// all later ones give zeros, so that a caller reads a whole record and asks once.
class ByteReader {
public:
    explicit ByteReader(ByteRange range) : range_(std::move(range)) {}

    template <std::unsigned_integral T>
    T read(std::string_view what) {
        T value{};
        if (require(sizeof(T), what)) {
            std::memcpy(&value, range_.data.data() + offset_, sizeof(T));
            offset_ += sizeof(T);
        }
        return value;
    }

    /// The next `bytes` bytes, empty after a failure.
    [[nodiscard]] std::span<const std::byte> take(std::uint64_t bytes, std::string_view what);
    void skip(std::uint64_t bytes, std::string_view what) { (void)take(bytes, what); }

    [[nodiscard]] std::uint64_t offset() const { return offset_; }
    [[nodiscard]] std::uint64_t remaining() const { return range_.size() - offset_; }
    [[nodiscard]] bool at_end() const { return remaining() == 0; }

    [[nodiscard]] bool ok() const { return error_.message.empty(); }
    /// Only where !ok().
    [[nodiscard]] const Diagnostic& error() const { return error_; }

private:
    /// @returns whether `bytes` more can be read; remembers the first time they cannot
    bool require(std::uint64_t bytes, std::string_view what);

    ByteRange range_;
    std::uint64_t offset_ = 0;
    Diagnostic error_;
};

}  // namespace wideload
