// SPDX-License-Identifier: Apache-2.0
#include "image/nv_info.h"

#include <fmt/format.h>

namespace wideload::image {
namespace {

constexpr std::uint8_t kNoValue = 1;
constexpr std::uint8_t kSizedValue = 4;

}  // namespace

Result<std::vector<NvInfoAttribute>> read_nv_info(const ByteRange& section) {
    std::vector<NvInfoAttribute> attributes;
    ByteReader reader(section);
    while (!reader.at_end()) {
        const std::uint64_t start = reader.offset();
        NvInfoAttribute attribute;
        attribute.format = reader.read<std::uint8_t>("attribute");
        attribute.code =
            NvInfo{reader.read<std::uint8_t>("attribute")};  // NOLINT(*EnumCastOutOfRange)
        attribute.value = reader.read<std::uint16_t>("attribute");
        if (!reader.ok()) return reader.error();
        if (attribute.format < kNoValue || attribute.format > kSizedValue) {
            return section.error_at(
                start, fmt::format("attribute of unknown format {}", attribute.format));
        }
        if (attribute.format == kSizedValue) {
            auto data = section.slice(reader.offset(), attribute.value, "attribute");
            if (!data) return data.errors();
            attribute.data = std::move(*data);
            reader.skip(attribute.value, "attribute");
        }
        attributes.push_back(std::move(attribute));
    }
    return attributes;
}

}  // namespace wideload::image
