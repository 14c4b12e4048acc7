#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds a user's program against the library, as add_subdirectory or as an installed package, and runs it. MORE_LANGUAGES are
# those of the user's project beside CUDA: CXX, or "".
#   consumer_test.sh add_subdirectory|find_package MORE_LANGUAGES CMAKE NVCC SOURCE_ROOT BUILD_FOLDER ARCHITECTURE
#                    [COMMAND that runs it...]
set -eu
way=$1 more_languages=$2 cmake=$3 nvcc=$4 root=$5 build=$6 architecture=$7
shift 7
rm -rf "$build"
common="-DMORE_LANGUAGES=$more_languages -DCMAKE_CUDA_COMPILER=$nvcc -DCMAKE_CUDA_ARCHITECTURES=$architecture"
if [ "$way" = find_package ]; then
    "$cmake" -S "$root" -B "$build/library" -DWIDELOAD_BUILD_ANALYSER=OFF -DWIDELOAD_BUILD_TESTS=OFF \
        -DCMAKE_INSTALL_PREFIX="$build/prefix" >/dev/null
    "$cmake" --install "$build/library" >/dev/null
    # The prefix must stand by itself, wherever it is put.
    mv "$build/prefix" "$build/moved"
    # shellcheck disable=SC2086
    "$cmake" -S "$root/tests/library/consumer/find_package" -B "$build/consumer" $common \
        -DCMAKE_PREFIX_PATH="$build/moved" >/dev/null
else
    # shellcheck disable=SC2086
    "$cmake" -S "$root/tests/library/consumer/add_subdirectory" -B "$build/consumer" $common \
        -DWIDELOAD_SOURCE="$root" >/dev/null
fi
"$cmake" --build "$build/consumer"
[ -x "$build/consumer/consumer" ]
if [ $# -gt 0 ]; then
    "$@" "$build/consumer/consumer"
fi
