// SPDX-License-Identifier: Apache-2.0
// What the device runtime provides to kernels: vprintf, malloc, free, __assertfail. Arguments come
// as a list of buffers in which each lane has its own 4 or 8 bytes.
#include <array>
#include <cstring>
#include <string>

#include "jit/runtime/device_printf.h"
#include "jit/runtime/helpers.h"
#include "jit/runtime/lane_memory.h"

namespace wideload::jit {
namespace {

using Buffers = const void* const*;

template <class T>
T argument(Buffers buffers, unsigned index, unsigned lane) {
    T value;
    std::memcpy(&value, static_cast<const std::byte*>(buffers[index]) + lane * sizeof(T),
                sizeof value);
    return value;
}

template <class T>
void set_result(void* buffer, unsigned lane, T value) {
    if (buffer == nullptr) return;
    std::memcpy(static_cast<std::byte*>(buffer) + lane * sizeof(T), &value, sizeof value);
}

[[noreturn]] void fail_reading(BlockContext* block, std::uint32_t warp, unsigned lane,
                               std::uint64_t address, std::uint32_t ptx_line) {
    FaultReport report;
    report.fault = WarpFault::illegal_address;
    report.warp = warp;
    report.lanes = 1u << lane;
    report.address = address;
    report.bytes = 1;
    report.ptx_line = ptx_line;
    fail_warp(*block, std::move(report));
}

std::string read_text(BlockContext* block, std::uint32_t warp, unsigned lane, std::uint64_t address,
                      std::uint32_t ptx_line) {
    std::string text;
    if (!read_device_string(*block, warp, lane, address, text)) {
        fail_reading(block, warp, lane, address, ptx_line);
    }
    return text;
}

void vprintf(BlockContext* block, std::uint32_t warp, std::uint32_t mask, std::uint32_t ptx_line,
             Buffers arguments, void* result) {
    for_each_lane(mask, [&](unsigned lane) {
        const std::string format =
            read_text(block, warp, lane, argument<std::uint64_t>(arguments, 0, lane), ptx_line);
        const auto values = argument<std::uint64_t>(arguments, 1, lane);
        const DevicePrint print = format_device_print(*block, warp, lane, format, values);
        host_of(*block).print(print.text);
        set_result(result, lane, print.arguments);
    });
}

void device_malloc(BlockContext* block, std::uint32_t, std::uint32_t mask, std::uint32_t,
                   Buffers arguments, void* result) {
    for_each_lane(mask, [&](unsigned lane) {
        const auto bytes = argument<std::uint64_t>(arguments, 0, lane);
        set_result(result, lane, host_of(*block).allocate(bytes));
    });
}

void device_free(BlockContext* block, std::uint32_t warp, std::uint32_t mask,
                 std::uint32_t ptx_line, Buffers arguments) {
    for_each_lane(mask, [&](unsigned lane) {
        const auto address = argument<std::uint64_t>(arguments, 0, lane);
        if (address == 0 || host_of(*block).free(address)) return;
        FaultReport report;
        report.fault = WarpFault::bad_free;
        report.warp = warp;
        report.lanes = 1u << lane;
        report.address = address;
        report.ptx_line = ptx_line;
        fail_warp(*block, std::move(report));
    });
}

/// __assertfail(message, file, line, function, character size)
void assertfail(BlockContext* block, std::uint32_t warp, std::uint32_t mask, std::uint32_t ptx_line,
                Buffers arguments) {
    if (mask == 0) return;
    std::string text, asserted;
    for_each_lane(mask, [&](unsigned lane) {
        const auto text_of = [&](unsigned index) {
            return read_text(block, warp, lane, argument<std::uint64_t>(arguments, index, lane),
                             ptx_line);
        };
        const unsigned thread = warp * kLanes + lane;
        const unsigned x = thread % block->ntid[0];
        const unsigned y = thread / block->ntid[0] % block->ntid[1];
        const unsigned z = thread / block->ntid[0] / block->ntid[1];
        text += text_of(1) + ':' + std::to_string(argument<std::uint32_t>(arguments, 2, lane)) +
                ": " + text_of(3) + ": block: [" + std::to_string(block->ctaid[0]) + ',' +
                std::to_string(block->ctaid[1]) + ',' + std::to_string(block->ctaid[2]) +
                "], thread: [" + std::to_string(x) + ',' + std::to_string(y) + ',' +
                std::to_string(z) + "] Assertion `" + text_of(0) + "` failed.\n";
        if (asserted.empty()) asserted = text_of(0);
    });
    FaultReport report;
    report.fault = WarpFault::assertion;
    report.warp = warp;
    report.lanes = mask;
    report.ptx_line = ptx_line;
    report.text = std::move(text);
    report.complaint = std::move(asserted);
    fail_warp(*block, std::move(report));
}

}  // namespace

std::span<const Helper> call_helpers() {
    static const std::array table = {
        helper("wl_vprintf", &vprintf),
        helper("wl_malloc", &device_malloc),
        helper("wl_free", &device_free),
        helper("wl_assertfail", &assertfail),
    };
    return table;
}

}  // namespace wideload::jit
