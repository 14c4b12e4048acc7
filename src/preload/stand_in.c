// SPDX-License-Identifier: Apache-2.0
// libcudart.so.12 and .13 for machines without them: programs linked with the shared runtime only start where a file of that
// name has its version node. Their symbols are found in libwideload-preload.so, which comes first.
