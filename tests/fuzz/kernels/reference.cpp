// SPDX-License-Identifier: Apache-2.0
#include "reference.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace wideload::fuzz {
namespace {

/// Active lanes, by warp of the block.
using Mask = std::vector<std::uint32_t>;

// Addresses are never data, so any numbers will do. Each array begins at a multiple of 128.
constexpr std::uint64_t kArrayShift = 40;
enum class Array : std::uint64_t { none, input, output, totals, variable, constant, shared, local };
constexpr std::uint64_t start_of(Array array) {
    return static_cast<std::uint64_t>(array) << kArrayShift;
}

class Evaluator {
public:
    Evaluator(const Kernel& kernel, Memory before) : kernel_(kernel) {
        result_.memory = std::move(before);
        result_.sites.resize(kernel.sites);
    }

    Expectation run() {
        const std::uint32_t threads = kernel_.block.count();
        for (block_ = 0; block_ < kernel_.blocks; ++block_) {
            shared_.assign(kernel_.shared_bytes, 0);
            shared_written_.assign(kernel_.shared_bytes, 0);
            local_.assign(threads, std::vector<std::uint8_t>(kLocalBytes));
            local_written_ = local_;
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

    template <class Visit>
    static void for_each_thread(const Mask& mask, Visit visit) {
        for (std::uint32_t warp = 0; warp < mask.size(); ++warp) {
            for (std::uint32_t rest = mask[warp]; rest != 0; rest &= rest - 1) {
                visit(warp * 32 + static_cast<std::uint32_t>(std::countr_zero(rest)));
            }
        }
    }
    static bool any(const Mask& mask) {
        return std::any_of(mask.begin(), mask.end(), [](std::uint32_t m) { return m != 0; });
    }
    static Mask minus(Mask a, const Mask& b) {
        for (std::size_t w = 0; w < a.size(); ++w) a[w] &= ~b[w];
        return a;
    }
    static void unite(Mask& a, const Mask& b) {
        for (std::size_t w = 0; w < a.size(); ++w) a[w] |= b[w];
    }

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
                           &frame_->function == &kernel_.entry ? parameter(s.index)
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

    std::uint64_t parameter(unsigned index) const {
        switch (static_cast<Parameter>(index)) {
            case Parameter::input:
                return start_of(Array::input) + kInputMargin;
            case Parameter::output:
                return start_of(Array::output);
            case Parameter::totals:
                return start_of(Array::totals);
            case Parameter::word:
                return kernel_.word;
            case Parameter::wide:
                return kernel_.wide;
            default:
                return std::bit_cast<std::uint32_t>(kernel_.real);
        }
    }

    static std::uint64_t symbol_address(const Statement& s) {
        const auto offset = static_cast<std::uint64_t>(s.offset);
        switch (s.symbol) {
            case Symbol::constant:
                return start_of(Array::constant) + offset;
            case Symbol::variable:
                return start_of(Array::variable) + offset;
            case Symbol::shared:
                return (s.space == Space::generic ? start_of(Array::shared) : 0) + offset;
            default:
                return (s.space == Space::generic ? start_of(Array::local) : 0) + offset;
        }
    }

    /// The bytes behind an address, and where they are.
    struct Place {
        std::uint8_t* bytes = nullptr;
        Array array = Array::none;
        std::uint64_t offset = 0;
    };
    Place find(const Statement& s, std::uint32_t thread, unsigned bytes) {
        std::uint64_t address = read(s.address, thread) + static_cast<std::uint64_t>(s.offset);
        Place place;
        place.array = s.space == Space::shared  ? Array::shared
                      : s.space == Space::local ? Array::local
                                                : static_cast<Array>(address >> kArrayShift);
        place.offset =
            address -
            (s.space == Space::shared || s.space == Space::local ? 0 : start_of(place.array));
        if (s.space == Space::shared) place.offset &= 0xffffffff;
        std::uint8_t* start = nullptr;
        std::uint64_t size = 0;
        const auto of = [&](std::vector<std::uint8_t>& array) {
            start = array.data();
            size = array.size();
        };
        switch (place.array) {
            case Array::input:
                of(result_.memory.input);
                break;
            case Array::output:
                of(result_.memory.output);
                break;
            case Array::totals:
                of(result_.memory.totals);
                break;
            case Array::shared:
                of(shared_);
                break;
            case Array::local:
                of(local_[thread]);
                break;
            case Array::constant:
            case Array::variable:
                start = const_cast<std::uint8_t*>(kernel_.constants.data());  // never stored to
                size = s.kind == Statement::Kind::load ? kernel_.constants.size() : 0;
                break;
            default:
                break;
        }
        if (size < bytes || place.offset > size - bytes || place.offset % bytes != 0) {
            result_.invalid = "an address outside of its array, or a misaligned one";
            return place;
        }
        std::vector<std::uint8_t>* written = place.array == Array::shared  ? &shared_written_
                                             : place.array == Array::local ? &local_written_[thread]
                                                                           : nullptr;
        for (std::uint64_t i = place.offset; written != nullptr && i < place.offset + bytes; ++i) {
            if (s.kind == Statement::Kind::store) (*written)[i] = 1;
            if (!(*written)[i]) result_.invalid = "memory that was never written";
        }
        place.bytes = start + place.offset;
        return place;
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

    static std::uint64_t combine(Reduction reduction, std::uint64_t a, std::uint64_t b) {
        const auto word = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
        const auto integer = [](std::uint64_t v) { return static_cast<std::int32_t>(v); };
        switch (reduction) {
            case Reduction::add_u32:
                return word(a + b);
            case Reduction::min_s32:
                return word(static_cast<std::uint64_t>(std::min(integer(a), integer(b))));
            case Reduction::max_u32:
                return std::max(word(a), word(b));
            case Reduction::and_b32:
                return word(a & b);
            case Reduction::or_b32:
                return word(a | b);
            case Reduction::xor_b32:
                return word(a ^ b);
            case Reduction::add_u64:
                return a + b;
            default:
                return static_cast<std::uint64_t>(
                    std::max(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
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
        std::array<std::uint32_t, 32> values{}, seconds{};
        const auto lanes = [&](auto visit) {
            for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
                visit(static_cast<std::uint32_t>(std::countr_zero(rest)));
            }
        };
        lanes([&](std::uint32_t lane) {
            const std::uint32_t thread = warp * 32 + lane;
            if (!s.sources.empty())
                values[lane] = static_cast<std::uint32_t>(value(s.sources[0], thread));
            if (s.sources.size() > 1)
                seconds[lane] = static_cast<std::uint32_t>(value(s.sources[1], thread));
        });
        std::uint32_t ballot = 0;
        lanes([&](std::uint32_t lane) { ballot |= (values[lane] != 0 ? 1u : 0u) << lane; });
        std::array<std::uint32_t, 32> results{}, in_range{};
        lanes([&](std::uint32_t lane) {
            switch (s.collective) {
                case Collective::shuffle_index:
                case Collective::shuffle_up:
                case Collective::shuffle_down:
                case Collective::shuffle_xor: {
                    std::int64_t from = seconds[lane] & 31;
                    if (s.collective == Collective::shuffle_up) from = lane - from;
                    if (s.collective == Collective::shuffle_down) from = lane + from;
                    if (s.collective == Collective::shuffle_xor) from = lane ^ from;
                    in_range[lane] = from >= 0 && from < 32;
                    results[lane] =
                        values[in_range[lane] != 0 ? static_cast<std::size_t>(from) : lane];
                    break;
                }
                case Collective::vote_all:
                    results[lane] = ballot == active;
                    break;
                case Collective::vote_any:
                    results[lane] = ballot != 0;
                    break;
                case Collective::vote_uniform:
                    results[lane] = ballot == 0 || ballot == active;
                    break;
                case Collective::vote_ballot:
                    results[lane] = ballot;
                    break;
                case Collective::match_any:
                    lanes([&](std::uint32_t other) {
                        results[lane] |= (values[other] == values[lane] ? 1u : 0u) << other;
                    });
                    break;
                case Collective::active_mask:
                    results[lane] = active;
                    break;
                default:
                    results[lane] = reduce_lanes(s.collective, values, active);
                    break;
            }
        });
        lanes([&](std::uint32_t lane) {
            const std::uint32_t thread = warp * 32 + lane;
            define(s.results[0], thread, results[lane]);
            if (s.results.size() > 1) define(s.results[1], thread, in_range[lane]);
        });
    }

    static std::uint32_t reduce_lanes(Collective collective,
                                      const std::array<std::uint32_t, 32>& values,
                                      std::uint32_t active) {
        std::uint32_t result = values[static_cast<std::size_t>(std::countr_zero(active))];
        for (std::uint32_t rest = active & (active - 1); rest != 0; rest &= rest - 1) {
            const std::uint32_t next = values[static_cast<std::size_t>(std::countr_zero(rest))];
            switch (collective) {
                case Collective::reduce_add:
                    result += next;
                    break;
                case Collective::reduce_min_s32:
                    result = static_cast<std::uint32_t>(std::min(static_cast<std::int32_t>(result),
                                                                 static_cast<std::int32_t>(next)));
                    break;
                case Collective::reduce_max_u32:
                    result = std::max(result, next);
                    break;
                case Collective::reduce_and:
                    result &= next;
                    break;
                case Collective::reduce_or:
                    result |= next;
                    break;
                default:
                    result ^= next;
                    break;
            }
        }
        return result;
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
    std::vector<std::uint8_t> shared_, shared_written_;
    std::vector<std::vector<std::uint8_t>> local_, local_written_;  ///< by thread
    Frame* frame_ = nullptr;
    std::vector<Loop*> loops_;
};

}  // namespace

Expectation evaluate(const Kernel& kernel, Memory before) {
    return Evaluator(kernel, std::move(before)).run();
}

}  // namespace wideload::fuzz
