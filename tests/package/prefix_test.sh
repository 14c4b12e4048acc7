#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An installed prefix that is moved elsewhere still analyses a program, and its headers still compile by themselves: nothing
# in it may remember where it was built or installed.
#   prefix_test.sh CMAKE BUILD_FOLDER NVCC
set -euo pipefail
cmake=$1 build=$2 nvcc=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$cmake" --install "$build" --prefix "$scratch/installed" >/dev/null
mv "$scratch/installed" "$scratch/moved"
for file in bin/wideload lib/wideload/libwideload-preload.so lib/wideload/libwideload-engine.so \
    share/doc/wideload/README.md share/doc/wideload/CONTRIBUTING.md share/doc/wideload/docs/run.md include/wideload; do
    [ -e "$scratch/moved/$file" ] || { echo "the prefix lacks $file"; exit 1; }
done

cp "$build/cuda/example_coalescing" "$scratch/program"
cd "$scratch"
env -i PATH=/usr/bin:/bin moved/bin/wideload run --json p.json -- ./program 2>report
grep -q 'strided by 128 bytes (100 %)' report || { cat report; echo 'the report lacks the strided load'; exit 1; }
grep -q '"global_ld_sectors":1048576' p.json || { echo 'the profile lacks 32 sectors a request'; exit 1; }

for header in moved/include/wideload/device/*.cuh; do
    echo "#include \"$header\"" >one.cu
    "$nvcc" -std=c++17 -arch=compute_90 -Imoved/include -c -o one.o one.cu || { echo "$header does not stand alone"; exit 1; }
done
