#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds a user's program against the library, as add_subdirectory or as an installed package, and runs it.
#   consumer_test.sh add_subdirectory|find_package CMAKE NVCC SOURCE_ROOT BUILD_FOLDER ARCHITECTURE [COMMAND that runs it...]
set -eu
way=$1 cmake=$2 nvcc=$3 root=$4 build=$5 architecture=$6
shift 6
rm -rf "$build"
common="-DCMAKE_CUDA_COMPILER=$nvcc -DCMAKE_CUDA_ARCHITECTURES=$architecture"
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
