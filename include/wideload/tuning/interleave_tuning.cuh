// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/cache_policy.cuh>

namespace wideload::tuning {

using DeinterleaveLoadPolicy = read_line;
using InterleaveLoadPolicy = cached;
using InterleaveStorePolicy = cached;

}  // namespace wideload::tuning
