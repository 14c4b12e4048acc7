#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A wrong use fails to compile, and the error says what is wrong in the sentence that the file's second line states.
#   wrong_use_test.sh NVCC INCLUDE_FOLDER FILE
set -eu
nvcc=$1 include=$2 file=$3
sentence=$(sed -n '2s|^// says: ||p' "$file")
if output=$("$nvcc" -std=c++17 -arch=sm_90 -I"$include" -cuda "$file" -o /dev/null 2>&1); then
    echo "FAILED: $file compiles"
    exit 1
fi
printf '%s\n' "$output" | grep -qF "$sentence" && exit 0
echo "FAILED: the error does not say: $sentence"
printf '%s\n' "$output"
exit 1
