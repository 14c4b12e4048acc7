// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wideload::preload {

/// Prepares every object that is loaded now, and arranges to prepare those that dlopen brings later
/// before their constructors run. For that it takes the place of the empty function that the
/// dynamic loader calls for debuggers whenever its list of objects is consistent again (r_brk of
/// struct r_debug): objects are mapped then, but no code of theirs has run. To stand in for dlopen
/// itself would come too late, and would change whose search path it uses.
void watch_loader();

}  // namespace wideload::preload
