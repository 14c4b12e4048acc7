// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wideload::preload {

/// Arranges that the profile is written however the process ends: exit, quick_exit, a signal; _exit
/// is the preload library's to announce. Called once, at the first CUDA call.
void watch_end_of_process();

/// Writes the profile from a signal handler: through a thread that waits for that, since the
/// interrupted thread may hold any lock; gives up after a few seconds.
void finish_in_signal_handler();

}  // namespace wideload::preload
