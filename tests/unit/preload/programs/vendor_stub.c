// SPDX-License-Identifier: Apache-2.0
// A library of NVIDIA's that is not there, as far as it takes to be called: FUNCTION, which would
// compute, and DESCRIPTION, which any machine can answer. Aligned as a compiler's functions are.
#define ALIGNED __attribute__((aligned(16)))

ALIGNED long FUNCTION(void) { return 0; }
ALIGNED const char* DESCRIPTION(void) { return "described"; }
