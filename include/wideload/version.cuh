// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The library's version: major * 10000 + minor * 100 + patch.
#define WIDELOAD_VERSION 100
