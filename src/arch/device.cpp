// SPDX-License-Identifier: Apache-2.0
#include "arch/device.h"

#include <algorithm>
#include <array>

namespace wideload::arch {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// Name, clocks, bus, L2 and global memory of each row are what CUDA's own query (deviceQuery of the
// CUDA samples) prints on one such card; global memory and the boost clock differ by some per cent
// between boards, drivers and ECC modes. Data sheets are named where they confirm a figure.
constexpr std::array<Device, 10> kDevices = {{
    // deviceQuery on a Tesla T4; NVIDIA T4 data sheet: 2,560 cores, 16 GB GDDR6, 320 GB/s.
    {.key = "t4",
     .name = "Tesla T4",
     .capability = {7, 5},
     .multiprocessors = 40,
     .sm_clock_khz = 1590000,
     .memory_clock_khz = 5001000,
     .memory_bus_bits = 256,
     .l2_bytes = 4 * kMiB,
     .global_memory_bytes = 15843721216,
     .copy_engines = 3,
     .ecc = true},
    // deviceQuery on an A100-SXM4-40GB; A100 data sheet: 108 SMs, 40 MB of L2, 40 GB HBM2, 1,555
    // GB/s.
    {.key = "a100",
     .name = "NVIDIA A100-SXM4-40GB",
     .capability = {8, 0},
     .multiprocessors = 108,
     .sm_clock_khz = 1410000,
     .memory_clock_khz = 1215000,
     .memory_bus_bits = 5120,
     .l2_bytes = 40 * kMiB,
     .global_memory_bytes = 42298834944,
     .copy_engines = 3,
     .ecc = true},
    // deviceQuery on an A100-SXM4-80GB; A100 80GB data sheet: 80 GB HBM2e, 2,039 GB/s.
    {.key = "a100-80gb",
     .name = "NVIDIA A100-SXM4-80GB",
     .capability = {8, 0},
     .multiprocessors = 108,
     .sm_clock_khz = 1410000,
     .memory_clock_khz = 1593000,
     .memory_bus_bits = 5120,
     .l2_bytes = 40 * kMiB,
     .global_memory_bytes = 85198045184,
     .copy_engines = 3,
     .ecc = true},
    // deviceQuery on a GeForce RTX 3090; Ampere GA102 white paper: 82 SMs, 1,695 MHz boost, 6 MB of
    // L2, 24 GB GDDR6X, 936 GB/s.
    {.key = "rtx3090",
     .name = "NVIDIA GeForce RTX 3090",
     .capability = {8, 6},
     .multiprocessors = 82,
     .sm_clock_khz = 1695000,
     .memory_clock_khz = 9751000,
     .memory_bus_bits = 384,
     .l2_bytes = 6 * kMiB,
     .global_memory_bytes = 25447170048,
     .copy_engines = 2,
     .ecc = false},
    // deviceQuery on an RTX 4090; Ada white paper: 128 SMs, 2,520 MHz boost, 72 MB of L2, 24 GB
    // GDDR6X, 1,008 GB/s.
    {.key = "rtx4090",
     .name = "NVIDIA GeForce RTX 4090",
     .capability = {8, 9},
     .multiprocessors = 128,
     .sm_clock_khz = 2520000,
     .memory_clock_khz = 10501000,
     .memory_bus_bits = 384,
     .l2_bytes = 72 * kMiB,
     .global_memory_bytes = 25393692672,
     .copy_engines = 2,
     .ecc = false},
    // deviceQuery on an L4; L4 data sheet: 24 GB GDDR6, 300 GB/s; Ada white paper: 58 SMs, 48 MB of
    // L2.
    {.key = "l4",
     .name = "NVIDIA L4",
     .capability = {8, 9},
     .multiprocessors = 58,
     .sm_clock_khz = 2040000,
     .memory_clock_khz = 6251000,
     .memory_bus_bits = 192,
     .l2_bytes = 48 * kMiB,
     .global_memory_bytes = 23580639232,
     .copy_engines = 2,
     .ecc = true},
    // deviceQuery on an H100 SXM5; Hopper white paper: 132 SMs, 50 MB of L2, 80 GB HBM3, 3,352
    // GB/s.
    {.key = "h100",
     .name = "NVIDIA H100 80GB HBM3",
     .capability = {9, 0},
     .multiprocessors = 132,
     .sm_clock_khz = 1980000,
     .memory_clock_khz = 2619000,
     .memory_bus_bits = 5120,
     .l2_bytes = 50 * kMiB,
     .global_memory_bytes = 85028896768,
     .copy_engines = 3,
     .ecc = true},
    // cuDeviceGetAttribute on an H200 with CUDA 13.0; H200 data sheet: 141 GB HBM3e, 4.8 TB/s.
    {.key = "h200",
     .name = "NVIDIA H200",
     .capability = {9, 0},
     .multiprocessors = 132,
     .sm_clock_khz = 1980000,
     .memory_clock_khz = 3201000,
     .memory_bus_bits = 6016,
     .l2_bytes = 60 * kMiB,
     .global_memory_bytes = 150109880320,
     .copy_engines = 3,
     .ecc = true},
    // Queried on a B200 (pytorch/ao pull request 4002: 7,680 bits, 3,996 MHz, 126.5 MB of L2,
    // 178.35 GiB); Blackwell tuning
    // guide: 126 MB of L2; 148 SMs at 1,965 MHz; DGX B200 data sheet: 7.7 TB/s a GPU.
    {.key = "b200",
     .name = "NVIDIA B200",
     .capability = {10, 0},
     .multiprocessors = 148,
     .sm_clock_khz = 1965000,
     .memory_clock_khz = 3996000,
     .memory_bus_bits = 7680,
     .l2_bytes = 253 * kMiB / 2,
     .global_memory_bytes = 191503204352,
     .copy_engines = 4,
     .ecc = true},
    // deviceQuery on a GeForce RTX 5090 (NVIDIA/nccl issue 1637); RTX Blackwell white paper: 170
    // SMs, 2,407 MHz boost, 96 MB of
    // L2, 32 GB GDDR7, 1,792 GB/s.
    {.key = "rtx5090",
     .name = "NVIDIA GeForce RTX 5090",
     .capability = {12, 0},
     .multiprocessors = 170,
     .sm_clock_khz = 2407000,
     .memory_clock_khz = 14001000,
     .memory_bus_bits = 512,
     .l2_bytes = 96 * kMiB,
     .global_memory_bytes = 33680457728,
     .copy_engines = 2,
     .ecc = false},
}};

constexpr std::string_view kDefaultKey = "h200";

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

double peak_flops(const Device& device, std::uint32_t lanes) {
    return 2.0 * lanes * device.multiprocessors * device.sm_clock_khz * 1e3;
}

}  // namespace

double Device::dram_peak_bytes_per_second() const {
    return 2.0 * memory_clock_khz * 1e3 * (memory_bus_bits / 8.0);
}

std::uint64_t Device::persisting_l2_bytes() const {
    constexpr ComputeCapability kFirstWithPersistence = {8, 0};
    return capability < kFirstWithPersistence ? 0 : l2_bytes / 8 * 5;
}

double Device::fp32_peak_flops() const { return peak_flops(*this, limits().fp32_lanes); }

double Device::fp64_peak_flops() const { return peak_flops(*this, limits().fp64_lanes); }

std::span<const Device> devices() { return kDevices; }

const Device* find_device(std::string_view key) {
    const auto* row = std::ranges::find_if(kDevices, [key](const Device& device) {
        return std::ranges::equal(device.key, key, {}, {}, lower);
    });
    return row == kDevices.end() ? nullptr : row;
}

const Device* device_named(std::string_view name) {
    const auto found = std::ranges::find(kDevices, name, &Device::name);
    return found == std::end(kDevices) ? nullptr : &*found;
}

const Device& default_device() { return *find_device(kDefaultKey); }

}  // namespace wideload::arch
