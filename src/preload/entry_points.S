// SPDX-License-Identifier: Apache-2.0
// One entry point for each runtime function: a jump through its slot. Until the engine is loaded every slot leads to
// `resolve`, which loads it and jumps again; arguments pass through untouched, so no signature is needed here.

.macro entry_point name index
    .globl wideload_entry_\name
    .hidden wideload_entry_\name
    .type wideload_entry_\name, @function
    .p2align 4
wideload_entry_\name:
    endbr64
    movl $\index, %r11d
    jmp *(wideload_slots + 8 * \index)(%rip)
    .size wideload_entry_\name, . - wideload_entry_\name
.endm

// Programs that ask for a version of the symbol accept one without.
.macro export name
    .globl \name
    .type \name, @function
    .set \name, wideload_entry_\name
.endm

.macro export_by_version name
    .globl wideload_export_\name, wideload_export_\name\()_12
    .set wideload_export_\name, wideload_entry_\name
    .set wideload_export_\name\()_12, wideload_entry_\name\()_12
    .symver wideload_export_\name, \name@@libcudart.so.13, remove
    .symver wideload_export_\name\()_12, \name@libcudart.so.12, remove
.endm

    .text
#define CALL(name) entry_point name __COUNTER__; export name
#define CALL_AS(name, implementation) CALL(name)
#define CALL_PER_THREAD(name, implementation) CALL(name)
#define MISSING(name) CALL(name)
#define CALL_BY_VERSION(name) \
    entry_point name __COUNTER__; entry_point name##_12 __COUNTER__; export_by_version name
#define CALL_BY_VERSION_PER_THREAD(name, implementation) CALL_BY_VERSION(name)
#include "preload/runtime_api.def"

    .type resolve, @function
    .p2align 4
resolve:
    endbr64
    pushq %rbp
    movq %rsp, %rbp
    andq $-16, %rsp
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    pushq %rax
    pushq %r11
    call wideload_load_engine
    popq %r11
    popq %rax
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    leave
    leaq wideload_slots(%rip), %r10
    jmp *(%r10, %r11, 8)
    .size resolve, . - resolve

// What a function of cuBLAS and its kind is redirected to, by a stub that leaves its record in r11.
    .globl wideload_vendor_entry
    .hidden wideload_vendor_entry
    .type wideload_vendor_entry, @function
    .p2align 4
wideload_vendor_entry:
    endbr64
    movq %r11, %rdi
    subq $8, %rsp
    call wideload_vendor_call
    addq $8, %rsp
    ret
    .size wideload_vendor_entry, . - wideload_vendor_entry

    .data
    .globl wideload_slots
    .hidden wideload_slots
    .p2align 3
wideload_slots:
    .rept __COUNTER__
    .quad resolve
    .endr

    .section .note.GNU-stack, "", @progbits
