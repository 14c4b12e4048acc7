// SPDX-License-Identifier: Apache-2.0
#include "cli/lab_results.h"

#include <utility>

#include "profile/document.h"

namespace wideload::cli {

std::filesystem::path results_file(const Workspace& workspace) {
    return workspace.status_file().parent_path() / "results.json";
}

Result<lab::Outcome> read_outcome(const lab::Program& program, const Workspace& workspace,
                                  const std::string& ended) {
    const std::string name = program.file.string();
    if (!std::filesystem::exists(results_file(workspace))) {
        return failure_in(name, "ended with " + ended + " before it wrote its results");
    }
    const Result<std::string> text = profile::read_text(results_file(workspace).string());
    if (!text) return text.errors();
    Result<lab::Results> results = lab::parse_results(*text, name + " --results");
    if (!results) return results.errors();
    return lab::Outcome{program.description, std::move(*results)};
}

}  // namespace wideload::cli
