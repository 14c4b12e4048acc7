// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/standard_streams.h"

int main(int argc, char** argv) {
    using namespace wideload::cli;
    hold_closed_streams();
    return finish_stdout(std::visit([](const auto& command) { return execute(command); },
                                    parse_command_line(argc, argv)));
}
