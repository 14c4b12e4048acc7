// SPDX-License-Identifier: Apache-2.0
#include "ptx/linker.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ptx/symbol_references.h"

namespace wideload::ptx {
namespace {

/// How much a symbol says about what its name means; of two, the stronger stays.
enum class Strength : std::uint8_t { reference, common, weak, strong };

Strength strength_of(Linkage linkage, bool declaration) {
    if (declaration || linkage == Linkage::external) return Strength::reference;
    if (linkage == Linkage::common) return Strength::common;
    return linkage == Linkage::weak ? Strength::weak : Strength::strong;
}

Strength strength(const Variable& variable) { return strength_of(variable.linkage, false); }
Strength strength(const Function& function) {
    return strength_of(function.linkage, function.is_declaration);
}

/// A definition that only its own module sees. A declaration without one is a reference to another
/// module's.
template <class T>
bool is_private(const T& symbol) {
    return symbol.linkage == Linkage::internal && strength(symbol) == Strength::strong;
}

/// Shared memory that the launch sizes: every module declares it, and none defines it.
bool is_dynamic_shared(const Variable& variable) {
    return variable.space == Space::shared && variable.linkage == Linkage::external;
}

class Linker {
public:
    Result<Module> link(std::vector<Module> modules) {
        separate_private_names(modules);
        for (Module& module : modules) add(std::move(module));
        check_references();
        if (!errors_.empty()) return std::move(errors_);
        return std::move(linked_);
    }

private:
    /// Where the name's symbol is in linked_.
    struct Place {
        bool is_function = false;
        std::size_t index = 0;
        std::string module;  ///< that has the definition, for errors
    };

    void separate_private_names(std::vector<Module>& modules) {
        std::unordered_set<std::string> taken;
        for (const Module& module : modules) {
            for (const auto& f : module.functions) {
                if (!is_private(f)) taken.insert(f.name);
            }
            for (const auto& v : module.variables) {
                if (!is_private(v)) taken.insert(v.name);
            }
            for (const auto& [name, target] : module.aliases) taken.insert(name);
        }
        for (Module& module : modules) {
            std::unordered_map<std::string, std::string> renamed;
            const auto separate = [&](std::string& name) {
                const std::string old = name;
                // No PTX identifier holds an `@`.
                for (unsigned copy = 2; !taken.insert(name).second; ++copy) {
                    name = fmt::format("{}@{}", old, copy);
                }
                if (name != old) renamed.emplace(old, name);
            };
            for (auto& f : module.functions) {
                if (is_private(f)) separate(f.name);
            }
            for (auto& v : module.variables) {
                if (is_private(v)) separate(v.name);
            }
            if (!renamed.empty()) rename_references(module, renamed);
        }
    }

    static void rename_references(Module& module,
                                  const std::unordered_map<std::string, std::string>& renamed) {
        const auto rename = [&](std::string& name) {
            const auto found = renamed.find(name);
            if (found != renamed.end()) name = found->second;
        };
        for (Function& function : module.functions) visit_symbols(function, rename);
        for (Variable& variable : module.variables) {
            for (Relocation& relocation : variable.relocations) rename(relocation.symbol);
        }
        for (auto& [name, target] : module.aliases) rename(target);
    }

    void add(Module&& module) {
        if (linked_.name.empty()) linked_.name = module.name;
        linked_.version = std::max(linked_.version, module.version);
        if (module.target > linked_.target) {
            linked_.target = module.target;
            linked_.target_suffix = module.target_suffix;
        }
        linked_.address_size = module.address_size;
        const LocationId first_location = add_locations(module);
        for (Function& function : module.functions) {
            move_locations(function, first_location);
            add_symbol(linked_.functions, std::move(function), module.name);
        }
        for (Variable& variable : module.variables) {
            add_symbol(linked_.variables, std::move(variable), module.name);
        }
        linked_.aliases.merge(module.aliases);
    }

    /// Files get new numbers, one for each path; the locations that name them follow.
    LocationId add_locations(Module& module) {
        const auto first = static_cast<LocationId>(linked_.locations.size());
        std::unordered_map<std::uint32_t, std::uint32_t> renumbered;
        for (auto& [number, path] : module.files) {
            const auto next = static_cast<std::uint32_t>(file_numbers_.size() + 1);
            const auto [known, fresh] = file_numbers_.emplace(path, next);
            if (fresh) linked_.files.emplace(next, path);
            renumbered.emplace(number, known->second);
        }
        for (Location& location : module.locations) {
            const auto file = renumbered.find(location.file);
            location.file = file == renumbered.end() ? 0 : file->second;
            if (location.inlined_at != kNoLocation) location.inlined_at += first;
            linked_.locations.push_back(std::move(location));
        }
        return first;
    }

    static void move_locations(Function& function, LocationId first) {
        for (Instruction& instruction : function.body) {
            if (instruction.location != kNoLocation) instruction.location += first;
        }
    }

    template <class T>
    void add_symbol(std::vector<T>& symbols, T symbol, const std::string& module) {
        constexpr bool kIsFunction = std::is_same_v<T, Function>;
        const auto [known, fresh] =
            places_.emplace(symbol.name, Place{kIsFunction, symbols.size(), module});
        if (fresh) {
            symbols.push_back(std::move(symbol));
            return;
        }
        Place& place = known->second;
        if (place.is_function != kIsFunction) {
            fail(
                fmt::format("`{}` is a function in one module and a variable in another: {} and {}",
                            symbol.name, place.module, module));
            return;
        }
        T& old = symbols[place.index];
        if (!agree(old, symbol, place.module, module)) return;
        const Strength was = strength(old);
        const Strength is = strength(symbol);
        if (was == Strength::strong && is == Strength::strong) {
            fail(fmt::format("`{}` is defined twice: in {} and in {}", symbol.name, place.module,
                             module));
        } else if (is > was) {
            old = std::move(symbol);
            place.module = module;
        } else if (is == was) {
            merge_equal(old, symbol);
        }
    }

    bool agree(const Function& a, const Function& b, const std::string& a_module,
               const std::string& b_module) {
        if (a.is_entry == b.is_entry && a.parameters.size() == b.parameters.size() &&
            a.returns.size() == b.returns.size()) {
            return true;
        }
        fail(fmt::format("function `{}` has other parameters in {} than in {}", a.name, a_module,
                         b_module));
        return false;
    }

    bool agree(const Variable& a, const Variable& b, const std::string& a_module,
               const std::string& b_module) {
        if (a.space == b.space) return true;
        fail(fmt::format("variable `{}` is .{} in {} and .{} in {}", a.name, name(a.space),
                         a_module, name(b.space), b_module));
        return false;
    }

    static void merge_equal(Function&, const Function&) {}
    static void merge_equal(Variable& kept, const Variable& other) {
        if (kept.linkage != Linkage::common && !is_dynamic_shared(kept)) return;
        kept.alignment = std::max(kept.alignment, other.alignment);
        if (kept.initial.empty()) kept.size = std::max(kept.size, other.size);
    }

    /// What is used must be defined; what is not used and not defined goes.
    void check_references() {
        std::unordered_map<std::string, std::string> user_of;
        const auto use = [&](const std::string& user) {
            return [&user_of, &user](std::string& used) { user_of.emplace(used, user); };
        };
        for (Function& function : linked_.functions) visit_symbols(function, use(function.name));
        for (Variable& variable : linked_.variables) {
            for (Relocation& relocation : variable.relocations) {
                use(variable.name)(relocation.symbol);
            }
        }
        for (auto& [name, target] : linked_.aliases) user_of.emplace(target, name);
        const auto missing = [&](const auto& symbol, std::string_view kind) {
            const auto user = user_of.find(symbol.name);
            if (user == user_of.end()) return true;
            fail(
                fmt::format("undefined {} `{}`, which `{}` uses", kind, symbol.name, user->second));
            return false;
        };
        std::erase_if(linked_.functions, [&](const Function& f) {
            return f.is_declaration && !is_runtime_function(f.name) &&
                   !linked_.aliases.contains(f.name) && missing(f, "function");
        });
        std::erase_if(linked_.variables, [&](const Variable& v) {
            return v.linkage == Linkage::external && !is_dynamic_shared(v) &&
                   missing(v, "variable");
        });
    }

    void fail(std::string message) { errors_.push_back(failure(std::move(message))); }

    Module linked_;
    std::unordered_map<std::string, Place> places_;
    std::unordered_map<std::string, std::uint32_t> file_numbers_;
    Diagnostics errors_;
};

}  // namespace

Result<Module> link(std::vector<Module> modules) { return Linker().link(std::move(modules)); }

}  // namespace wideload::ptx
