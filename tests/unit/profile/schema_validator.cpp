// SPDX-License-Identifier: Apache-2.0
#include "schema_validator.h"

#include <algorithm>
#include <functional>
#include <map>
#include <regex>

namespace wideload::profile::test {
namespace {

using Json = nlohmann::json;

bool has_type(const Json& value, const std::string& type) {
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "array") return value.is_array();
    if (type == "object") return value.is_object();
    return type == "null" && value.is_null();
}

class Validator {
public:
    explicit Validator(const Json& root) : root_(root) {}

    void check(const Json& schema, const Json& value, const std::string& place) {
        if (schema.is_boolean()) {
            if (!schema.get<bool>()) report(place, "is not allowed here");
            return;
        }
        for (const auto& [keyword, rule] : schema.items()) {
            const auto found = kKeywords.find(keyword);
            if (found == kKeywords.end()) {
                report(place, "the schema uses \"" + keyword + "\", which this validator lacks");
            } else if (found->second != nullptr) {
                (this->*found->second)(rule, schema, value, place);
            }
        }
    }

    std::vector<std::string> violations;

private:
    using Check = void (Validator::*)(const Json& rule, const Json& schema, const Json& value,
                                      const std::string& place);

    void report(const std::string& place, const std::string& message) {
        violations.push_back(place + ": " + message);
    }

    void type(const Json& rule, const Json&, const Json& value, const std::string& place) {
        const std::vector<std::string> types = rule.is_array()
                                                   ? rule.get<std::vector<std::string>>()
                                                   : std::vector{rule.get<std::string>()};
        if (std::none_of(types.begin(), types.end(),
                         [&](const std::string& t) { return has_type(value, t); })) {
            report(place, "is not " + rule.dump());
        }
    }
    void constant(const Json& rule, const Json&, const Json& value, const std::string& place) {
        if (value != rule) report(place, "is not " + rule.dump());
    }
    void enumeration(const Json& rule, const Json&, const Json& value, const std::string& place) {
        if (std::find(rule.begin(), rule.end(), value) == rule.end()) {
            report(place, value.dump() + " is none of " + rule.dump());
        }
    }
    void minimum(const Json& rule, const Json&, const Json& value, const std::string& place) {
        if (value.is_number() && value < rule) report(place, "is below " + rule.dump());
    }
    void maximum(const Json& rule, const Json&, const Json& value, const std::string& place) {
        if (value.is_number() && value > rule) report(place, "is above " + rule.dump());
    }
    void min_items(const Json& rule, const Json&, const Json& value, const std::string& place) {
        if (value.is_array() && value.size() < rule) report(place, "has too few elements");
    }
    void max_items(const Json& rule, const Json&, const Json& value, const std::string& place) {
        if (value.is_array() && value.size() > rule) report(place, "has too many elements");
    }
    void pattern(const Json& rule, const Json&, const Json& value, const std::string& place) {
        if (!value.is_string()) return;
        // Compiling one takes longer than all else that is done for a member.
        const auto [known, is_new] = patterns_.try_emplace(rule.get<std::string>());
        if (is_new) known->second = std::regex(known->first);
        if (!std::regex_search(value.get<std::string>(), known->second)) {
            report(place, value.dump() + " does not match " + rule.dump());
        }
    }
    void required(const Json& rule, const Json&, const Json& value, const std::string& place) {
        for (const Json& name : rule) {
            if (value.is_object() && !value.contains(name.get<std::string>())) {
                report(place, "lacks " + name.dump());
            }
        }
    }
    void properties(const Json& rule, const Json&, const Json& value, const std::string& place) {
        for (const auto& [name, schema] : rule.items()) {
            if (value.is_object() && value.contains(name)) {
                check(schema, value[name], place + "/" + name);
            }
        }
    }
    void additional(const Json& rule, const Json& schema, const Json& value,
                    const std::string& place) {
        if (!value.is_object()) return;
        for (const auto& [name, member] : value.items()) {
            if (!schema.contains("properties") || !schema["properties"].contains(name)) {
                check(rule, member, place + "/" + name);
            }
        }
    }
    void property_names(const Json& rule, const Json&, const Json& value,
                        const std::string& place) {
        if (!value.is_object()) return;
        for (const auto& [name, member] : value.items()) check(rule, name, place + "/" + name);
    }
    void items(const Json& rule, const Json&, const Json& value, const std::string& place) {
        if (!value.is_array()) return;
        for (std::size_t i = 0; i < value.size(); ++i) {
            check(rule, value[i], place + "/" + std::to_string(i));
        }
    }
    void reference(const Json& rule, const Json&, const Json& value, const std::string& place) {
        check(root_.at(Json::json_pointer(rule.get<std::string>().substr(1))), value, place);
    }

    static const std::map<std::string, Check> kKeywords;
    const Json& root_;
    std::map<std::string, std::regex> patterns_;
};

const std::map<std::string, Validator::Check> Validator::kKeywords = {
    {"$schema", nullptr},
    {"$id", nullptr},
    {"$defs", nullptr},
    {"title", nullptr},
    {"description", nullptr},
    {"type", &Validator::type},
    {"const", &Validator::constant},
    {"enum", &Validator::enumeration},
    {"minimum", &Validator::minimum},
    {"maximum", &Validator::maximum},
    {"minItems", &Validator::min_items},
    {"maxItems", &Validator::max_items},
    {"pattern", &Validator::pattern},
    {"required", &Validator::required},
    {"properties", &Validator::properties},
    {"additionalProperties", &Validator::additional},
    {"propertyNames", &Validator::property_names},
    {"items", &Validator::items},
    {"$ref", &Validator::reference}};

}  // namespace

std::vector<std::string> violations(const Json& schema, const Json& document) {
    Validator validator(schema);
    validator.check(schema, document, "");
    return validator.violations;
}

}  // namespace wideload::profile::test
