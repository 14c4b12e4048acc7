// SPDX-License-Identifier: Apache-2.0
#pragma once

/// All of the library. Each header can be included alone.
#include <wideload/block/grouped_transpose.cuh>
#include <wideload/block/packed_transpose.cuh>
#include <wideload/block/padded_transpose.cuh>
#include <wideload/block/pipeline.cuh>
#include <wideload/block/reduce.cuh>
#include <wideload/block/shifted_transpose.cuh>
#include <wideload/block/swizzled_tile.cuh>
#include <wideload/block/swizzled_transpose.cuh>
#include <wideload/block/tile.cuh>
#include <wideload/device/copy.cuh>
#include <wideload/device/copy_rows.cuh>
#include <wideload/device/fetch_granularity.cuh>
#include <wideload/device/fill.cuh>
#include <wideload/device/gather.cuh>
#include <wideload/device/interleave.cuh>
#include <wideload/device/matrix_reduce.cuh>
#include <wideload/device/reduce.cuh>
#include <wideload/device/span.cuh>
#include <wideload/device/strided_copy.cuh>
#include <wideload/device/transform.cuh>
#include <wideload/device/transpose.cuh>
#include <wideload/thread/aligned_ptr.cuh>
#include <wideload/thread/cache_policy.cuh>
#include <wideload/thread/funnel.cuh>
#include <wideload/thread/load.cuh>
#include <wideload/thread/operations.cuh>
#include <wideload/thread/store.cuh>
#include <wideload/thread/vec.cuh>
#include <wideload/version.cuh>
#include <wideload/warp/aos.cuh>
#include <wideload/warp/exchange.cuh>
#include <wideload/warp/reduce.cuh>
#include <wideload/warp/shifted_load.cuh>
#include <wideload/warp/shifted_store.cuh>
