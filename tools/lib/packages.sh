# SPDX-License-Identifier: Apache-2.0
# What is needed from the distribution. Each need is a probe and the package that meets it, so that what came from elsewhere
# is good too, and so that looking takes milliseconds.

# Newest supported LLVM that is installed, else the one to install: 19 wherever the distribution has it, as formatting and
# lint rules are those of 19.
llvm_version() {
    local version
    for version in 19 20 21 18; do
        [ -e "/usr/lib/llvm-$version/lib/cmake/llvm/LLVMConfig.cmake" ] && echo "$version" && return
    done
    for version in 19 20 21 18; do
        apt-cache show "llvm-$version-dev" >/dev/null 2>&1 && echo "$version" && return
    done
    echo 19
}

# probe -> package. A probe that starts with / is a file (a glob); else a command.
package_table() {
    local llvm=$1
    cat <<TABLE
make                                              make
g++                                               g++
git                                               git
cmake                                             cmake
ninja                                             ninja-build
ccache                                            ccache
pkg-config                                        pkg-config
python3                                           python3
/usr/lib/llvm-$llvm/lib/cmake/llvm/LLVMConfig.cmake  llvm-$llvm-dev
clang-$llvm                                       clang-$llvm
clang-tidy-$llvm                                  clang-tidy-$llvm
clang-format-$llvm                                clang-format-$llvm
/usr/lib/llvm-$llvm/lib/clang/$llvm/lib/linux/libclang_rt.fuzzer-*.a  libclang-rt-$llvm-dev
/usr/include/zlib.h                               zlib1g-dev
/usr/include/zstd.h                               libzstd-dev
/usr/include/lz4.h                                liblz4-dev
/usr/include/fmt/format.h                         libfmt-dev
/usr/include/CLI/CLI.hpp                          libcli11-dev
/usr/include/nlohmann/json.hpp                    nlohmann-json3-dev
/usr/include/gtest/gtest.h                        libgtest-dev
/usr/include/gmock/gmock.h                        libgmock-dev
/usr/include/benchmark/benchmark.h                libbenchmark-dev
/usr/include/boost/context/fiber.hpp              libboost-context-dev
TABLE
    # A test draws the lab's page in it. Ubuntu's package only installs a snap, which is not for set-up scripts.
    if ! command -v chromium google-chrome >/dev/null && ! grep -q '^ID=ubuntu' /etc/os-release; then
        echo "chromium  chromium"
    fi
    # Only the way to the wheels needs these.
    if [ -n "$(missing_cuda_wheels)$(missing_vega)" ]; then
        echo "/usr/lib/python3*/ensurepip  python3-venv"
    fi
}

missing_packages() {
    local probe package
    package_table "$(llvm_version)" | while read -r probe package; do
        case "$probe" in
            /*) compgen -G "$probe" >/dev/null || echo "$package" ;;
            *) command -v "$probe" >/dev/null || echo "$package" ;;
        esac
    done
}

install_packages() {
    if ! command -v apt-get >/dev/null; then
        echo "setup: this system has no apt-get; install the equivalents of: $*" >&2
        exit 1
    fi
    if [ "$(id -u)" != 0 ]; then
        echo "setup: these packages are missing, and installing them needs root:" >&2
        printf '    %s\n' "$@" >&2
        echo "setup: install them with" >&2
        echo "    sudo apt-get update && sudo apt-get install --no-install-recommends -y $*" >&2
        exit 1
    fi
    echo "setup: installing with apt-get: $*"
    # A source that is out of reach does not matter while the distribution's own is there.
    apt-get -q update >/dev/null || echo "setup: apt-get update had errors; going on" >&2
    # The list before the update may have been empty: ask again which LLVM there is.
    DEBIAN_FRONTEND=noninteractive apt-get -q install --no-install-recommends -y $(missing_packages) >/dev/null
}
