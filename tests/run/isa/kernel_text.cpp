// SPDX-License-Identifier: Apache-2.0
#include "kernel_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness.h"

namespace wideload::isa {
namespace {

std::string register_type(std::string_view type) {
    return type == "pred" ? "pred" : fmt::format("b{}", width_of(type));
}

/// The end of what begins at `begin`: a brace, a label, or a statement with its semicolon, a list
/// of targets with its label among them.
std::size_t end_of_statement(const std::string& code, std::size_t begin) {
    if (code[begin] == '{' || code[begin] == '}') return begin + 1;
    const std::size_t word = code.find_first_of(": ;", begin);
    const bool has_label = code.compare(word, 2, ": ") == 0 && code[word + 2] != '.';
    return has_label ? word + 1 : code.find(';', begin) + 1;
}

class KernelWriter {
public:
    explicit KernelWriter(const Form& form) : form_(form) {}

    std::string write(const std::vector<Section>& sections) {
        begin();
        load("v", "%rd_varying", "%rd_thread", kAllThreads);
        load("u", "%rd_uniform", "%rd_warp", kAllWarps);
        for (std::size_t s = 0; s < sections.size(); ++s) write_section(s, sections[s]);
        return text_ + "    ret;\n}\n";
    }

private:
    template <class... Arguments>
    void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        text_ += "    " + fmt::format(format, std::forward<Arguments>(arguments)...) + "\n";
    }

    void begin() {
        text_ = form_.needs_sm100   ? ".version 8.8\n.target sm_100a\n"
                : form_.before_sm70 ? ".version 6.0\n.target sm_60\n"
                                    : ".version 8.7\n.target sm_90\n";
        text_ += ".address_size 64\n";
        if (!form_.declarations.empty()) text_ += form_.declarations + "\n";
        text_ += fmt::format(
            ".visible .entry {}(.param .u64 varying, .param .u64 uniform, "
            ".param .u64 masks, .param .u64 results)\n{{\n",
            kKernelName);
        line(
            ".reg .b64 %rd_varying, %rd_uniform, %rd_masks, %rd_results, %rd_thread, %rd_warp, "
            "%rd;");
        line(".reg .b32 %thread_x, %block, %thread, %warp_in_block, %warp, %mask, %r;");
        line(".reg .pred %active, %false;");
        for (const char* name : {"varying", "uniform", "masks", "results"}) {
            line("ld.param.u64 %rd_{}, [{}];", name, name);
            line("cvta.to.global.u64 %rd_{}, %rd_{};", name, name);
        }
        line("mov.u32 %thread_x, %tid.x;");
        line("mov.u32 %block, %ctaid.x;");
        line("mad.lo.u32 %thread, %block, {}, %thread_x;", kThreads);
        line("shr.u32 %warp_in_block, %thread_x, 5;");
        line("mad.lo.u32 %warp, %block, {}, %warp_in_block;", kThreads / kLanes);
        line("mul.wide.u32 %rd_thread, %thread, 8;");
        line("mul.wide.u32 %rd_warp, %warp, 8;");
        line("add.u64 %rd_results, %rd_results, %rd_thread;");
        line("add.u64 %rd, %rd_masks, %rd_warp;");
        line("ld.global.u32 %mask, [%rd];");
        line("add.u64 %rd, %rd_varying, %rd_thread;");
        line("ld.global.u32 %r, [%rd+{}];", form_.operands.size() * kAllThreads * 8);
        line("setp.ne.u32 %active, %r, 0;");
    }

    /// Operands in registers %v0.. or %u0..
    void load(const char* prefix, const char* base, const char* index, std::uint32_t elements) {
        line("add.u64 %rd, {}, {};", base, index);
        for (std::size_t i = 0; i < form_.operands.size(); ++i) {
            const std::string_view type = form_.operands[i];
            line(".reg .{} %{}{};", register_type(type), prefix, i);
            if (type == "pred") {
                line("ld.global.u32 %r, [%rd+{}];", i * elements * 8);
                line("setp.ne.u32 %{}{}, %r, 0;", prefix, i);
            } else {
                line("ld.global.b{} %{}{}, [%rd+{}];", width_of(type), prefix, i, i * elements * 8);
            }
        }
    }

    void write_section(std::size_t number, const Section& section) {
        for (std::size_t r = 0; r < form_.results.size(); ++r) {
            line(".reg .{} %d{}_{};", register_type(form_.results[r]), r, number);
            if (section.lanes == Section::Lanes::all) continue;
            if (form_.results[r] == "pred") {
                line("setp.eq.u32 %d{}_{}, 0, 0;", r, number);
            } else {
                line("mov.b{} %d{}_{}, {};", width_of(form_.results[r]), r, number,
                     sentinel(form_.results[r]));
            }
        }
        if (section.lanes == Section::Lanes::branched) line("@!%active bra SKIP_{};", number);
        const std::string guard = section.lanes == Section::Lanes::guarded ? "@%active " : "";
        const std::string code = substitute(number, section);
        // Statements are guarded; braces, labels, declarations and a call's arguments cannot be.
        for (std::size_t begin = 0; begin < code.size();) {
            const std::size_t end = end_of_statement(code, begin);
            const std::string statement = code.substr(begin, end - begin);
            const bool bare = !statement.ends_with(';') || code[begin] == '.' ||
                              statement.find(": .") != std::string::npos ||
                              statement.starts_with("st.param") ||
                              statement.starts_with("ld.param");
            line("{}{}", bare ? "" : guard, statement);
            begin = std::min(code.find_first_not_of(' ', end), code.size());
        }
        if (section.lanes == Section::Lanes::branched) text_ += fmt::format("SKIP_{}:\n", number);
        for (std::size_t r = 0; r < form_.results.size(); ++r) store(number, r);
    }

    void store(std::size_t section, std::size_t result) {
        const std::string_view type = form_.results[result];
        const std::size_t offset = (section * form_.results.size() + result) * kAllThreads * 8;
        if (type == "pred") {
            line("selp.u32 %r, 1, 0, %d{}_{};", result, section);
            line("st.global.u32 [%rd_results+{}], %r;", offset);
        } else {
            line("st.global.b{} [%rd_results+{}], %d{}_{};", width_of(type), offset, result,
                 section);
        }
    }

    std::string operand(std::size_t index, const Section& section) const {
        if (section.literal && form_.literals->operand == index) {
            const std::string_view type = form_.operands[index];
            if (type == "f32") return fmt::format("0f{:08x}", *section.literal);
            if (type == "f64") return fmt::format("0d{:016x}", *section.literal);
            return fmt::format("0x{:x}", *section.literal);
        }
        return fmt::format("%{}{}", section.uniform[index] ? 'u' : 'v', index);
    }

    std::string substitute(std::size_t number, const Section& section) const {
        std::string code;
        for (std::size_t i = 0; i < form_.text.size(); ++i) {
            if (form_.text[i] != '$') {
                code += form_.text[i];
                continue;
            }
            const char name = form_.text[++i];
            if (name == 'm') {
                code += section.lanes == Section::Lanes::all ? "0xffffffff" : "%mask";
            } else if (const auto result = kResultNames.find(name);
                       result != std::string_view::npos) {
                code += fmt::format("%d{}_{}", result, number);
            } else {
                code += operand(kOperandNames.find(name), section);
            }
        }
        return code;
    }

    const Form& form_;
    std::string text_;
};

}  // namespace

Bits sentinel(std::string_view type) {
    const unsigned width = width_of(type);
    return type == "pred" ? 1 : 0xa5a5a5a5a5a5a5a5u >> (64 - width);
}

std::vector<Section> sections_of(const Form& form) {
    const std::size_t count = form.operands.size();
    const std::vector<bool> varying(count, false), uniform(count, true);
    std::vector<Section> sections{
        {"all lanes", varying, Section::Lanes::all, {}},
        {"guarded", varying, Section::Lanes::guarded, {}},
        {"branch", varying, Section::Lanes::branched, {}},
        {"shared operands", uniform, Section::Lanes::all, {}},
        {"shared operands, guarded", uniform, Section::Lanes::guarded, {}},
        {"shared operands, branch", uniform, Section::Lanes::branched, {}}};
    for (std::size_t i = 0; count > 1 && i < count; ++i) {
        std::vector<bool> mixed = varying;
        mixed[i] = true;
        sections.push_back(
            {"shared $" + std::string(1, kOperandNames[i]), mixed, Section::Lanes::branched, {}});
    }
    if (form.literals) {
        for (const Bits literal : form.literals->values) {
            sections.push_back(
                {fmt::format("literal {:#x}", literal), varying, Section::Lanes::all, literal});
        }
        sections.push_back({"literal, shared operands", uniform, Section::Lanes::all,
                            form.literals->values.at(0)});
    }
    return sections;
}

std::string kernel_text(const Form& form, const std::vector<Section>& sections) {
    return KernelWriter(form).write(sections);
}

}  // namespace wideload::isa
