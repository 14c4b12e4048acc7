// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <vector>

#include "arch/device.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/messages.h"
#include "cli/profile_files.h"
#include "cli/text_output.h"
#include "cli/version.h"
#include "model/roofline.h"
#include "report/roofline_json.h"
#include "report/roofline_svg.h"
#include "report/roofline_text.h"

namespace wideload::cli {

int execute(const RooflineCommand& command) {
    const std::vector<std::filesystem::path> files(command.files.begin(), command.files.end());
    const ReadProfiles read = read_profiles(files);
    say(read.problems);
    if (read.files_read == 0) return kToolFailed;
    const arch::Device* device = command.gpu.empty() ? nullptr : arch::find_device(command.gpu);
    const std::vector<model::Roofline> kernels = model::rooflines(read.profile, device);
    Diagnostics problems = command.json.empty()
                               ? write_text(report::roofline_text(kernels), "-")
                               : write_text(report::roofline_json(kernels, kVersion), command.json);
    if (!command.svg.empty() && !kernels.empty()) {
        append(problems, write_text(report::roofline_svg(kernels), command.svg));
    }
    say(problems);
    return read.problems.empty() && problems.empty() ? 0 : kToolFailed;
}

}  // namespace wideload::cli
