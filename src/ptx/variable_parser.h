// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ptx/parse_context.h"

namespace wideload::ptx {

/// A variable as declared, with the name's token for errors about it.
struct DeclaredVariable {
    Variable variable;
    Token name;
    std::uint32_t element_bytes = 1;
};

/// The space that `.global`, `.const`, ... names as a declaration.
[[nodiscard]] std::optional<Space> declaration_space(std::string_view directive);

/// `.global .align 4 .b8 a[4], b = 1;` from its space to its `;`. None after an error.
[[nodiscard]] std::optional<std::vector<DeclaredVariable>> parse_variables(ParseContext& context,
                                                                           Linkage linkage);

/// One parameter of a function, `.param .align 8 .b8 p[16]` or `.reg .b32 r`, without what follows
/// it.
[[nodiscard]] std::optional<DeclaredVariable> parse_parameter(ParseContext& context);

/// `= ...` of a variable whose size may still be unknown: fills `initial`, `relocations` and, of an
/// unsized array, `size`. `dimensions` are as written, 0 for the first one of an unsized array;
/// none of a scalar.
[[nodiscard]] bool parse_initializer(ParseContext& context, Variable& variable,
                                     std::vector<std::uint64_t> dimensions);

}  // namespace wideload::ptx
