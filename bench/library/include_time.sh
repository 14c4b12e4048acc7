#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `#include <wideload/wideload.cuh>` costs nvcc over an empty file: the least of five, in seconds of one core.
#   bench/library/include_time.sh [nvcc]
set -euo pipefail
include=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../include" && pwd)
nvcc=${1:-${CUDACXX:-nvcc}}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
TIMEFORMAT='%U %S'

: > "$folder/empty.cu"
echo '#include <wideload/wideload.cuh>' > "$folder/library.cu"
least() {
    for _ in 1 2 3 4 5; do
        { time "$nvcc" -std=c++17 -arch=sm_90 -I "$include" -c -o "$folder/object.o" "$folder/$1.cu"; } 2>&1
    done | awk '{ s = $1 + $2; if (least == "" || s < least) least = s } END { printf "%.2f", least }'
}
empty=$(least empty)
library=$(least library)
awk -v e="$empty" -v l="$library" 'BEGIN { printf "empty file %.2f s, with the library %.2f s: %.2f s more\n", e, l, l - e }'
