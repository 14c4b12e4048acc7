// SPDX-License-Identifier: Apache-2.0
#include "ptx/function_scope.h"

#include <fmt/format.h>

#include <charconv>

namespace wideload::ptx {

FunctionScope::FunctionScope(Function& function) : function_(function) { open_scope(0); }

void FunctionScope::open_scope(std::uint32_t parent) {
    Scope scope;
    scope.id = static_cast<std::uint32_t>(parents_.size());
    parents_.push_back(parent);
    open_.push_back(std::move(scope));
}

bool FunctionScope::enter() {
    if (open_.size() >= kDeepest) return false;
    open_scope(open_.back().id);
    return true;
}

bool FunctionScope::leave() {
    if (open_.size() == 1) return false;
    open_.pop_back();
    return true;
}

bool FunctionScope::declare(std::string_view name, LocalSymbol symbol) {
    return open_.back().symbols.emplace(name, symbol).second;
}

bool FunctionScope::declare_register(std::string_view name, Type type) {
    const auto id = static_cast<RegisterId>(function_.registers.size());
    if (!declare(name, {LocalSymbol::Kind::reg, id, 1})) return false;
    function_.registers.push_back({std::string(name), type});
    return true;
}

bool FunctionScope::declare_register_vector(std::string_view name, Type type, std::uint32_t width) {
    const auto id = static_cast<RegisterId>(function_.registers.size());
    if (!declare(name, {LocalSymbol::Kind::register_vector, id, width})) return false;
    for (std::uint32_t i = 0; i < width; ++i) {
        function_.registers.push_back({fmt::format("{}.{}", name, "xyzw"[i & 3]), type});
    }
    return true;
}

bool FunctionScope::declare_register_range(std::string_view prefix, Type type,
                                           std::uint64_t count) {
    return open_.back().ranges.emplace(prefix, RegisterRange{type, count}).second;
}

std::string FunctionScope::make_unique(std::string_view name) {
    const std::uint32_t uses = ++name_uses_[std::string(name)];
    // No PTX identifier holds a dot, so the new name cannot clash.
    return uses == 1 ? std::string(name) : fmt::format("{}.{}", name, uses);
}

bool FunctionScope::declare_named(std::string_view name, LocalSymbol::Kind kind,
                                  std::uint32_t count) {
    const auto index = static_cast<std::uint32_t>(unique_names_.size());
    if (!declare(name, {kind, index, count})) return false;
    unique_names_.push_back(make_unique(name));
    return true;
}

bool FunctionScope::declare_variable(std::string_view name, std::uint32_t element_bytes) {
    return declare_named(name, LocalSymbol::Kind::variable, element_bytes);
}

bool FunctionScope::declare_prototype(std::string_view name) {
    return declare_named(name, LocalSymbol::Kind::prototype, 1);
}

bool FunctionScope::declare_targets(std::string_view name) {
    return declare_named(name, LocalSymbol::Kind::targets, 1);
}

bool FunctionScope::declare_label(std::string_view name) {
    const auto id = static_cast<LabelId>(function_.labels.size());
    if (!labels_.emplace(LabelKey{open_.back().id, name}, id).second) return false;
    function_.labels.push_back(
        {std::string(name), static_cast<std::uint32_t>(function_.body.size())});
    return true;
}

std::optional<LocalSymbol> FunctionScope::find_in_range(Scope& scope, std::string_view name) {
    constexpr std::size_t kMostDigits = 20;
    if (scope.ranges.empty()) return std::nullopt;
    // A prefix may itself end in digits: `%r1<4>` declares %r10. So every split is tried.
    for (std::size_t split = name.size(); split-- > 1;) {
        if (name[split] < '0' || name[split] > '9' || name.size() - split > kMostDigits) break;
        const auto range = scope.ranges.find(name.substr(0, split));
        if (range == scope.ranges.end()) continue;
        std::uint64_t value = 0;
        const auto [stop, error] =
            std::from_chars(name.data() + split, name.data() + name.size(), value);
        const bool padded = name.size() - split > 1 && name[split] == '0';
        if (error != std::errc{} || padded || value >= range->second.count) continue;
        const LocalSymbol symbol{LocalSymbol::Kind::reg,
                                 static_cast<RegisterId>(function_.registers.size()), 1};
        function_.registers.push_back({std::string(name), range->second.type});
        scope.symbols.emplace(name, symbol);
        return symbol;
    }
    return std::nullopt;
}

std::optional<LocalSymbol> FunctionScope::find(std::string_view name) {
    for (auto scope = open_.rbegin(); scope != open_.rend(); ++scope) {
        const auto found = scope->symbols.find(name);
        if (found != scope->symbols.end()) return found->second;
        if (const auto created = find_in_range(*scope, name)) return created;
    }
    // `v.y` of a register vector
    constexpr std::string_view kSuffixes = "xyzwrgba";
    if (name.size() < 3 || name[name.size() - 2] != '.') return std::nullopt;
    const std::size_t component = kSuffixes.find(name.back()) % 4;
    if (kSuffixes.find(name.back()) == std::string_view::npos) return std::nullopt;
    const auto vector = find(name.substr(0, name.size() - 2));
    if (!vector || vector->kind != LocalSymbol::Kind::register_vector ||
        component >= vector->count) {
        return std::nullopt;
    }
    return LocalSymbol{LocalSymbol::Kind::reg, vector->index + static_cast<RegisterId>(component),
                       1};
}

LabelId FunctionScope::refer_to_label(std::string_view name) {
    label_references_.push_back({open_.back().id, name});
    return static_cast<LabelId>(label_references_.size() - 1);
}

std::vector<std::optional<LabelId>> FunctionScope::resolve_labels() const {
    std::vector<std::optional<LabelId>> resolved;
    resolved.reserve(label_references_.size());
    for (const LabelReference& reference : label_references_) {
        std::optional<LabelId> label;
        for (std::uint32_t scope = reference.scope;; scope = parents_[scope]) {
            const auto found = labels_.find({scope, reference.name});
            if (found != labels_.end()) label = found->second;
            if (label || scope == 0) break;
        }
        resolved.push_back(label);
    }
    return resolved;
}

}  // namespace wideload::ptx
