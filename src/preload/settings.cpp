// SPDX-License-Identifier: Apache-2.0
#include "preload/settings.h"

#include <linux/limits.h>

#include <cstddef>
#include <cstring>
#include <string_view>

#include "preload/protocol.h"

namespace wideload::preload {
namespace {

struct Setting {
    std::string_view name;
    char value[PATH_MAX];
};

Setting engine_path{kEnginePath, ""};
Setting message_path{kMessageFile, ""};
Setting status_path{kStatusFile, ""};

/// The value in "NAME=value" where the name is the setting's.
const char* value_of(const Setting& setting, const char* entry) {
    const std::size_t length = setting.name.size();
    const bool named = std::string_view(entry).substr(0, length) == setting.name;
    return named && entry[length] == '=' ? entry + length + 1 : nullptr;
}

}  // namespace

void read_settings(char** environment) {
    for (; *environment != nullptr; ++environment) {
        for (Setting* setting : {&engine_path, &message_path, &status_path}) {
            const char* value = value_of(*setting, *environment);
            const bool fits = value != nullptr && std::strlen(value) < sizeof setting->value;
            // Of two equal names the first counts, as for getenv.
            if (!fits || *setting->value != 0) continue;
            std::strcpy(setting->value, value);
        }
    }
}

const char* engine_path_setting() { return engine_path.value; }
const char* message_path_setting() { return message_path.value; }
const char* status_path_setting() { return status_path.value; }

}  // namespace wideload::preload
