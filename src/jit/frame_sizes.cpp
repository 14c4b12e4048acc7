// SPDX-License-Identifier: Apache-2.0
#include "jit/frame_sizes.h"

#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/DataExtractor.h>

namespace wideload::jit {
namespace {

/// Of one section: for each function its address, to be relocated, and its frame.
std::uint64_t sum_of_section(llvm::StringRef contents) {
    const llvm::DataExtractor data(contents, /*IsLittleEndian=*/true, sizeof(std::uint64_t));
    llvm::DataExtractor::Cursor at(0);
    std::uint64_t sum = 0;
    while (at && at.tell() < contents.size()) {
        data.skip(at, sizeof(std::uint64_t));
        sum += data.getULEB128(at);
    }
    llvm::consumeError(at.takeError());
    return sum;
}

}  // namespace

std::uint64_t sum_of_frames(llvm::MemoryBufferRef object) {
    auto file = llvm::object::ObjectFile::createObjectFile(object);
    if (!file) {
        llvm::consumeError(file.takeError());
        return 0;
    }
    std::uint64_t sum = 0;
    for (const llvm::object::SectionRef& section : (*file)->sections()) {
        auto name = section.getName();
        auto contents = section.getContents();
        if (name && contents && *name == ".stack_sizes") sum += sum_of_section(*contents);
        if (!name) llvm::consumeError(name.takeError());
        if (!contents) llvm::consumeError(contents.takeError());
    }
    return sum;
}

}  // namespace wideload::jit
