// SPDX-License-Identifier: Apache-2.0
// Nothing that is static in the engine, in LLVM or in the C++ library that it brings is ever
// destroyed. Its threads work until the process has ended, past the destructors that a program's
// end runs, and what was first used late would be destroyed before the engine waits for them. The
// process' end takes the memory.
extern "C" int __cxa_atexit(void (*)(void*), void*, void*) noexcept { return 0; }
