// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/module.h"

namespace wideload::ptx {

/// Sets an entry's `parameter_offsets` and `parameter_bytes` as CUDA lays out the parameter buffer:
/// in order, each at the next multiple of its alignment. The size ends with the last parameter,
/// without padding.
void lay_out_parameters(Function& entry);

}  // namespace wideload::ptx
