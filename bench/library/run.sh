#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds, checks and times the library on the GPU of this machine.
#   bench/library/run.sh OUTPUT_FOLDER PROGRAM...
# PROGRAM names a source of bench/library or tests/library without its ending (copy_bench, copy_test, ...); "tests" and
# "benches" stand for all of a kind. Tests run with --full; benchmarks append their rows to OUTPUT_FOLDER/library.csv. A
# table of ratios comes last.
set -u
out=$1
shift
asked=$*
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${WIDELOAD_BENCH_BUILD:-/tmp/wideload_bench}
architecture=${WIDELOAD_BENCH_ARCH:-sm_90}
flags=${WIDELOAD_BENCH_FLAGS:-}
mkdir -p "$out" "$build"

for name in "$@"; do
    case $name in
    tests) set -- "$@" $(cd "$root/tests/library" && ls ./*_test.cu | sed 's|^./||; s|\.cu$||') ;;
    benches) set -- "$@" copy_bench fill_bench transform_bench transpose_bench interleave_bench reduce_bench \
        reduce_structs_bench reduce_parts_bench matrix_reduce_bench strided_bench rows_bench pitched_bench \
        kernels_bench ;;
    *) set -- "$@" "$name" ;;
    esac
    shift
done

build_one() {
    name=$1
    source=$root/bench/library/$name.cu
    [ -f "$source" ] || source=$root/tests/library/$name.cu
    libraries=
    grep -q cublas "$source" && libraries="-lcublas"
    nvcc -O3 -std=c++17 --extended-lambda -lineinfo -arch="$architecture" -I"$root/include" "$source" -o "$build/$name" \
        $libraries $flags >"$build/$name.log" 2>&1 || { echo "BUILD FAILED: $name"; cat "$build/$name.log"; }
}

for name in "$@"; do
    rm -f "$build/$name"
    build_one "$name" &
done
wait

csv=$out/library.csv
{
    echo "# gpu: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader)"
    echo "# cuda: $(nvcc --version | sed -n 's/.*release \([^,]*\), \(.*\)/\1 \2/p')"
    echo "# command: ${flags:+WIDELOAD_BENCH_FLAGS='$flags' }bench/library/run.sh OUTPUT_FOLDER $asked"
    echo "section,name,parameters,bytes,median_us,gbps,ok,sm_mhz"
} >"$csv"
for name in "$@"; do
    case $name in
    *_test) timeout 120 "$build/$name" --full || echo "TEST FAILED: $name" ;;
    *) timeout 240 "$build/$name" --csv "$csv" || echo "BENCH FAILED: $name" ;;
    esac
done 2>&1 | tee "$out/log.txt"
python3 "$root/bench/library/summarise.py" "$csv"
