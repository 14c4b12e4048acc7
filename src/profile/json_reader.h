// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/result.h"

namespace wideload::profile {

/// Reads typed members of a JSON object from a file that anyone may have written. What does not fit
/// is a diagnostic that names the member's place, "launches/3/sites/0/kind"; reading goes on with
/// the default, so that one run reports all.
class JsonReader {
public:
    using Value = nlohmann::json;
    /// After this many, further ones are not kept: a hostile file could have millions.
    static constexpr std::size_t kMaxErrors = 20;

    /// @param path  of the value in its document, where it is not the whole: "launches/3"
    JsonReader(const Value& value, std::string file, Diagnostics& errors, std::string path = {})
        : value_(value), file_(std::move(file)), path_(std::move(path)), errors_(errors) {}

    void error(const std::string& message) const {
        if (errors_.size() < kMaxErrors) {
            const std::string place = path();
            Diagnostic diagnostic = failure(place.empty() ? message : place + ": " + message);
            diagnostic.where.file = root().file_;
            errors_.push_back(std::move(diagnostic));
        }
    }

    /// The member "schema"; an error where it is another than this version reads.
    [[nodiscard]] std::string schema(std::string_view wanted) const {
        std::string found;
        required("schema", found);
        if (!found.empty() && found != wanted) {
            error("the schema is \"" + found + "\"; this version reads \"" + std::string(wanted) +
                  "\"");
        }
        return found;
    }

    [[nodiscard]] const Value& value() const { return value_; }

    /// The member of this object, or nothing; an error where this is no object, or where a required
    /// one is missing. It refers to this reader and to the name, which have to outlive it.
    [[nodiscard]] std::optional<JsonReader> member(std::string_view name, bool required) const {
        if (!value_.is_object()) {
            error("should be an object");
            return std::nullopt;
        }
        const auto found = value_.find(name);
        if (found == value_.end()) {
            if (required) {
                error("has no member \"" + std::string(name) + "\"");
            }
            return std::nullopt;
        }
        return JsonReader(*found, *this, name, 0);
    }

    template <class T>
    void required(std::string_view name, T& out) const {
        if (const auto found = member(name, true)) {
            found->read(out);
        }
    }
    template <class T>
    void optional(std::string_view name, T& out) const {
        if (const auto found = member(name, false)) {
            found->read(out);
        }
    }
    template <class T>
    void optional(std::string_view name, std::optional<T>& out) const {
        if (const auto found = member(name, false)) {
            found->read(out.emplace());
        }
    }

    /// visit(const JsonReader&) for every element.
    template <class Visit>
    void elements(Visit visit) const {
        if (!value_.is_array()) {
            error("should be an array");
            return;
        }
        std::size_t index = 0;
        for (const Value& element : value_) {
            visit(JsonReader(element, *this, {}, index++));
        }
    }

    /// visit(const std::string& name, const JsonReader&) for every member.
    template <class Visit>
    void members(Visit visit) const {
        if (!value_.is_object()) {
            error("should be an object");
            return;
        }
        for (const auto& [name, element] : value_.items()) {
            visit(name, JsonReader(element, *this, name, 0));
        }
    }

    void read(std::string& out) const {
        if (value_.is_string()) {
            out = value_.get_ref<const std::string&>();
        } else {
            error("should be a string");
        }
    }

    void read(bool& out) const {
        if (value_.is_boolean()) {
            out = value_.get<bool>();
        } else {
            error("should be true or false");
        }
    }

    void read(double& out) const {
        if (value_.is_number()) {
            out = value_.get<double>();
        } else {
            error("should be a number");
        }
    }

    template <class Integer>
        requires(std::is_integral_v<Integer>)
    void read(Integer& out) const {
        using Limits = std::numeric_limits<Integer>;
        if (value_.is_number_unsigned()) {
            const auto number = value_.get<std::uint64_t>();
            if (number <= static_cast<std::uint64_t>(Limits::max())) {
                out = static_cast<Integer>(number);
                return;
            }
        } else if (value_.is_number_integer() && std::is_signed_v<Integer>) {
            const auto number = value_.get<std::int64_t>();
            if (number >= static_cast<std::int64_t>(Limits::min())) {
                out = static_cast<Integer>(number);
                return;
            }
        }
        error("should be a whole number from " + std::to_string(Limits::min()) + " to " +
              std::to_string(Limits::max()));
    }

    /// An array of exactly this many numbers.
    template <class Integer, std::size_t kCount>
    void read(std::array<Integer, kCount>& out) const {
        if (!value_.is_array() || value_.size() != kCount) {
            error("should be an array of " + std::to_string(kCount));
            return;
        }
        std::size_t index = 0;
        elements([&](const JsonReader& element) { element.read(out[index++]); });
    }

    template <class T>
    void read(std::vector<T>& out) const {
        elements([&](const JsonReader& element) { element.read(out.emplace_back()); });
    }

    /// Structures: by a read_members(const JsonReader&, T&) in their namespace.
    template <class T>
        requires(std::is_class_v<T>)
    void read(T& out) const {
        read_members(*this, out);
    }

private:
    /// @param index  of an element, which has no name
    JsonReader(const Value& value, const JsonReader& parent, std::string_view name,
               std::size_t index)
        : value_(value), parent_(&parent), name_(name), index_(index), errors_(parent.errors_) {}

    [[nodiscard]] const JsonReader& root() const { return parent_ ? parent_->root() : *this; }

    /// Put together when it is asked for: profiles have millions of members, and few errors.
    [[nodiscard]] std::string path() const {
        if (parent_ == nullptr) return path_;
        const std::string before = parent_->path();
        const std::string own = name_.data() ? std::string(name_) : std::to_string(index_);
        return before.empty() ? own : before + "/" + own;
    }

    const Value& value_;
    std::string file_;  ///< of the root, and its path
    std::string path_;
    const JsonReader* parent_ = nullptr;
    std::string_view name_;
    std::size_t index_ = 0;
    Diagnostics& errors_;
};

}  // namespace wideload::profile
