// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "gpu/address_space.h"
#include "gpu/arena.h"
#include "gpu/host_memory.h"

namespace wideload::gpu {
namespace {

constexpr std::uint64_t kSmallAlignment = 512;
constexpr std::uint64_t kLargeAlignment = 2u << 20;
constexpr std::uint64_t kLargeBytes = 1u << 20;
constexpr std::uint64_t kGuardBytes = 64u << 10;
constexpr std::uint64_t kPitchAlignment = 512;
/// Address space per half of the arena, in multiples of the GPU's memory: room for guards, and for
/// freed addresses to rest.
constexpr std::uint64_t kAddressSpaceFactor = 4;
/// What the host keeps for the program itself, the engine and everybody else.
constexpr std::uint64_t kHostReserveBytes = 512u << 20;
/// Allocations under this size in sum are granted without asking the host, which costs tens of
/// microseconds.
constexpr std::uint64_t kUncheckedBytes = 16u << 20;
constexpr std::size_t kRememberedFreed = 4096;

using AllocationPointer = std::shared_ptr<Allocation>;
using Table = std::vector<const Allocation*>;

/// The last of a map keyed by begin whose begin is at or below the address.
template <class Map>
auto at_or_below(const Map& map, std::uint64_t address) {
    auto after = map.upper_bound(address);
    return after == map.begin() ? map.end() : std::prev(after);
}

/// The first of a table's allocations that begins behind the address.
Table::const_iterator behind(const Table& table, std::uint64_t address) {
    return std::upper_bound(table.begin(), table.end(), address,
                            [](std::uint64_t a, const Allocation* b) { return a < b->begin; });
}

std::int64_t distance_to(const Allocation& allocation, std::uint64_t address) {
    if (address < allocation.begin) return -static_cast<std::int64_t>(allocation.begin - address);
    if (address < allocation.end()) return 0;
    return static_cast<std::int64_t>(address - allocation.end()) + 1;
}

}  // namespace

struct Memory::State {
    State(std::uint64_t device, std::unique_ptr<Arena> a)
        : device_bytes(device),
          arena(std::move(a)),
          closed(arena->begin() + kLargeAlignment, arena->host_visible_begin()),
          open(arena->host_visible_begin(), arena->end()) {}

    std::uint64_t device_bytes;
    std::unique_ptr<Arena> arena;

    mutable std::mutex mutex;
    AddressSpace closed, open;  ///< to the host
    std::map<std::uint64_t, AllocationPointer> live;
    std::map<std::uint64_t, AllocationPointer> freed;
    std::deque<AllocationPointer> freed_in_order;
    std::uint64_t allocated_bytes = 0;  ///< of the arena
    std::uint64_t unchecked_bytes = 0;
    std::uint64_t next_serial = 1;

    // `find` reads a sorted snapshot. While nobody does, a change is made in it; else it is rebuilt
    // when first needed after the change, and what readers may still hold is kept until there are
    // none.
    mutable std::atomic<const Table*> table{nullptr};
    mutable std::unique_ptr<Table> current;
    mutable std::vector<std::unique_ptr<const Table>> retired_tables;
    mutable std::vector<AllocationPointer> retired_allocations;
    mutable unsigned readers = 0;

    AddressSpace& space(AllocationKind kind) { return host_visible(kind) ? open : closed; }

    // All below: with `mutex` held.
    const Table* rebuild() const;
    void add(AllocationPointer allocation);
    AllocationPointer remove(std::map<std::uint64_t, AllocationPointer>::iterator entry);
    void retire_table();
    void collect() const;
    std::uint64_t free_bytes() const;
    bool host_has(std::uint64_t bytes);
    void remember_freed(AllocationPointer allocation);
    void forget_freed(std::uint64_t begin, std::uint64_t end);
    const Allocation* find_live(std::uint64_t address) const;
    std::optional<Neighbour> nearest(std::uint64_t address) const;
};

const Table* Memory::State::rebuild() const {
    if (const Table* ready = table.load(std::memory_order_acquire)) return ready;
    auto fresh = std::make_unique<Table>();
    fresh->reserve(live.size());
    for (const auto& [begin, allocation] : live) fresh->push_back(allocation.get());
    current = std::move(fresh);
    table.store(current.get(), std::memory_order_release);
    return current.get();
}

void Memory::State::add(AllocationPointer allocation) {
    if (readers != 0) {
        retire_table();
    } else if (current) {
        current->insert(behind(*current, allocation->begin), allocation.get());
    }
    live.emplace(allocation->begin, std::move(allocation));
}

AllocationPointer Memory::State::remove(
    std::map<std::uint64_t, AllocationPointer>::iterator entry) {
    AllocationPointer allocation = std::move(entry->second);
    live.erase(entry);
    if (readers != 0) {
        retire_table();
        retired_allocations.push_back(allocation);
    } else if (current) {
        current->erase(std::prev(behind(*current, allocation->begin)));
    }
    return allocation;
}

void Memory::State::retire_table() {
    table.store(nullptr, std::memory_order_release);
    if (current) retired_tables.push_back(std::move(current));
}

void Memory::State::collect() const {
    if (readers != 0) return;
    retired_tables.clear();
    retired_allocations.clear();
}

std::uint64_t Memory::State::free_bytes() const {
    const std::uint64_t of_device = device_bytes - std::min(device_bytes, allocated_bytes);
    // What was allocated but not yet touched is promised already.
    const std::uint64_t promised =
        allocated_bytes - std::min(allocated_bytes, arena->resident_bytes());
    const std::uint64_t available = host_memory_available();
    const std::uint64_t of_host = available - std::min(available, promised + kHostReserveBytes);
    return std::min(of_device, of_host);
}

bool Memory::State::host_has(std::uint64_t bytes) {
    if (bytes > device_bytes - std::min(device_bytes, allocated_bytes)) return false;
    unchecked_bytes += bytes;
    if (unchecked_bytes < kUncheckedBytes) return true;
    unchecked_bytes = 0;
    return bytes <= free_bytes();
}

void Memory::State::remember_freed(AllocationPointer allocation) {
    allocation->freed = true;
    freed_in_order.push_back(allocation);
    freed.insert_or_assign(allocation->begin, std::move(allocation));
    if (freed_in_order.size() <= kRememberedFreed) return;
    const auto oldest = freed.find(freed_in_order.front()->begin);
    if (oldest != freed.end() && oldest->second == freed_in_order.front()) freed.erase(oldest);
    freed_in_order.pop_front();
}

void Memory::State::forget_freed(std::uint64_t begin, std::uint64_t end) {
    auto entry = freed.lower_bound(begin);
    if (entry != freed.begin() && std::prev(entry)->second->end() > begin) --entry;
    while (entry != freed.end() && entry->first < end) entry = freed.erase(entry);
}

const Allocation* Memory::State::find_live(std::uint64_t address) const {
    const auto entry = at_or_below(live, address);
    return entry != live.end() && entry->second->contains(address) ? entry->second.get() : nullptr;
}

std::optional<Memory::Neighbour> Memory::State::nearest(std::uint64_t address) const {
    if (const auto entry = at_or_below(freed, address);
        entry != freed.end() && entry->second->contains(address)) {
        return Neighbour{*entry->second, 0};
    }
    std::optional<Neighbour> best;
    const auto consider = [&](const Allocation& allocation) {
        const std::int64_t distance = distance_to(allocation, address);
        const auto size = [](std::int64_t d) { return static_cast<std::uint64_t>(d < 0 ? -d : d); };
        if (!best || size(distance) < size(best->distance)) best = Neighbour{allocation, distance};
    };
    if (const auto entry = at_or_below(live, address); entry != live.end())
        consider(*entry->second);
    if (const auto entry = live.upper_bound(address); entry != live.end()) consider(*entry->second);
    return best;
}

Memory::Memory(std::unique_ptr<State> state) : state_(std::move(state)) {}
Memory::~Memory() = default;

Result<std::unique_ptr<Memory>> Memory::create(std::uint64_t device_bytes) {
    auto arena = Arena::create(device_bytes * kAddressSpaceFactor);
    if (!arena) return arena.errors();
    return std::unique_ptr<Memory>(
        new Memory(std::make_unique<State>(device_bytes, std::move(*arena))));
}

std::optional<std::uint64_t> Memory::allocate(std::uint64_t bytes, AllocationKind kind,
                                              std::string name, std::uint64_t alignment) {
    if (bytes == 0 || bytes > state_->device_bytes) return std::nullopt;
    const std::lock_guard lock(state_->mutex);
    if (!state_->host_has(bytes)) return std::nullopt;
    alignment = std::max(alignment, bytes >= kLargeBytes ? kLargeAlignment : kSmallAlignment);
    const auto begin = state_->space(kind).take(bytes + kGuardBytes, alignment);
    if (!begin) return std::nullopt;
    state_->forget_freed(*begin, *begin + bytes + kGuardBytes);
    state_->add(std::make_shared<Allocation>(Allocation{*begin, bytes, kind, displacement(), false,
                                                        state_->next_serial++, std::move(name)}));
    state_->allocated_bytes += bytes;
    return begin;
}

bool Memory::free(std::uint64_t address) {
    const std::lock_guard lock(state_->mutex);
    const auto entry = state_->live.find(address);
    if (entry == state_->live.end() || entry->second->kind == AllocationKind::registered)
        return false;
    const AllocationPointer allocation = state_->remove(entry);
    state_->arena->release_pages(allocation->begin, allocation->bytes);
    state_->space(allocation->kind).give_back(allocation->begin, allocation->bytes + kGuardBytes);
    state_->allocated_bytes -= allocation->bytes;
    // A reader may be looking at the allocation: the record that says "freed" is another.
    state_->remember_freed(std::make_shared<Allocation>(*allocation));
    return true;
}

void Memory::free_all_of_program() {
    std::vector<std::uint64_t> allocated, registered;
    {
        const std::lock_guard lock(state_->mutex);
        for (const auto& [begin, allocation] : state_->live) {
            switch (allocation->kind) {
                case AllocationKind::device:
                case AllocationKind::managed:
                case AllocationKind::pinned:
                    allocated.push_back(begin);
                    break;
                case AllocationKind::registered:
                    registered.push_back(begin);
                    break;
                default:
                    break;
            }
        }
    }
    for (const std::uint64_t begin : allocated) free(begin);
    for (const std::uint64_t begin : registered) unregister_host(begin);
}

bool Memory::register_host(std::uint64_t address, std::uint64_t bytes) {
    if (bytes == 0 || address + bytes < address) return false;
    const std::lock_guard lock(state_->mutex);
    const auto next = state_->live.lower_bound(address);
    if (state_->find_live(address) != nullptr) return false;
    if (next != state_->live.end() && next->first < address + bytes) return false;
    state_->add(std::make_shared<Allocation>(Allocation{
        address, bytes, AllocationKind::registered, 0, false, state_->next_serial++, {}}));
    return true;
}

bool Memory::unregister_host(std::uint64_t address) {
    const std::lock_guard lock(state_->mutex);
    const auto entry = state_->live.find(address);
    if (entry == state_->live.end() || entry->second->kind != AllocationKind::registered)
        return false;
    state_->remove(entry);
    return true;
}

std::int64_t Memory::displacement() const { return state_->arena->displacement(); }

bool Memory::in_arena(std::uint64_t address) const {
    return address >= state_->arena->begin() && address < state_->arena->end();
}

Memory::Reader::Reader(const Memory& memory) : memory_(memory) {
    const std::lock_guard lock(memory_.state_->mutex);
    ++memory_.state_->readers;
}

Memory::Reader::~Reader() {
    const std::lock_guard lock(memory_.state_->mutex);
    --memory_.state_->readers;
    memory_.state_->collect();
}

const Allocation* Memory::find(std::uint64_t address) const {
    const Table* table = state_->table.load(std::memory_order_acquire);
    if (table == nullptr) {
        const std::lock_guard lock(state_->mutex);
        table = state_->rebuild();
    }
    const auto after = behind(*table, address);
    if (after == table->begin()) return nullptr;
    const Allocation* allocation = *std::prev(after);
    return allocation->contains(address) ? allocation : nullptr;
}

std::optional<Allocation> Memory::lookup(std::uint64_t address) const {
    const std::lock_guard lock(state_->mutex);
    const Allocation* allocation = state_->find_live(address);
    return allocation != nullptr ? std::optional(*allocation) : std::nullopt;
}

std::optional<Memory::Neighbour> Memory::nearest(std::uint64_t address) const {
    const std::lock_guard lock(state_->mutex);
    return state_->nearest(address);
}

std::optional<Memory::Neighbour> Memory::try_nearest(std::uint64_t address) const {
    const std::unique_lock lock(state_->mutex, std::try_to_lock);
    return lock.owns_lock() ? state_->nearest(address) : std::nullopt;
}

std::byte* Memory::engine_pointer(std::uint64_t address) const {
    if (in_arena(address)) address += static_cast<std::uint64_t>(displacement());
    return reinterpret_cast<std::byte*>(address);
}

std::uint64_t Memory::total_bytes() const { return state_->device_bytes; }

std::uint64_t Memory::free_bytes() const {
    const std::lock_guard lock(state_->mutex);
    return state_->free_bytes();
}

std::optional<Diagnostic> Memory::what_the_host_lacks(std::uint64_t bytes) const {
    const std::lock_guard lock(state_->mutex);
    if (bytes > state_->device_bytes - std::min(state_->device_bytes, state_->allocated_bytes)) {
        return std::nullopt;
    }
    return failure(fmt::format("{} bytes of device memory cannot be had: this machine has {} left",
                               bytes, state_->free_bytes()),
                   "the GPU would have them, but a virtual one has the memory of the machine that "
                   "it runs on: try a smaller problem");
}

std::uint64_t Memory::pitch(std::uint64_t width_bytes) {
    return (width_bytes + kPitchAlignment - 1) & ~(kPitchAlignment - 1);
}

}  // namespace wideload::gpu
