# SPDX-License-Identifier: Apache-2.0
# The CUDA compiler and disassemblers: the machine's own, else NVIDIA's wheels in build/cuda-toolkit (no root needed, a few
# hundred MB). CMake looks in the same places, in the same order: cmake/FindWideloadCuda.cmake.

cuda_wheels_folder="$root/build/cuda-toolkit"
cuda_wheels_toolkit="$cuda_wheels_folder/nvidia/cu13"

# One version of everything, so that what is built does not depend on the day. The disassemblers' wheels begin with 13.2;
# they read what 13.0 writes.
cuda_compiler_wheels="nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88
    nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85"
cuda_header_wheels="nvidia-cuda-runtime==13.0.96"
cuda_disassembler_wheels="nvidia-cuda-nvdisasm==13.2.78 nvidia-cuda-cuobjdump==13.2.78"

# Prints the first of the places where `tool` is; nothing where it is nowhere.
cuda_tool() {
    local tool=$1 place
    if [ "$tool" = nvcc ] && [ -n "${CUDACXX:-}" ] && command -v "$CUDACXX"; then return; fi
    # Next to the compiler that is used, then elsewhere.
    for place in "$(command -v "$tool" || true)" "/usr/local/cuda/bin/$tool" "$cuda_wheels_toolkit/bin/$tool"; do
        [ -x "$place" ] && echo "$place" && return
    done
    return 0
}

cuda_compiler() { cuda_tool nvcc; }

# Prints the cuda_occupancy.h that the build uses: one that knows compute capability 12.
cuda_occupancy_header() {
    local nvcc header
    nvcc=$(readlink -f "$(cuda_compiler)")
    for header in "${nvcc%/bin/*}" /usr/local/cuda "$cuda_wheels_toolkit"; do
        header+=/include/cuda_occupancy.h
        grep -q '__CUDA_OCC_MAJOR__ *1[2-9]' "$header" 2>/dev/null && echo "$header" && return
    done
    return 0
}

missing_cuda_wheels() {
    local wheels=
    if [ -z "$(cuda_tool nvcc)" ]; then
        wheels+=" $cuda_compiler_wheels"
    elif [ -z "$(cuda_occupancy_header)" ]; then
        # The compiler's own toolkit is too old for one header, or lies without its headers.
        wheels+=" $cuda_header_wheels"
    fi
    [ -n "$(cuda_tool nvdisasm)" ] && [ -n "$(cuda_tool cuobjdump)" ] || wheels+=" $cuda_disassembler_wheels"
    echo $wheels
}

install_cuda_wheels() {
    echo "setup: installing from PyPI into build/cuda-toolkit: $*"
    local python="$root/build/python"
    [ -x "$python/bin/pip" ] || python3 -m venv "$python"
    # Into a new folder first: an interrupted download must not look like a toolkit.
    local new="$cuda_wheels_folder.new"
    rm -rf "$new"
    "$python/bin/pip" install -q --disable-pip-version-check --no-deps --target "$new" "$@"
    if [ -d "$new/nvidia/cu13/lib" ]; then
        # nvcc looks for the runtime in lib64, the wheels have lib.
        ln -sfn lib "$new/nvidia/cu13/lib64"
        ln -sf libcudart.so.13 "$new/nvidia/cu13/lib/libcudart.so"
    fi
    mkdir -p "$cuda_wheels_folder"
    cp -a "$new/." "$cuda_wheels_folder/"
    rm -rf "$new"
}
