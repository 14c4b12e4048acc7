// SPDX-License-Identifier: Apache-2.0
#include "profile/demangle.h"

#include <llvm/Demangle/Demangle.h>

namespace wideload::profile {

std::string demangle(std::string_view mangled) { return llvm::demangle(mangled); }

std::string demangle_briefly(std::string_view mangled) {
    constexpr std::size_t kMostBytes = 160;
    std::string name = demangle(mangled);
    if (name.size() <= kMostBytes) return name;
    std::size_t end = kMostBytes;
    // Not inside a character of several bytes.
    while ((static_cast<unsigned char>(name[end]) & 0xc0u) == 0x80u) --end;
    return name.substr(0, end) + "…";
}

}  // namespace wideload::profile
