// SPDX-License-Identifier: Apache-2.0
#include "profile/mismatch_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "profile/names.h"

namespace wideload::profile {
namespace {

constexpr std::string_view kMaskPrefix = "0x";

std::string mask_text(std::uint32_t lanes) { return fmt::format("0x{:08x}", lanes); }

void read_mask(const JsonReader& json, std::string_view name, std::uint32_t& lanes) {
    const auto member = json.member(name, true);
    if (!member) return;
    std::string text;
    member->read(text);
    const char* const last = text.data() + text.size();
    const char* const digits = text.data() + std::min(text.size(), kMaskPrefix.size());
    const auto [end, error] = std::from_chars(digits, last, lanes, 16);
    if (!text.starts_with(kMaskPrefix) || error != std::errc{} || end != last) {
        member->error("should be a mask of lanes such as \"0xffff0000\"");
    }
}

}  // namespace

Json to_json(const Mismatch& mismatch, const PlaceTable& places) {
    Json json = {{"opcode", mismatch.opcode},
                 {"kind", name(mismatch.kind)},
                 {"ptx_line", mismatch.ptx_line}};
    if (!mismatch.frames->empty()) json["place"] = places.index_of(mismatch.frames);
    json["occurrences"] = mismatch.occurrences;
    if (mismatch.executions) json["executions"] = *mismatch.executions;
    json["first"] = {{"block", mismatch.block},
                     {"warp", mismatch.warp},
                     {"members", mask_text(mismatch.members)},
                     {"lanes", mask_text(mismatch.lanes)}};
    return json;
}

void read_members(const JsonReader& json, Mismatch& mismatch) {
    json.required("opcode", mismatch.opcode);
    if (const auto kind = json.member("kind", true)) {
        std::string spelled;
        kind->read(spelled);
        const auto known = mismatch_kind(spelled);
        if (!known) kind->error("is neither absent_lanes nor unnamed_lanes");
        mismatch.kind = known.value_or(mismatch.kind);
    }
    json.optional("ptx_line", mismatch.ptx_line);
    json.required("occurrences", mismatch.occurrences);
    json.optional("executions", mismatch.executions);
    if (const auto first = json.member("first", true)) {
        first->required("block", mismatch.block);
        first->required("warp", mismatch.warp);
        read_mask(*first, "members", mismatch.members);
        read_mask(*first, "lanes", mismatch.lanes);
    }
}

}  // namespace wideload::profile
