#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every header compiles alone, with warnings as errors: public ones for every architecture, those that they are made of for the
# GPU's part of the last one (all their code is compiled with the public ones). Included alone a header leaves nothing in an
# object: what is compiled, kernels first of all, is what is called. Nor does it mind what programs call by a single letter, such
# as `nvcc -DN=1024`: T and U alone are names in CUDA's own headers.
#   header_test.sh NVCC INCLUDE_FOLDER BUILD_FOLDER ARCHITECTURE...     75 80 90 100
set -eu
nvcc=$1 include=$2 build=$3
shift 3
# In one call, since most of a header's time is that of the toolkit's own headers.
all=
for architecture in "$@"; do
    all="$all -gencode=arch=compute_$architecture,code=compute_$architecture"
done
letters=
for letter in A B C D E F G H I J K L M N O P Q R S V W X Y Z; do letters="$letters -D$letter=7"; done
mkdir -p "$build"
failed=0
for header in $(cd "$include" && find wideload -name '*.cuh' | sort); do
    case $header in
    */detail/* | */dispatch/* | */kernel/* | */support/* | */tuning/*) targets="-arch=compute_$architecture -ptx" public= ;;
    *) targets="$all -c" public=yes ;;
    esac
    printf '#include <%s>\n' "$header" >"$build/header.cu"
    # shellcheck disable=SC2086
    if ! "$nvcc" -std=c++17 $targets $letters -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror \
        -I"$include" "$build/header.cu" -o "$build/header.o" >"$build/log" 2>&1; then
        echo "FAILED: $header does not compile alone"
        cat "$build/log"
        failed=1
    elif [ "$public" ] && nm -C "$build/header.o" | grep 'wideload::' >"$build/log"; then
        echo "FAILED: $header alone compiles functions"
        cat "$build/log"
        failed=1
    fi
done
exit $failed
