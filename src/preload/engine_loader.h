// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wideload::preload {

/// Tells the engine, if it is loaded, that the process ends without running exit handlers.
void finish_engine();

}  // namespace wideload::preload
