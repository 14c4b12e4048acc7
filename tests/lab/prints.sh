#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A command succeeds and prints what a pattern matches: CTest's own PASS_REGULAR_EXPRESSION passes over the exit code.
#   prints.sh PATTERN COMMAND...
pattern=$1
shift
output=$("$@") || { echo "exit code $?"; printf '%s\n' "$output"; exit 1; }
printf '%s\n' "$output"
printf '%s\n' "$output" | grep -Eq -- "$pattern" || { echo "nothing matches $pattern"; exit 1; }
