// SPDX-License-Identifier: Apache-2.0
#include "reference.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "arrays.h"
#include "collectives.h"
#include "masks.h"

namespace wideload::fuzz {
namespace {

class Evaluator {
public:
    Evaluator(const Kernel& kernel, Memory before)
        : kernel_(kernel), arrays_(kernel, result_.memory) {
        result_.memory = std::move(before);
        result_.sites.resize(kernel.sites);
    }

    Expectation run() {
        const std::uint32_t threads = kernel_.block.count();
        for (block_ = 0; block_ < kernel_.blocks; ++block_) {
            arrays_.begin_block(threads);
            Mask mask((threads + 31) / 32, 0);
            for (std::uint32_t t = 0; t < threads; ++t) mask[t / 32] |= 1u << t % 32;
            Frame frame(kernel_.entry, threads);
            frame_ = &frame;
            execute(kernel_.entry.body, mask);
            count(mask, 1);  // ret
        }
        return std::move(result_);
    }

private:
    struct Frame {
        Frame(const Function& f, std::uint32_t threads)
            : function(f),
              registers(f.registers.size(), std::vector<std::uint64_t>(threads)),
              written(f.registers.size(), std::vector<char>(threads)) {}
        const Function& function;
        std::vector<std::vector<std::uint64_t>> registers;  ///< [register][thread]
        std::vector<std::vector<char>> written;
        std::vector<std::vector<std::uint64_t>> arguments;  ///< [parameter][thread]
        std::vector<std::uint64_t> returned_values;
        Mask returned;
    };
    struct Loop {
        Mask left, next;
    };

    /// PTX instructions that the active lanes execute together.
    void count(const Mask& mask, std::uint64_t instructions) {
        for (const std::uint32_t lanes : mask) {
            result_.instructions += lanes != 0 ? instructions : 0;
            result_.thread_instructions +=
                instructions * static_cast<unsigned>(std::popcount(lanes));
        }
    }
    void count_branch(const Mask& mask, const Mask& taken) {
        for (std::size_t w = 0; w < mask.size(); ++w) {
            result_.branches += mask[w] != 0 ? 1 : 0;
            result_.divergent_branches += taken[w] != 0 && taken[w] != mask[w] ? 1 : 0;
        }
    }

    std::uint64_t special(Special special, std::uint32_t thread) const {
        const Dimensions& block = kernel_.block;
        switch (special) {
            case Special::tid_x:
                return thread % block.x;
            case Special::tid_y:
                return thread / block.x % block.y;
            case Special::tid_z:
                return thread / block.x / block.y;
            case Special::ntid_x:
                return block.x;
            case Special::ntid_y:
                return block.y;
            case Special::ntid_z:
                return block.z;
            case Special::ctaid_x:
                return block_;
            case Special::nctaid_x:
                return kernel_.blocks;
            case Special::laneid:
                return thread % 32;
            default:
                return (1u << thread % 32) - 1;
        }
    }
    std::uint64_t read(RegisterId reg, std::uint32_t thread) {
        if (!frame_->written[reg][thread]) result_.invalid = "a register that was never written";
        return frame_->registers[reg][thread];
    }
    std::uint64_t value(const Operand& operand, std::uint32_t thread) {
        switch (operand.kind) {
            case Operand::Kind::reg:
                return read(operand.reg, thread);
            case Operand::Kind::special:
                return special(operand.special, thread);
            default:
                return operand.bits;
        }
    }
    void define(RegisterId reg, std::uint32_t thread, std::uint64_t bits) {
        const Type type = frame_->function.registers[reg];
        if (type == Type::b32 || type == Type::f32) bits &= 0xffffffff;
        frame_->registers[reg][thread] = bits;
        frame_->written[reg][thread] = 1;
    }
    Mask where(const Mask& mask, RegisterId predicate, bool negated = false) {
        Mask taken(mask.size(), 0);
        for_each_thread(mask, [&](std::uint32_t t) {
            if ((read(predicate, t) != 0) != negated) taken[t / 32] |= 1u << t % 32;
        });
        return taken;
    }

    void execute(const Statements& statements, Mask& mask) {
        for (const Statement& statement : statements) {
            if (!any(mask)) return;
            execute(statement, mask);
        }
    }

    void execute(const Statement& s, Mask& mask) {
        const Mask active = s.guard ? where(mask, s.guard->predicate, s.guard->negated) : mask;
        switch (s.kind) {
            case Statement::Kind::operation:
                count(mask, 1);
                for_each_thread(active, [&](std::uint32_t t) {
                    std::array<std::uint64_t, 4> sources{};
                    for (std::size_t i = 0; i < s.sources.size(); ++i)
                        sources[i] = value(s.sources[i], t);
                    define(s.results[0], t, s.operation->evaluate(sources.data()));
                });
                break;
            case Statement::Kind::parameter:
                count(mask, 1);
                for_each_thread(active, [&](std::uint32_t t) {
                    define(s.results[0], t,
                           &frame_->function == &kernel_.entry ? parameter(kernel_, s.index)
                                                               : frame_->arguments[s.index][t]);
                });
                break;
            case Statement::Kind::address_of:
                count(mask, s.space == Space::generic ? 2 : 1);
                for_each_thread(
                    active, [&](std::uint32_t t) { define(s.results[0], t, symbol_address(s)); });
                break;
            case Statement::Kind::load:
            case Statement::Kind::store:
                count(mask, 1);
                access(s, active);
                break;
            case Statement::Kind::reduction:
                count(mask, 1);
                reduce(s, active);
                break;
            case Statement::Kind::collective:
                count(mask, 1);
                for (std::uint32_t warp = 0; warp < active.size(); ++warp)
                    collect(s, warp, active[warp]);
                break;
            case Statement::Kind::barrier:
                count(mask, 1);
                break;
            case Statement::Kind::branch:
                return branch(s, mask);
            case Statement::Kind::loop:
                return loop(s, mask);
            case Statement::Kind::leave_loop:
            case Statement::Kind::next_turn: {
                count(mask, 1);
                count_branch(mask, active);
                Loop& left = *loops_[loops_.size() - 1 - s.index];
                unite(s.kind == Statement::Kind::leave_loop ? left.left : left.next, active);
                mask = minus(mask, active);
                break;
            }
            case Statement::Kind::choose:
                return choose(s, mask);
            case Statement::Kind::irregular:
                return irregular(s, mask);
            case Statement::Kind::leave:
                count(mask, s.results.empty() ? 1 : 2);
                if (&frame_->function != &kernel_.entry && !s.whole_thread)
                    return_lanes(active, s.results[0]);
                mask = minus(mask, active);
                break;
            case Statement::Kind::call:
                return call(s, mask);
        }
    }

    Place find(const Statement& s, std::uint32_t thread, unsigned bytes) {
        const std::uint64_t address =
            read(s.address, thread) + static_cast<std::uint64_t>(s.offset);
        return arrays_.find(s, address, thread, bytes, result_.invalid);
    }

    void access(const Statement& s, const Mask& active) {
        const bool loads = s.kind == Statement::Kind::load;
        const std::size_t width = loads ? s.results.size() : s.sources.size();
        const unsigned bytes = s.element_bytes * static_cast<unsigned>(width);
        std::vector<LaneAddresses> requests(active.size());
        Array array = Array::none;
        for_each_thread(active, [&](std::uint32_t t) {
            const Place place = find(s, t, bytes);
            if (place.bytes == nullptr) return;
            array = place.array;
            requests[t / 32][t % 32] = place.offset;
            for (std::size_t i = 0; i < width; ++i) {
                std::uint8_t* element = place.bytes + i * s.element_bytes;
                if (loads) {
                    std::uint64_t bits = 0;
                    std::memcpy(&bits, element, s.element_bytes);
                    if (s.sign_extends && (bits >> (s.element_bytes * 8 - 1) & 1) != 0)
                        bits |= ~std::uint64_t{0} << (s.element_bytes * 8);
                    define(s.results[i], t, bits);
                } else {
                    const std::uint64_t bits = value(s.sources[i], t);
                    std::memcpy(element, &bits, s.element_bytes);
                }
            }
        });
        for (const LaneAddresses& request : requests) {
            SiteCounts& site = result_.sites[s.site];
            if (array == Array::shared) {
                count_shared(site, request, bytes);
            } else if (array == Array::local) {
                count_local(site, request, bytes);
            } else {
                count_global(site, request, bytes);
            }
        }
    }

    void reduce(const Statement& s, const Mask& active) {
        std::vector<LaneAddresses> requests(active.size());
        for_each_thread(active, [&](std::uint32_t t) {
            const Place place = find(s, t, s.element_bytes);
            if (place.bytes == nullptr) return;
            requests[t / 32][t % 32] = place.offset;
            std::uint64_t bits = 0;
            std::memcpy(&bits, place.bytes, s.element_bytes);
            bits = combine(s.reduction, bits, value(s.sources[0], t));
            std::memcpy(place.bytes, &bits, s.element_bytes);
        });
        for (const LaneAddresses& request : requests) count_lanes(result_.sites[s.site], request);
    }

    void collect(const Statement& s, std::uint32_t warp, std::uint32_t active) {
        if (active == 0 || s.results.empty()) return;
        LaneValues values{}, seconds{};
        for_each_lane(active, [&](std::uint32_t lane) {
            const std::uint32_t thread = warp * 32 + lane;
            if (!s.sources.empty())
                values[lane] = static_cast<std::uint32_t>(value(s.sources[0], thread));
            if (s.sources.size() > 1)
                seconds[lane] = static_cast<std::uint32_t>(value(s.sources[1], thread));
        });
        const LaneResults found = fuzz::collect(s.collective, active, values, seconds);
        for_each_lane(active, [&](std::uint32_t lane) {
            const std::uint32_t thread = warp * 32 + lane;
            define(s.results[0], thread, found.results[lane]);
            if (s.results.size() > 1) define(s.results[1], thread, found.in_range[lane]);
        });
    }

    void branch(const Statement& s, Mask& mask) {
        count(mask, 1);
        Mask taken = where(mask, s.sources[0].reg);
        Mask other = minus(mask, taken);
        count_branch(mask, taken);
        execute(s.bodies[0], taken);
        if (!s.bodies[1].empty()) count(taken, 1);
        execute(s.bodies[1], other);
        mask = taken;
        unite(mask, other);
    }

    void loop(const Statement& s, Mask& mask) {
        count(mask, 1);
        for_each_thread(mask, [&](std::uint32_t t) { define(s.results[0], t, 0); });
        Mask after(mask.size(), 0);
        while (any(mask)) {
            if (s.tests_first) leave_where_done(s, mask, after, true);
            Loop turn{Mask(mask.size(), 0), Mask(mask.size(), 0)};
            loops_.push_back(&turn);
            execute(s.bodies[0], mask);
            loops_.pop_back();
            unite(after, turn.left);
            unite(mask, turn.next);
            count(mask, s.tests_first ? 2 : 1);
            for_each_thread(
                mask, [&](std::uint32_t t) { define(s.results[0], t, read(s.results[0], t) + 1); });
            if (!s.tests_first) leave_where_done(s, mask, after, false);
        }
        mask = after;
    }

    /// The loop's test: two instructions.
    void leave_where_done(const Statement& s, Mask& mask, Mask& after, bool jumps_out) {
        count(mask, 2);
        Mask done(mask.size(), 0);
        for_each_thread(mask, [&](std::uint32_t t) {
            const auto limit = static_cast<std::uint32_t>(value(s.sources[0], t));
            if (read(s.results[0], t) >= limit) done[t / 32] |= 1u << t % 32;
        });
        count_branch(mask, jumps_out ? done : minus(mask, done));
        unite(after, done);
        mask = minus(mask, done);
    }

    void choose(const Statement& s, Mask& mask) {
        count(mask, 1);
        for (const std::uint32_t lanes : mask) result_.branches += lanes != 0 ? 1 : 0;
        Mask after(mask.size(), 0);
        for (std::size_t body = 0; body < s.bodies.size(); ++body) {
            Mask chosen(mask.size(), 0);
            for_each_thread(mask, [&](std::uint32_t t) {
                if (value(s.sources[0], t) >= s.bodies.size())
                    result_.invalid = "an index past the targets of a jump";
                if (value(s.sources[0], t) == body) chosen[t / 32] |= 1u << t % 32;
            });
            execute(s.bodies[body], chosen);
            if (body + 1 < s.bodies.size()) count(chosen, 1);
            unite(after, chosen);
        }
        mask = after;
    }

    void irregular(const Statement& s, Mask& mask) {
        for_each_thread(mask, [&](std::uint32_t t) {
            Mask lane(mask.size(), 0);
            lane[t / 32] = 1u << t % 32;
            for (std::size_t node = 0; node < s.bodies.size();) {
                execute(s.bodies[node], lane);
                count(lane, 3);
                const auto left = static_cast<std::int32_t>(read(s.results[0], t)) - 1;
                define(s.results[0], t, static_cast<std::uint32_t>(left));
                if (left <= 0) break;
                const std::vector<unsigned>& edges = s.edges[node];
                const std::uint64_t chosen = read(s.results[node + 1], t);
                // One edge: bra. Two: setp, bra, and bra where the first was not taken.
                count(lane, edges.size() != 2 ? 1 : chosen != 0 ? 2 : 3);
                if (edges.size() > 1 && chosen >= edges.size()) {
                    result_.invalid = "an index past the targets of a jump";
                    break;
                }
                node = edges[edges.size() == 1 ? 0 : chosen];
            }
        });
    }

    void return_lanes(const Mask& lanes, RegisterId value) {
        unite(frame_->returned, lanes);
        for_each_thread(lanes,
                        [&](std::uint32_t t) { frame_->returned_values[t] = read(value, t); });
    }

    void call(const Statement& s, Mask& mask) {
        count(mask, s.sources.size() + 1);
        const Function& callee = kernel_.functions[s.index];
        Frame frame(callee, kernel_.block.count());
        for (const Operand& source : s.sources) {
            frame.arguments.emplace_back(kernel_.block.count());
            for_each_thread(mask, [&](std::uint32_t t) {
                frame.arguments.back()[t] = value(source, t) & 0xffffffff;
            });
        }
        frame.returned.assign(mask.size(), 0);
        frame.returned_values.assign(kernel_.block.count(), 0);
        Frame* const caller = std::exchange(frame_, &frame);
        const auto loops = std::exchange(loops_, {});
        execute(callee.body, mask);
        count(mask, 2);
        return_lanes(mask, *callee.result);
        loops_ = loops;
        frame_ = caller;
        mask = frame.returned;
        count(mask, 1);
        for_each_thread(
            mask, [&](std::uint32_t t) { define(s.results[0], t, frame.returned_values[t]); });
    }

    const Kernel& kernel_;
    Expectation result_;
    std::uint32_t block_ = 0;
    Arrays arrays_;
    Frame* frame_ = nullptr;
    std::vector<Loop*> loops_;
};

}  // namespace

Expectation evaluate(const Kernel& kernel, Memory before) {
    return Evaluator(kernel, std::move(before)).run();
}

}  // namespace wideload::fuzz
