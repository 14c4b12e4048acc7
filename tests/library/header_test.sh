#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every public header compiles alone, with warnings as errors.
#   header_test.sh NVCC INCLUDE_FOLDER ARCHITECTURE BUILD_FOLDER
set -eu
nvcc=$1 include=$2 architecture=$3 build=$4
mkdir -p "$build"
failed=0
for header in $(cd "$include" && find wideload -name '*.cuh' | sort); do
    printf '#include <%s>\n' "$header" >"$build/header.cu"
    if ! "$nvcc" -std=c++17 -arch="$architecture" -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror \
        -I"$include" -cuda "$build/header.cu" -o "$build/header.ii" >"$build/log" 2>&1; then
        echo "FAILED: $header does not compile alone for $architecture"
        cat "$build/log"
        failed=1
    fi
done
exit $failed
