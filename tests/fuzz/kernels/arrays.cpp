// SPDX-License-Identifier: Apache-2.0
#include "arrays.h"

#include <bit>

namespace wideload::fuzz {

std::uint64_t parameter(const Kernel& kernel, unsigned index) {
    switch (static_cast<Parameter>(index)) {
        case Parameter::input:
            return start_of(Array::input) + kInputMargin;
        case Parameter::output:
            return start_of(Array::output);
        case Parameter::totals:
            return start_of(Array::totals);
        case Parameter::word:
            return kernel.word;
        case Parameter::wide:
            return kernel.wide;
        default:
            return std::bit_cast<std::uint32_t>(kernel.real);
    }
}

std::uint64_t symbol_address(const Statement& s) {
    const auto offset = static_cast<std::uint64_t>(s.offset);
    switch (s.symbol) {
        case Symbol::constant:
            return start_of(Array::constant) + offset;
        case Symbol::variable:
            return start_of(Array::variable) + offset;
        case Symbol::shared:
            return (s.space == Space::generic ? start_of(Array::shared) : 0) + offset;
        default:
            return (s.space == Space::generic ? start_of(Array::local) : 0) + offset;
    }
}

void Arrays::begin_block(std::uint32_t threads) {
    shared_.assign(kernel_.shared_bytes, 0);
    shared_written_.assign(kernel_.shared_bytes, 0);
    local_.assign(threads, std::vector<std::uint8_t>(kLocalBytes));
    local_written_ = local_;
}

Arrays::Bytes Arrays::bytes_of(Array array, std::uint32_t thread, bool stores) {
    const auto of = [](std::vector<std::uint8_t>& bytes) {
        return Bytes{bytes.data(), bytes.size()};
    };
    switch (array) {
        case Array::input:
            return of(memory_.input);
        case Array::output:
            return of(memory_.output);
        case Array::totals:
            return of(memory_.totals);
        case Array::shared:
            return of(shared_);
        case Array::local:
            return of(local_[thread]);
        case Array::constant:
        case Array::variable:  // never stored to
            return {const_cast<std::uint8_t*>(kernel_.constants.data()),
                    stores ? 0 : kernel_.constants.size()};
        default:
            return {};
    }
}

Place Arrays::find(const Statement& s, std::uint64_t address, std::uint32_t thread, unsigned bytes,
                   std::string& invalid) {
    Place place;
    place.array = s.space == Space::shared  ? Array::shared
                  : s.space == Space::local ? Array::local
                                            : static_cast<Array>(address >> kArrayShift);
    const bool relative = s.space == Space::shared || s.space == Space::local;
    place.offset = address - (relative ? 0 : start_of(place.array));
    if (s.space == Space::shared) place.offset &= 0xffffffff;
    const auto [start, size] = bytes_of(place.array, thread, s.kind != Statement::Kind::load);
    if (size < bytes || place.offset > size - bytes || place.offset % bytes != 0) {
        invalid = "an address outside of its array, or a misaligned one";
        return place;
    }
    std::vector<std::uint8_t>* written = place.array == Array::shared  ? &shared_written_
                                         : place.array == Array::local ? &local_written_[thread]
                                                                       : nullptr;
    for (std::uint64_t i = place.offset; written != nullptr && i < place.offset + bytes; ++i) {
        if (s.kind == Statement::Kind::store) (*written)[i] = 1;
        if (!(*written)[i]) invalid = "memory that was never written";
    }
    place.bytes = start + place.offset;
    return place;
}

}  // namespace wideload::fuzz
