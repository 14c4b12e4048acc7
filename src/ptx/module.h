// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ptx/instruction.h"
#include "ptx/types.h"

namespace wideload::ptx {

struct Register {
    std::string name;
    Type type = Type::none;
};

enum class Linkage : std::uint8_t { internal, visible, external, weak, common };

/// A pointer inside an initialiser that is filled in when the module is placed.
struct Relocation {
    std::uint64_t offset = 0;  ///< in bytes from the variable's start
    std::uint8_t size = 8;     ///< bytes written
    std::string symbol;
    std::int64_t addend = 0;
    bool generic =
        false;  ///< generic(symbol): a generic address; else one in the symbol's own space
    std::uint8_t shift = 0;  ///< 0xFF00(symbol) forms: bits to shift right before writing
};

/// A variable of any space: module globals, a function's shared or local arrays, parameters.
struct Variable {
    std::string name;
    Space space = Space::generic;
    Linkage linkage = Linkage::internal;
    Type element = Type::b8;
    std::uint32_t alignment = 1;
    std::uint64_t size = 0;             ///< bytes; 0 for `extern .shared x[]`
    bool unsized = false;               ///< declared with [] and no initialiser
    bool managed = false;               ///< .attribute(.managed)
    std::vector<std::uint8_t> initial;  ///< empty: zero; else exactly `size` bytes
    std::vector<Relocation> relocations;
};

/// A source position of an instruction (`.loc`) and the call it was inlined from.
struct Location {
    std::uint32_t file = 0;  ///< key of Module::files
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    LocationId inlined_at = kNoLocation;
    std::string function;  ///< inlined function's name; empty where not inlined
};

struct Label {
    std::string name;
    std::uint32_t instruction = 0;  ///< index into Function::body; == body.size() at the end
    bool no_unroll = false;         ///< .pragma "nounroll": of the loop that begins here
};

struct Function {
    std::string name;
    Linkage linkage = Linkage::internal;
    bool is_entry = false;
    bool is_declaration = false;  ///< no body: extern, or a forward declaration
    bool noreturn = false;
    /// A return value or parameter of space reg is also a register: these are the first of
    /// `registers`, in order.
    std::vector<Variable> returns;                 ///< .func (ret) name (...)
    std::vector<Variable> parameters;              ///< in order; space param (or reg)
    std::vector<std::uint32_t> parameter_offsets;  ///< of an entry: byte offset in its parameter
                                                   ///< buffer, as CUDA lays it out
    std::uint32_t parameter_bytes = 0;
    std::vector<Register> registers;
    /// .shared, .local, .param declared inside. A name that several scopes `{ }` of the function
    /// declare is made unique here, and where it is used, by a suffix: `param0`, `param0.2`.
    std::vector<Variable> variables;
    std::vector<Label> labels;
    std::map<std::string, std::vector<LabelId>> branch_targets;  ///< .branchtargets of brx.idx
    std::map<std::string, std::size_t> call_prototypes;          ///< name -> index into prototypes
    std::vector<Function> prototypes;  ///< .callprototype: declarations without a body
    std::vector<Instruction> body;
    std::optional<std::array<std::uint32_t, 3>> max_threads;       ///< .maxntid
    std::optional<std::array<std::uint32_t, 3>> required_threads;  ///< .reqntid
    std::optional<std::uint32_t> min_blocks, max_registers;        ///< .minnctapersm, .maxnreg
    std::optional<std::array<std::uint32_t, 3>> required_cluster;  ///< .reqnctapercluster
    bool explicit_cluster = false;                                 ///< .explicitcluster
    /// .calltargets: the functions that an indirect call may reach.
    std::map<std::string, std::vector<std::string>> call_targets;
    std::uint32_t ptx_line = 0;
};

/// One translation unit's PTX, or several that were linked.
struct Module {
    std::string name;           ///< for diagnostics: file, or "module 3 of ./program"
    std::uint32_t version = 0;  ///< 90 for .version 9.0
    std::uint32_t target = 0;   ///< 90 for sm_90
    std::string target_suffix;  ///< "a", "f" or empty
    std::uint32_t address_size = 64;
    std::map<std::uint32_t, std::string> files;  ///< .file: index -> path
    std::vector<Location> locations;
    std::vector<Variable> variables;  ///< .global, .const and module-level .shared
    std::vector<Function> functions;
    std::map<std::string, std::string> aliases;  ///< .alias
};

}  // namespace wideload::ptx
