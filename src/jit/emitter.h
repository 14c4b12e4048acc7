// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jit/kernel.h"
#include "jit/parameter_origin.h"
#include "ptx/module.h"
#include "simt/analysis.h"
#include "simt/departures.h"

namespace wideload::jit {

/// Where the parts of a module's variables lie, for `mov %rd, symbol` and direct accesses.
class SymbolResolver {
public:
    virtual ~SymbolResolver() = default;
    /// Program's address of a global or constant variable.
    virtual std::optional<std::uint64_t> address_of(std::string_view variable) const = 0;
    /// Offset of a function's or module's .shared variable in the kernel's shared memory.
    virtual std::optional<std::uint64_t> shared_offset(const ptx::Function& function,
                                                       std::string_view variable) const = 0;
    virtual const ptx::Function* function(std::string_view name) const = 0;
    /// The value of a function's address; 0 where there is no such function.
    virtual std::uint64_t function_address(std::string_view name) const = 0;
    /// Functions whose address a program can hold; kernels are none.
    virtual std::span<const ptx::Function* const> pointed_functions() const = 0;
};

/// What guides the code of one kernel and the functions that it calls.
struct CompileContext {
    const ptx::Module& module;
    const SymbolResolver& symbols;
    simt::ThreadLayout layout;
    bool counters = true;
};

/// A memory address of 32 lanes, in the cheapest form that its shape allows.
struct AddressValue {
    simt::Shape shape;
    llvm::Value* base = nullptr;  ///< i64; of uniform and pattern shapes, immediate offset included
    llvm::Value* wrapped =
        nullptr;  ///< i1: pattern does not hold in some lane; null: cannot happen
    std::function<llvm::Value*()> lanes;  ///< emits <32 x i64>, any shape
};

/// Emits one PTX function as LLVM IR that runs a warp of 32 lanes as vectors under a mask.
/// Arithmetic is lowered by the functions of lower.h through sources() and define(), which hide
/// whether a value is one scalar or 32 lanes.
class Emitter {
public:
    /// @param calls_may_meet lanes of a warp come together in functions that the kernel calls
    Emitter(llvm::Module& output, const CompileContext& context, const ptx::Function& function,
            simt::Analysis& analysis, KernelTables& tables, bool calls_may_meet);

    /// Emits the function's body into `target`. @return what could not be emitted
    Diagnostics emit(llvm::Function* target);

    llvm::IRBuilder<>& ir() { return ir_; }
    llvm::Module& output() { return output_; }
    const CompileContext& context() const { return context_; }
    const ptx::Function& function() const { return function_; }

    // Types and values.

    /// LLVM's scalar type of a PTX type: iN for bits and integers, half, bfloat, float, double, i1;
    /// packed types are i32.
    llvm::Type* scalar_type(ptx::Type type);
    /// `scalar` itself, or a vector of 32 where `like` is one.
    llvm::Type* type_like(llvm::Type* scalar, llvm::Value* like);
    /// An integer or floating-point constant of a scalar or vector type.
    llvm::Value* constant(llvm::Type* type, std::uint64_t value);
    llvm::Value* constant_f(llvm::Type* type, double value);
    /// 32 copies of a scalar; a vector stays as it is.
    llvm::Value* splat(llvm::Value* value);
    static bool is_vector(llvm::Value* value) { return value->getType()->isVectorTy(); }

    /// The operand's value as `type`: a scalar where all lanes share it, else a vector.
    llvm::Value* source(const ptx::Operand& operand, ptx::Type type);
    /// Several operands' values: all scalars or all vectors.
    std::vector<llvm::Value*> sources(std::span<const ptx::Operand> operands,
                                      std::span<const ptx::Type> types);
    std::vector<llvm::Value*> sources(const ptx::Instruction& instruction, std::size_t first,
                                      std::initializer_list<ptx::Type> types);
    /// Writes a result under the instruction's mask. `type` says how a value narrower than the
    /// register is extended. NaNs of f32 arithmetic are the GPU's to whoever looks at their bits
    /// (nan_registers.h).
    void define(const ptx::Operand& destination, llvm::Value* value, ptx::Type type);
    /// The same for `p|q` and `{a, b, ...}`: element `index` of the destination.
    void define_element(const ptx::Operand& destination, std::size_t index, llvm::Value* value,
                        ptx::Type type);
    /// An address operand; narrow registers (32-bit shared addresses) count as unsigned.
    AddressValue address(const ptx::Operand& operand, unsigned address_bits);
    /// Where generic addresses of shared or local memory, or of the kernel's parameters, begin;
    /// null for the other spaces, whose addresses are generic.
    llvm::Value* window_base(ptx::Space space);
    simt::Shape operand_shape(const ptx::Operand& operand) const;
    llvm::Value* special(ptx::SpecialRegister special);
    llvm::Value* special(const ptx::Operand& operand);
    /// Whether an operand's f32 may be subnormal, so that .ftz has to flush it.
    bool may_be_subnormal(const ptx::Operand& operand);

    // Masks.

    /// Lanes that execute the current instruction: <32 x i1>. A guard is included.
    llvm::Value* mask() const { return instruction_mask_; }
    llvm::Value* mask_bits() { return bits_of(mask()); }
    llvm::Value* bits_of(llvm::Value* lane_mask);  ///< <32 x i1> -> i32
    llvm::Value* mask_of(llvm::Value* bits);       ///< i32 -> <32 x i1>
    llvm::Value* any(llvm::Value* lanes);          ///< <32 x i1> or i32 -> i1
    /// Takes lanes out of the rest of the function (exit inside a callee).
    void keep_lanes(llvm::Value* lane_mask);

    // Where lanes of a warp meet (meeting.cpp).

    /// What a called function is told of the lanes that it cannot see; i32 each.
    struct CallersLanes {
        llvm::Value* elsewhere;  ///< lanes of the warp that wait in its callers, and for those here
        llvm::Value* go_on;      ///< all lanes, or where those that return do nothing more, none
    };
    /// For a call by the current instruction.
    CallersLanes lanes_around_call();

    // Calls into the host code; jit/helpers.def lists them.

    llvm::CallInst* call(std::string_view helper, llvm::ArrayRef<llvm::Value*> arguments,
                         llvm::Type* result = nullptr);
    /// The condition code register: <32 x i1>, the lanes whose last .cc instruction carried.
    llvm::AllocaInst* carry_flag();
    /// A stack slot at function entry, 64-byte aligned; the same one for the same name and type, so
    /// what it holds is used up by the instruction that wrote it.
    llvm::AllocaInst* scratch(llvm::Type* type, std::string_view name);
    /// Writes a value of every lane to scratch of this name, where host code reads it.
    llvm::AllocaInst* spill(llvm::Value* value, std::string_view name);
    /// Calls `void helper(out*, in*...)` on arrays of 32 elements (scalars are spread, and the
    /// result is taken from lane 0).
    llvm::Value* call_on_arrays(std::string_view helper, llvm::Type* result_scalar,
                                llvm::ArrayRef<llvm::Value*> values);
    llvm::Value* context_pointer() { return context_argument_; }
    llvm::Value* warp() { return warp_; }
    /// A field of BlockContext, read where its value cannot change during the launch.
    llvm::Value* context_field(std::size_t offset, llvm::Type* type);
    llvm::Value* context_field_address(std::size_t offset);

    /// Fails the current instruction: the kernel cannot be run, and says why.
    void refuse(std::string message, std::string hint = {});

    /// Marks a memory access as one of arena, engine or program memory, which never overlap.
    enum class Memory { program, counters, context };
    template <class Access>
    Access* tag(Access* access, Memory memory) {
        set_alias(access, memory);
        return access;
    }
    /// Weights for a branch that is rarely taken, and for one that mostly is.
    llvm::MDNode* unlikely();
    llvm::MDNode* likely();
    const simt::LaneOffsets& pattern(simt::PatternId id) const { return analysis_.patterns[id]; }

    /// Registers a memory site of the current instruction. @return row index
    std::uint32_t add_site(Site site);
    llvm::Value* row_field(std::uint32_t row, std::size_t offset);  ///< address inside a SiteRow

    // For lowering functions of memory and calls.

    /// Where the function's own .local and .param variables and the kernel's .shared ones lie.
    std::optional<std::uint64_t> frame_offset(std::string_view variable) const;
    std::optional<std::uint64_t> shared_offset(std::string_view variable) const;
    llvm::Value* frame_base() { return frame_base_; }
    llvm::Value* argument_buffer() { return argument_buffer_; }
    llvm::Value* result_buffer() { return result_buffer_; }
    /// The buffer behind a .param variable that the function declares for its calls; null where
    /// there is none.
    llvm::Value* call_buffer(std::string_view variable);
    const ptx::Instruction& instruction() const { return *current_; }
    bool is_called() const { return is_called_; }
    /// Whether any instruction of the function reads the register.
    bool is_read(ptx::RegisterId id) const { return read_.contains(id); }
    KernelTables& tables() { return tables_; }
    const ParameterOrigins& origins() const { return origins_; }

private:
    /// Where it lives across blocks a stack slot, else what the block being emitted gave it last:
    /// promoting the many that no other block reads costs LLVM time by the blocks' number each.
    struct Variable {
        llvm::Type* type = nullptr;  ///< null: there is none
        llvm::AllocaInst* slot = nullptr;
        llvm::Value* last = nullptr;
        simt::BlockId block = 0;  ///< that gave it `last`
    };
    struct RegisterSlot {
        simt::Shape shape;
        llvm::Type* scalar = nullptr;
        Variable value;       ///< scalar (base) or vector
        Variable wrapped;     ///< i1, of patterns that may wrap
        Variable correction;  ///< <32 x i64>: what wrapped lanes lack
    };

    Variable create_variable(llvm::Type* type, bool crosses_blocks, const llvm::Twine& name = "");
    llvm::Value* read(const Variable& variable);
    void write(Variable& variable, llvm::Value* value);
    void create_slots();
    void place_variables();
    void clear_slots();
    void keep_in_memory();
    void emit_instruction(const ptx::Instruction& instruction, simt::BlockId block);
    llvm::Value* read_register(ptx::RegisterId id);
    llvm::Value* pattern_lanes(const RegisterSlot& slot);
    llvm::Constant* pattern_vector(simt::PatternId id, llvm::Type* scalar);
    void write_register(ptx::RegisterId id, llvm::Value* value);
    bool lower_pattern(const ptx::Instruction& instruction);
    struct Affine {
        llvm::Value* base;
        llvm::Value* wrapped;
        llvm::Value* correction;
    };
    Affine affine(const ptx::Operand& operand, unsigned bits);
    Affine affine_product(const ptx::Instruction& instruction);
    Affine widen(const Affine& value, const simt::Shape& shape, bool is_signed);
    void define_affine(const ptx::Operand& destination, const Affine& value);
    void set_alias(llvm::Instruction* access, Memory memory);
    llvm::Value* symbol_address(const ptx::Operand& operand);
    bool may_be_host_nan(ptx::RegisterId id);
    bool hands_on_host_nans();
    llvm::Value* bit_convert(llvm::Value* value, llvm::Type* scalar, bool sign_extend);

    llvm::Module& output_;
    const CompileContext& context_;
    const ptx::Function& function_;
    simt::Analysis& analysis_;
    KernelTables& tables_;
    llvm::IRBuilder<> ir_;
    llvm::Function* target_ = nullptr;
    llvm::Value* context_argument_ = nullptr;
    llvm::Value* warp_ = nullptr;
    std::vector<RegisterSlot> slots_;
    llvm::Value* instruction_mask_ = nullptr;
    llvm::Value* block_mask_ = nullptr;
    const ptx::Instruction* current_ = nullptr;
    simt::BlockId current_block_ = 0;
    std::vector<bool> may_be_subnormal_;  ///< by register; filled when first asked
    std::vector<bool> may_be_host_nan_;   ///< the same
    Diagnostics diagnostics_;
    llvm::AllocaInst* carry_flag_ = nullptr;  ///< made for the first instruction that needs it
    std::array<llvm::MDNode*, 3> alias_scopes_{}, no_alias_{};
    bool is_called_ = false;
    bool calls_may_meet_ = false;
    ParameterOrigins origins_;
    simt::Bitset read_;
    simt::Bitset crossing_;  ///< registers that live across blocks
    std::map<std::pair<std::string, llvm::Type*>, llvm::AllocaInst*> scratch_;
    std::map<std::string, std::uint64_t, std::less<>> frame_offsets_;  ///< of .local variables
    std::map<std::string, llvm::Value*, std::less<>> call_buffers_;    ///< of .param variables
    llvm::Value* frame_base_ =
        nullptr;  ///< i64: where this call's .local variables begin in each lane's local memory
    llvm::Value* argument_buffer_ = nullptr;  ///< of a called function
    llvm::Value* result_buffer_ = nullptr;

    // Control flow (control.cpp).
    llvm::AllocaInst* create_lanes(const llvm::Twine& name);
    llvm::Value* pending_lanes(simt::BlockId block);
    void send(simt::BlockId from, llvm::Value* lanes, std::size_t successor = 0);
    void emit_block(simt::BlockId block);
    void count_block(simt::BlockId block);
    void leave_block(simt::BlockId block);
    void leave_divergent(simt::BlockId block, llvm::ArrayRef<llvm::Value*> lanes_by_successor);
    void leave_uniform_branch(simt::BlockId block, llvm::Value* condition);
    void go_to_first_pending(simt::BlockId from, std::vector<simt::BlockId> candidates,
                             bool last_is_certain);
    void poll_loop();
    void create_spin_slots();
    void spin(simt::BlockId from);
    llvm::Value* stands_still(simt::BlockId header);
    void set_aside(simt::BlockId header, llvm::Value* condition);
    void yield_to_leavers(simt::BlockId block);
    void retire(llvm::Value* lanes, bool returns);
    void wait_for_parked(simt::BlockId block);
    bool is_meeting(simt::BlockId block) const;
    void find_places_elsewhere();
    void check_meeting(const ptx::Instruction& instruction);
    std::uint32_t number_meetings(const ptx::Instruction& first);
    llvm::Value* misfit(llvm::Value* members, llvm::Value* executing);
    llvm::Value* unnamed_lanes(llvm::Value* members, llvm::Value* executing);
    llvm::Value* lanes_whose_mask_differs(llvm::Value* members, llvm::Value* looked_at,
                                          llvm::Value* executing);
    llvm::Value* own_lanes();
    llvm::Value* lanes_elsewhere(llvm::Value* executing);
    void leave_function(llvm::Value* lanes);
    llvm::Value* members(const ptx::Instruction& instruction);
    void resume(simt::BlockId block, llvm::AllocaInst* set_aside, llvm::Value* allowed);
    void clear_masks();
    void finish_warp();
    llvm::BasicBlock* shared_dispatch(simt::BlockId from);
    void open_warp_loop();
    void open_called_function();
    llvm::BasicBlock* new_block(const llvm::Twine& name);

    // Sets of lanes are their bits in an i32.
    std::vector<llvm::AllocaInst*> pending_;  ///< by block: lanes that wait to run it
    std::vector<llvm::AllocaInst*> parked_;   ///< by spin header
    /// What a spinning loop's lanes were when they were looked at last.
    struct Watch {
        llvm::AllocaInst* lanes = nullptr;
        std::vector<std::pair<llvm::AllocaInst*, llvm::AllocaInst*>> registers;  ///< now, then
    };
    std::vector<Watch> watches_;              ///< by spin header
    std::vector<llvm::AllocaInst*> arrived_;  ///< by meeting: lanes that wait for those parked
    std::vector<llvm::BasicBlock*> bodies_, dispatch_;
    llvm::BasicBlock* end_ = nullptr;       ///< no lane waits any more
    llvm::BasicBlock* entry_ = nullptr;     ///< stack slots
    llvm::AllocaInst* returned_ = nullptr;  ///< lanes that came back, of a called function
    llvm::AllocaInst* present_ = nullptr;   ///< lanes in the function, where meetings look at them
    CallersLanes callers_lanes_{};          ///< of a called function
    std::optional<simt::Departures> departures_;  ///< of functions with meetings
    simt::Bitset checked_;  ///< instructions, meetings that one before in the block was checked for
    llvm::AllocaInst* turns_ = nullptr;    ///< of spinning loops
    llvm::AllocaInst* resumed_ = nullptr;  ///< the block whose set-aside lanes went on last
    llvm::Value* last_warp_ = nullptr;
    llvm::BasicBlock* warp_loop_ = nullptr;
    llvm::Value* guard_scalar_ = nullptr;  ///< the guard where all lanes share it
    std::uint32_t first_row_ = 0;          ///< of this function's blocks in KernelTables
};

}  // namespace wideload::jit
