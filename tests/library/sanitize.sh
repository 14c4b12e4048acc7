#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the library's tests under NVIDIA's compute-sanitizer on the GPU of this machine: accesses out of bounds, reads of memory that
# nothing wrote, barriers that not all threads reach, and races in shared memory.
#   tests/library/sanitize.sh OUTPUT_FOLDER [PROGRAM...]
# PROGRAM names a source of tests/library or tests/library/counts without its ending; all of them if none is named. One line a tool and program; exits with 1 if any is not clean, what it found is in OUTPUT_FOLDER.
set -u
out=$1
shift
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${WIDELOAD_BENCH_BUILD:-/tmp/wideload_sanitize}
architecture=${WIDELOAD_BENCH_ARCH:-sm_90}
export out build root architecture
mkdir -p "$out" "$build"
if [ $# -eq 0 ]; then
    for source in "$root"/tests/library/counts/*.cu "$root"/tests/library/*_test.cu; do set -- "$@" "$(basename "$source" .cu)"; done
fi

build_one() {
    source=$root/tests/library/$1.cu
    [ -e "$source" ] || source=$root/tests/library/counts/$1.cu
    nvcc -O3 -std=c++17 --extended-lambda -lineinfo -arch="$architecture" -I"$root/include" "$source" -o "$build/$1" \
        >"$out/$1.build.txt" 2>&1 || echo "BUILD FAILED: $1"
}
for name in "$@"; do
    rm -f "$build/$name"
    build_one "$name" &
done
wait

# Clean is a run that ended with the program's own success and a summary that counts nothing. Calls that are refused, as some tests
# want, are no faults.
# shellcheck disable=SC2016 # expanded by the shells that xargs starts
for tool in racecheck memcheck initcheck synccheck; do
    for name in "$@"; do echo "$tool $name"; done
done | xargs -P "$(nproc)" -L 1 sh -c '
    log=$out/$2.$1.txt
    options=
    [ "$1" = memcheck ] && options="--report-api-errors no"
    timeout "${WIDELOAD_SANITIZE_SECONDS:-900}" compute-sanitizer --tool "$1" $options "$build/$2" >"$log" 2>&1
    status=$?
    summary=$(grep "SUMMARY" "$log" | sed "s/=* *//")
    echo "$1 $2: ${summary:-ended early}, exit code $status"
    case "$status $summary" in
    "0 ERROR SUMMARY: 0 errors" | "0 RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)") ;;
    *) exit 1 ;;
    esac' sh || exit 1
