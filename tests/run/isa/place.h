// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Memory for a form to work on.
namespace wideload::isa {

/// Where a form's memory is, and how its text reaches it.
struct Place {
    std::string declarations;  ///< of the module: Form::declarations
    std::string code;          ///< declares a 64-bit register and puts the address there
    std::string suffix;        ///< of ld, st, atom: ".shared", or nothing for generic addresses
    bool is_global = false;
};

/// 128 aligned bytes of each lane's own, their address in a register.
/// @param space global, shared, local, or "generic_shared" and the like: through generic addresses
/// @param name of the register, %at, and of the variable
/// @param bytes that each lane has, where it is to be next to its neighbours'
Place private_place(const std::string& space, const std::string& name = "at", unsigned bytes = 128);

/// 128 aligned bytes of each warp's own.
/// @param space as of private_place, but for local
Place warp_place(const std::string& space);

}  // namespace wideload::isa
