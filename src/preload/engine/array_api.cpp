// SPDX-License-Identifier: Apache-2.0
// Of CUDA arrays, which only textures read, there is what programs also use by itself.
#include "preload/engine/api.h"

namespace wideload::preload::api {

ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return {x, y, z, w, kind};
}

}  // namespace wideload::preload::api
