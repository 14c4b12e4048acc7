# SPDX-License-Identifier: Apache-2.0
# What a newcomer needs in one word each; CMakePresets.json is beneath, for those who know CMake.

.PHONY: all demo test check setup clean help
all: build/release/build.ninja
	@cmake --build --preset release

help:
	@echo 'make         install what is missing, then build into build/release'
	@echo 'make demo    ... as much as it takes to analyse examples/coalescing.cu, and print the report'
	@echo 'make test    ... then run every test'
	@echo 'make check   ... then look at formatting and lint alone'
	@echo 'make clean   remove what was built'

setup:
	@tools/setup

build/release/build.ninja: setup
	@test -e $@ || cmake --preset release

demo: build/release/build.ninja
	@tools/demo

test: setup
	@tools/test

check: all
	@tools/check

clean:
	rm -rf build/release build/debug build/asan
