// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/module.h"

namespace wideload::ptx {

/// What a name means inside a function's body.
struct LocalSymbol {
    enum class Kind : std::uint8_t { reg, register_vector, variable, prototype, targets };
    Kind kind = Kind::reg;
    std::uint32_t index = 0;  ///< RegisterId (of the first of a vector); of other kinds: see
                              ///< FunctionScope::unique_name
    std::uint32_t count = 1;  ///< registers of a vector; bytes of one element of a variable
};

/// The names of a function's body and of the scopes `{ }` inside it. Scopes may declare a name
/// again: variables, prototypes and target lists are then renamed apart (`param0`, `param0.2`),
/// registers and labels go by number anyway. Views of names must outlive this object; it serves one
/// function.
class FunctionScope {
public:
    static constexpr std::size_t kDeepest = 256;

    explicit FunctionScope(Function& function);

    /// False where scopes nest too deeply.
    [[nodiscard]] bool enter();
    /// False where that closes the function's own scope.
    bool leave();

    /// These return false where the innermost scope has the name already.
    [[nodiscard]] bool declare_register(std::string_view name, Type type);
    [[nodiscard]] bool declare_register_vector(std::string_view name, Type type,
                                               std::uint32_t width);
    /// `%r<100>` declares %r0 to %r99; a register comes into being at its first use, so a large
    /// count costs nothing.
    [[nodiscard]] bool declare_register_range(std::string_view prefix, Type type,
                                              std::uint64_t count);
    [[nodiscard]] bool declare_variable(std::string_view name, std::uint32_t element_bytes);
    [[nodiscard]] bool declare_prototype(std::string_view name);
    [[nodiscard]] bool declare_targets(std::string_view name);
    [[nodiscard]] bool declare_label(std::string_view name);

    [[nodiscard]] std::optional<LocalSymbol> find(std::string_view name);
    /// Of a variable, prototype or target list: its name made unique in the function.
    [[nodiscard]] const std::string& unique_name(LocalSymbol symbol) const {
        return unique_names_[symbol.index];
    }

    /// A label may be used before it is declared: until resolve_labels() the number stands for the
    /// reference.
    [[nodiscard]] LabelId refer_to_label(std::string_view name);

    /// After the body: what each reference means, in the order of refer_to_label(), or none where
    /// no enclosing scope declares the label.
    [[nodiscard]] std::vector<std::optional<LabelId>> resolve_labels() const;

private:
    struct RegisterRange {
        Type type;
        std::uint64_t count;
    };
    struct Scope {
        std::uint32_t id = 0;
        std::unordered_map<std::string_view, LocalSymbol> symbols;
        std::unordered_map<std::string_view, RegisterRange> ranges;  ///< by prefix
    };
    struct LabelReference {
        std::uint32_t scope;
        std::string_view name;
    };
    struct LabelKey {
        std::uint32_t scope;
        std::string_view name;
        bool operator==(const LabelKey&) const = default;
    };
    struct LabelKeyHash {
        std::size_t operator()(const LabelKey& key) const {
            return std::hash<std::string_view>{}(key.name) ^
                   key.scope * std::size_t{0x9e3779b97f4a7c15};
        }
    };

    void open_scope(std::uint32_t parent);
    bool declare(std::string_view name, LocalSymbol symbol);
    bool declare_named(std::string_view name, LocalSymbol::Kind kind, std::uint32_t count);
    std::string make_unique(std::string_view name);
    std::optional<LocalSymbol> find_in_range(Scope& scope, std::string_view name);

    Function& function_;
    std::vector<Scope> open_;
    std::vector<std::uint32_t> parents_;  ///< of every scope, by id; the outermost is its own
    std::vector<std::string> unique_names_;
    std::unordered_map<std::string, std::uint32_t> name_uses_;
    std::unordered_map<LabelKey, LabelId, LabelKeyHash> labels_;
    std::vector<LabelReference> label_references_;
};

}  // namespace wideload::ptx
