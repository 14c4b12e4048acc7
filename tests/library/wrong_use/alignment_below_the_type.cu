// SPDX-License-Identifier: Apache-2.0
// says: aligned_ptr: the alignment is below that of the element type
#include <wideload/thread/aligned_ptr.cuh>
wideload::aligned_ptr<double, 4> wrong;
