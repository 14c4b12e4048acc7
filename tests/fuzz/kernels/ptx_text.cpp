// SPDX-License-Identifier: Apache-2.0
#include "ptx_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace wideload::fuzz {
namespace {

std::string_view type_name(Type type) {
    switch (type) {
        case Type::pred:
            return "pred";
        case Type::b32:
            return "b32";
        case Type::b64:
            return "b64";
        case Type::f32:
            return "f32";
        default:
            return "f64";
    }
}

std::string_view special_name(Special special) {
    constexpr std::array<std::string_view, 10> names{
        "%tid.x",  "%tid.y",   "%tid.z",    "%ntid.x", "%ntid.y",
        "%ntid.z", "%ctaid.x", "%nctaid.x", "%laneid", "%lanemask_lt"};
    return names.at(static_cast<std::size_t>(special));
}

std::string_view reduction_name(Reduction reduction) {
    constexpr std::array<std::string_view, 8> names{"add.u32", "min.s32", "max.u32", "and.b32",
                                                    "or.b32",  "xor.b32", "add.u64", "max.s64"};
    return names.at(static_cast<std::size_t>(reduction));
}

std::string_view collective_name(Collective collective) {
    constexpr std::array<std::string_view, 17> names{
        "shfl.sync.idx.b32",  "shfl.sync.up.b32",   "shfl.sync.down.b32", "shfl.sync.bfly.b32",
        "vote.sync.all.pred", "vote.sync.any.pred", "vote.sync.uni.pred", "vote.sync.ballot.b32",
        "match.any.sync.b32", "redux.sync.add.s32", "redux.sync.min.s32", "redux.sync.max.u32",
        "redux.sync.and.b32", "redux.sync.or.b32",  "redux.sync.xor.b32", "activemask.b32",
        "bar.warp.sync"};
    return names.at(static_cast<std::size_t>(collective));
}

std::string_view space_name(Space space) {
    constexpr std::array<std::string_view, 5> names{".global", ".shared", ".local", ".const", ""};
    return names.at(static_cast<std::size_t>(space));
}

class Writer {
public:
    ModuleText run(const std::vector<Kernel>& kernels) {
        line(".version 8.0\n.target sm_90\n.address_size 64");
        for (const Kernel& kernel : kernels) write_kernel(kernel);
        return std::move(module_);
    }

private:
    void line(std::string_view text) {
        module_.text += text;
        module_.text += '\n';
        lines_ += 1 + static_cast<unsigned>(std::count(text.begin(), text.end(), '\n'));
    }
    template <class... T>
    void line(fmt::format_string<T...> format, T&&... arguments) {
        line(fmt::format(format, std::forward<T>(arguments)...));
    }
    std::string label() { return fmt::format("L{}", ++labels_); }

    void write_kernel(const Kernel& kernel) {
        kernel_ = &kernel;
        module_.site_lines.emplace_back(kernel.sites, 0u);
        std::string bytes;
        for (const std::uint8_t byte : kernel.constants)
            bytes += fmt::format("{}{}", bytes.empty() ? "" : ", ", byte);
        for (const char* space : {"const", "global"}) {
            line(".{} .align 128 .b8 {}_{}[{}] = {{{}}};", space, kernel.name, space,
                 kConstantBytes, bytes);
        }
        for (std::size_t f = 0; f < kernel.functions.size(); ++f) {
            function_ = &kernel.functions[f];
            std::string parameters;
            for (unsigned p = 0; p < function_->parameters; ++p) {
                parameters += fmt::format("{}.param .b32 p{}", p == 0 ? "" : ", ", p);
            }
            line(".func (.param .b32 returned) {}_function_{}({})\n{{", kernel.name, f, parameters);
            write_body();
            line("st.param.b32 [returned], {};\nret;\n}}", name(*function_->result));
        }
        function_ = &kernel.entry;
        line(
            ".visible .entry {}(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u32 p3, "
            ".param .u64 p4, "
            ".param .f32 p5)\n{{",
            kernel.name);
        line(".shared .align 128 .b8 shared_array[{}];", kernel.shared_bytes);
        line(".local .align 16 .b8 local_array[{}];", kLocalBytes);
        write_body();
        line("ret;\n}");
    }

    void write_body() {
        std::set<RegisterId> used;
        if (function_->result) used.insert(*function_->result);
        find_used(function_->body, used);
        for (const RegisterId r : used) {
            line(".reg .{} {};", type_name(function_->registers[r]), name(r));
        }
        line(".reg .pred %q;\n.reg .b64 %window;");
        write(function_->body);
    }

    static void find_used(const Statements& statements, std::set<RegisterId>& used) {
        for (const Statement& statement : statements) {
            used.insert(statement.results.begin(), statement.results.end());
            for (const Operand& source : statement.sources) {
                if (source.kind == Operand::Kind::reg) used.insert(source.reg);
            }
            if (statement.guard) used.insert(statement.guard->predicate);
            const bool has_address = statement.kind == Statement::Kind::load ||
                                     statement.kind == Statement::Kind::store ||
                                     statement.kind == Statement::Kind::reduction;
            if (has_address) used.insert(statement.address);
            for (const Statements& body : statement.bodies) find_used(body, used);
        }
    }

    std::string name(RegisterId reg) const {
        constexpr std::array<std::string_view, 5> prefixes{"%p", "%r", "%rd", "%f", "%fd"};
        return fmt::format("{}{}", prefixes.at(static_cast<std::size_t>(function_->registers[reg])),
                           reg);
    }

    std::string value(const Operand& operand, Type type) const {
        switch (operand.kind) {
            case Operand::Kind::reg:
                return name(operand.reg);
            case Operand::Kind::special:
                return std::string(special_name(operand.special));
            default:
                break;
        }
        if (type == Type::f32) return fmt::format("0f{:08X}", operand.bits);
        if (type == Type::f64) return fmt::format("0d{:016X}", operand.bits);
        return fmt::format("{}", static_cast<std::int64_t>(operand.bits));
    }

    std::string guard(const Statement& statement) const {
        if (!statement.guard) return {};
        return fmt::format("@{}{} ", statement.guard->negated ? "!" : "",
                           name(statement.guard->predicate));
    }

    void write(const Statements& statements) {
        for (const Statement& statement : statements) write(statement);
    }

    void write(const Statement& s) {
        switch (s.kind) {
            case Statement::Kind::operation:
                return write_operation(s);
            case Statement::Kind::parameter:
                return write_parameter(s);
            case Statement::Kind::address_of:
                return write_address_of(s);
            case Statement::Kind::load:
            case Statement::Kind::store:
                return write_access(s);
            case Statement::Kind::reduction:
                return write_reduction(s);
            case Statement::Kind::collective:
                return write_collective(s);
            case Statement::Kind::barrier:
                return line("bar.sync 0;");
            case Statement::Kind::branch:
                return write_branch(s);
            case Statement::Kind::loop:
                return write_loop(s);
            case Statement::Kind::leave_loop:
                return line("{}bra {};", guard(s), loops_[loops_.size() - 1 - s.index].end);
            case Statement::Kind::next_turn:
                return line("{}bra {};", guard(s), loops_[loops_.size() - 1 - s.index].next);
            case Statement::Kind::choose:
                return write_choice(s);
            case Statement::Kind::irregular:
                return write_irregular(s);
            case Statement::Kind::leave:
                if (!s.results.empty()) line("st.param.b32 [returned], {};", name(s.results[0]));
                return line("{}{};", guard(s),
                            s.whole_thread && function_ != &kernel_->entry ? "exit" : "ret");
            case Statement::Kind::call:
                return write_call(s);
        }
    }

    void write_operation(const Statement& s) {
        std::string sources;
        for (std::size_t i = 0; i < s.sources.size(); ++i) {
            sources += ", " + value(s.sources[i], s.operation->sources[i]);
        }
        // Two entries of one name differ by blanks after it.
        std::string_view ptx = s.operation->ptx;
        ptx = ptx.substr(0, ptx.find(' '));
        line("{}{} {}{};", guard(s), ptx, name(s.results[0]), sources);
    }

    void write_parameter(const Statement& s) {
        const Type type = function_->registers[s.results[0]];
        line("ld.param.{} {}, [p{}];", type_name(type), name(s.results[0]), s.index);
    }

    void write_address_of(const Statement& s) {
        std::string symbol;
        const char* space = "";
        switch (s.symbol) {
            case Symbol::shared:
                symbol = "shared_array";
                space = "shared";
                break;
            case Symbol::local:
                symbol = "local_array";
                space = "local";
                break;
            case Symbol::constant:
                symbol = kernel_->name + "_const";
                break;
            case Symbol::variable:
                symbol = kernel_->name + "_global";
                break;
        }
        if (s.offset != 0) symbol += fmt::format("+{}", s.offset);
        if (s.space == Space::generic) {
            line("mov.u64 %window, {};", symbol);
            line("cvta.{}.u64 {}, %window;", space, name(s.results[0]));
            return;
        }
        const bool wide = function_->registers[s.results[0]] == Type::b64;
        line("mov.{} {}, {};", wide ? "u64" : "u32", name(s.results[0]), symbol);
    }

    std::string address(const Statement& s) const {
        return s.offset == 0 ? fmt::format("[{}]", name(s.address))
                             : fmt::format("[{}+{}]", name(s.address), s.offset);
    }

    void write_access(const Statement& s) {
        const bool loads = s.kind == Statement::Kind::load;
        const std::size_t width = loads ? s.results.size() : s.sources.size();
        Type type = s.element_bytes == 8 ? Type::b64 : Type::b32;
        if (loads) {
            type = function_->registers[s.results[0]];
        } else if (s.sources[0].kind == Operand::Kind::reg) {
            type = function_->registers[s.sources[0].reg];
        }
        std::string suffix = s.element_bytes < 4 ? fmt::format("{}{}", s.sign_extends ? "s" : "u",
                                                               s.element_bytes * 8)
                                                 : std::string(type_name(type));
        std::string values;
        for (std::size_t i = 0; i < width; ++i) {
            values +=
                (i == 0 ? "" : ", ") + (loads ? name(s.results[i]) : value(s.sources[i], type));
        }
        if (width > 1) {
            values = "{" + values + "}";
            suffix = fmt::format("v{}.{}", width, suffix);
        }
        const bool is_volatile = s.modifier == ".volatile";
        const std::string mnemonic =
            fmt::format("{}{}{}{}.{}", loads ? "ld" : "st", is_volatile ? s.modifier : "",
                        space_name(s.space), is_volatile ? "" : s.modifier, suffix);
        note_site(s);
        if (loads) {
            line("{}{} {}, {};", guard(s), mnemonic, values, address(s));
        } else {
            line("{}{} {}, {};", guard(s), mnemonic, address(s), values);
        }
    }

    void note_site(const Statement& s) { module_.site_lines.back()[s.site] = lines_ + 1; }

    void write_reduction(const Statement& s) {
        note_site(s);
        const std::string added = value(s.sources[0], s.element_bytes == 8 ? Type::b64 : Type::b32);
        if (s.results.empty()) {
            line("{}red{}.{} {}, {};", guard(s), space_name(s.space), reduction_name(s.reduction),
                 address(s), added);
        } else {
            line("{}atom{}.{} {}, {}, {};", guard(s), space_name(s.space),
                 reduction_name(s.reduction), name(s.results[0]), address(s), added);
        }
    }

    void write_collective(const Statement& s) {
        std::string operands;
        for (const RegisterId result : s.results)
            operands += (operands.empty() ? "" : "|") + name(result);
        for (std::size_t i = 0; i < s.sources.size(); ++i) {
            const bool last = i + 1 == s.sources.size();
            if (last && s.collective <= Collective::shuffle_xor) {
                operands += s.collective == Collective::shuffle_up ? ", 0" : ", 31";
            }
            operands += (operands.empty() ? "" : ", ") + value(s.sources[i], Type::b32);
        }
        line("{} {};", collective_name(s.collective), operands);
    }

    void write_branch(const Statement& s) {
        const std::string other = label(), end = label();
        line("@!{} bra {};", name(s.sources[0].reg), other);
        write(s.bodies[0]);
        if (!s.bodies[1].empty()) line("bra {};", end);
        line("{}:", other);
        write(s.bodies[1]);
        if (!s.bodies[1].empty()) line("{}:", end);
    }

    void write_loop(const Statement& s) {
        const std::string head = label(), counter = name(s.results[0]),
                          count = value(s.sources[0], Type::b32);
        loops_.push_back({label(), label()});
        const Loop loop = loops_.back();
        line("mov.u32 {}, 0;\n{}:", counter, head);
        if (s.tests_first) line("setp.ge.u32 %q, {}, {};\n@%q bra {};", counter, count, loop.end);
        write(s.bodies[0]);
        line("{}:\nadd.u32 {}, {}, 1;", loop.next, counter, counter);
        if (s.tests_first) {
            line("bra {};", head);
        } else {
            line("setp.lt.u32 %q, {}, {};\n@%q bra {};", counter, count, head);
        }
        line("{}:", loop.end);
        loops_.pop_back();
    }

    std::string targets(const std::vector<std::string>& labels) {
        const std::string table = label();
        line("{}: .branchtargets {};", table, fmt::join(labels, ", "));
        return table;
    }

    void write_choice(const Statement& s) {
        std::vector<std::string> labels;
        for (std::size_t i = 0; i < s.bodies.size(); ++i) labels.push_back(label());
        const std::string end = label();
        const std::string table = targets(labels);
        line("brx.idx {}, {};", name(s.sources[0].reg), table);
        for (std::size_t i = 0; i < s.bodies.size(); ++i) {
            line("{}:", labels[i]);
            write(s.bodies[i]);
            if (i + 1 < s.bodies.size()) line("bra {};", end);
        }
        line("{}:", end);
    }

    void write_irregular(const Statement& s) {
        std::vector<std::string> labels;
        for (std::size_t i = 0; i <= s.bodies.size(); ++i) labels.push_back(label());
        const std::string fuel = name(s.results[0]);
        for (std::size_t n = 0; n < s.bodies.size(); ++n) {
            line("{}:", labels[n]);
            write(s.bodies[n]);
            line("add.s32 {}, {}, -1;\nsetp.le.s32 %q, {}, 0;\n@%q bra {};", fuel, fuel, fuel,
                 labels.back());
            const std::vector<unsigned>& edges = s.edges[n];
            const std::string chooser = name(s.results[n + 1]);
            if (edges.size() == 1) {
                line("bra {};", labels[edges[0]]);
            } else if (edges.size() == 2) {
                line("setp.ne.u32 %q, {}, 0;\n@%q bra {};\nbra {};", chooser, labels[edges[1]],
                     labels[edges[0]]);
            } else {
                std::vector<std::string> to;
                for (const unsigned edge : edges) to.push_back(labels[edge]);
                const std::string table = targets(to);
                line("brx.idx {}, {};", chooser, table);
            }
        }
        line("{}:", labels.back());
    }

    void write_call(const Statement& s) {
        std::string arguments;
        line("{");
        for (std::size_t a = 0; a < s.sources.size(); ++a) {
            line(".param .b32 argument{};\nst.param.b32 [argument{}], {};", a, a,
                 value(s.sources[a], Type::b32));
            arguments += fmt::format("{}argument{}", a == 0 ? "" : ", ", a);
        }
        line(".param .b32 result;\ncall (result), {}_function_{}, ({});", kernel_->name, s.index,
             arguments);
        line("ld.param.b32 {}, [result];\n}}", name(s.results[0]));
    }

    struct Loop {
        std::string next, end;
    };
    ModuleText module_;
    unsigned lines_ = 0, labels_ = 0;
    const Kernel* kernel_ = nullptr;
    const Function* function_ = nullptr;
    std::vector<Loop> loops_;
};

}  // namespace

ModuleText ptx_text(const std::vector<Kernel>& kernels) { return Writer().run(kernels); }

}  // namespace wideload::fuzz
