// SPDX-License-Identifier: Apache-2.0
// violations SCHEMA DOCUMENT: prints what of a JSON document its schema forbids, a line each; 1
// where there is any.
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "schema_validator.h"

namespace {

nlohmann::json parsed(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return nlohmann::json::parse(file, nullptr, false);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const nlohmann::json schema = parsed(argv[1]), document = parsed(argv[2]);
    if (schema.is_discarded() || document.is_discarded()) {
        std::puts(schema.is_discarded() ? "the schema is no JSON" : "the document is no JSON");
        return 1;
    }
    const std::vector<std::string> found = wideload::profile::test::violations(schema, document);
    for (const std::string& violation : found) std::puts(violation.c_str());
    return found.empty() ? 0 : 1;
}
