// SPDX-License-Identifier: Apache-2.0
#include "jit/runtime/device_printf.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "jit/runtime/lane_memory.h"

namespace wideload::jit {
namespace {

constexpr std::size_t kLongestText = 64 * 1024;

/// The arguments of one printf, read in order from where nvcc put them.
class Arguments {
public:
    Arguments(BlockContext& block, std::uint32_t warp, unsigned lane, std::uint64_t address)
        : block_(block), warp_(warp), lane_(lane), address_(address) {}

    template <class T>
    T next() {
        offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
        T value{};
        if (address_ == 0 ||
            !read_generic(block_, warp_, lane_, address_ + offset_,
                          static_cast<void*>(std::addressof(value)), sizeof value)) {
            value = T{};
        }
        offset_ += sizeof(T);
        ++taken_;
        return value;
    }
    std::string next_text() {
        const auto address = next<std::uint64_t>();
        if (address == 0) return "(null)";
        std::string text;
        if (!read_device_string(block_, warp_, lane_, address, text)) return "(invalid)";
        return text;
    }
    [[nodiscard]] int taken() const { return taken_; }

private:
    BlockContext& block_;
    std::uint32_t warp_;
    unsigned lane_;
    std::uint64_t address_;
    std::uint64_t offset_ = 0;
    int taken_ = 0;
};

/// `%[flags][width][.precision][size]type`, split so that the host's own printf can do the work.
struct Conversion {
    std::string flags_and_width;  ///< with `*` already replaced
    std::string size;
    char type = 0;
    std::size_t length = 0;  ///< characters of the format
};

Conversion parse_conversion(std::string_view format, Arguments& arguments) {
    Conversion conversion;
    std::size_t i = 1;
    for (; i < format.size() && std::strchr("-+ #0123456789.*", format[i]) != nullptr; ++i) {
        if (format[i] == '*') {
            conversion.flags_and_width += std::to_string(arguments.next<std::int32_t>());
        } else {
            conversion.flags_and_width += format[i];
        }
    }
    for (; i < format.size() && std::strchr("hlLqjzt", format[i]) != nullptr; ++i) {
        conversion.size += format[i];
    }
    if (i < format.size()) conversion.type = format[i++];
    conversion.length = i;
    return conversion;
}

template <class Value>
std::string print_one(const std::string& format, Value value) {
    std::array<char, 512> buffer;
    // The format is rebuilt from checked parts: flags, width, precision and one known conversion.
    const int length = std::snprintf(buffer.data(), buffer.size(), format.c_str(), value);
    if (length < 0) return {};
    if (static_cast<std::size_t>(length) < buffer.size()) return buffer.data();
    std::string text(static_cast<std::size_t>(length) + 1, '\0');
    std::snprintf(text.data(), text.size(), format.c_str(), value);
    text.pop_back();
    return text;
}

std::string print_conversion(const Conversion& conversion, Arguments& arguments) {
    const std::string start = '%' + conversion.flags_and_width;
    const bool wide = conversion.size.find_first_of("lqjzt") != std::string::npos;
    switch (conversion.type) {
        case 'd':
        case 'i':
        case 'u':
        case 'x':
        case 'X':
        case 'o':
            if (wide) return print_one(start + "ll" + conversion.type, arguments.next<long long>());
            return print_one(
                start + (conversion.size[0] == 'h' ? conversion.size : "") + conversion.type,
                arguments.next<int>());
        case 'c':
            return print_one(start + 'c', arguments.next<int>());
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
        case 'a':
        case 'A':
            return print_one(start + conversion.type, arguments.next<double>());
        case 'p':
            return print_one(start + 'p', arguments.next<void*>());
        case 's':
            return print_one(start + 's', arguments.next_text().c_str());
        default:
            return {};
    }
}

}  // namespace

bool read_device_string(BlockContext& block, std::uint32_t warp, unsigned lane,
                        std::uint64_t address, std::string& text) {
    for (std::size_t i = 0; i < kLongestText; ++i) {
        char c = 0;
        if (!read_generic(block, warp, lane, address + i, &c, 1)) return false;
        if (c == 0) return true;
        text += c;
    }
    return false;
}

DevicePrint format_device_print(BlockContext& block, std::uint32_t warp, unsigned lane,
                                const std::string& format, std::uint64_t values) {
    Arguments arguments(block, warp, lane, values);
    DevicePrint print;
    for (std::size_t i = 0; i < format.size();) {
        if (format[i] != '%') {
            print.text += format[i++];
            continue;
        }
        if (i + 1 < format.size() && format[i + 1] == '%') {
            print.text += '%';
            i += 2;
            continue;
        }
        const Conversion conversion =
            parse_conversion(std::string_view(format).substr(i), arguments);
        const std::string text = print_conversion(conversion, arguments);
        print.text +=
            text.empty() && conversion.type != 's' ? format.substr(i, conversion.length) : text;
        i += conversion.length;
    }
    print.arguments = arguments.taken();
    return print;
}

}  // namespace wideload::jit
