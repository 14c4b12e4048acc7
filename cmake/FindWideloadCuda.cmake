# SPDX-License-Identifier: Apache-2.0
# The CUDA compiler for programs that tests run: $CUDACXX, then PATH, then /usr/local/cuda, then the wheels that tools/setup
# installs where there is no other. Nothing of src/ is compiled with it; FindCudaOccupancy looks for a header beside it.
#
#   find_package(WideloadCuda)
#     WideloadCuda_FOUND, and the cache variables
#     WIDELOAD_NVCC        the compiler
#     WIDELOAD_NVCC_FLAGS  more flags for every call: where a compiler from wheels has to be told of its libraries
#
#   wideload_add_cuda_program(<target> <source> [SOURCES <more>...] [FLAGS <flag>...] [OUTPUT <file>] [SHARED_RUNTIME])
#     Builds <source> with nvcc into OUTPUT, else ${CMAKE_BINARY_DIR}/cuda/<target>. Without FLAGS as hardware's counts were taken:
#     -O1 -std=c++17 -arch=sm_90 -lineinfo. SHARED_RUNTIME links libcudart.so instead of nvcc's default, the static one.
#     nvcc's -O is the host code's alone, and what the GPU runs is the same with any: -O1 is enough for the checks that these
#     programs do, and most of them compile in three quarters of the time of -O3.
#     SOURCES are compiled and linked in the same call (-rdc=true); a change in what they include is not noticed.
#     FLAGS may ask for any other output (-shared, -cubin, -ptx, -fatbin, -c).
#     The target's property WIDELOAD_PROGRAM is the path of the output.

set(_wideload_nvcc_doc "CUDA compiler for the programs that tests run")
if(NOT WIDELOAD_NVCC AND EXISTS "$ENV{CUDACXX}")
  set(WIDELOAD_NVCC "$ENV{CUDACXX}" CACHE FILEPATH "${_wideload_nvcc_doc}" FORCE)
endif()
find_program(WIDELOAD_NVCC NAMES nvcc HINTS ENV CUDA_HOME
             PATHS /usr/local/cuda ${PROJECT_SOURCE_DIR}/build/cuda-toolkit/nvidia/cu13 PATH_SUFFIXES bin
             DOC "${_wideload_nvcc_doc}")
set(WIDELOAD_NVCC_FLAGS "" CACHE STRING "More flags for every call of WIDELOAD_NVCC")

if(WIDELOAD_NVCC)
  execute_process(COMMAND ${WIDELOAD_NVCC} --version OUTPUT_VARIABLE _wideload_nvcc_version ERROR_QUIET)
  if(_wideload_nvcc_version MATCHES "release ([0-9]+\\.[0-9]+)")
    set(WideloadCuda_VERSION ${CMAKE_MATCH_1})
  endif()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(WideloadCuda REQUIRED_VARS WIDELOAD_NVCC VERSION_VAR WideloadCuda_VERSION)
mark_as_advanced(WIDELOAD_NVCC WIDELOAD_NVCC_FLAGS)

function(wideload_add_cuda_program target source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "SHARED_RUNTIME" "OUTPUT" "SOURCES;FLAGS")
  if(NOT arg_FLAGS)
    set(arg_FLAGS -O1 -std=c++17 -arch=sm_90 -lineinfo)
  endif()
  if(arg_SHARED_RUNTIME)
    list(APPEND arg_FLAGS -cudart=shared)
  endif()
  set(sources "")
  foreach(file ${source} ${arg_SOURCES})
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND sources ${file})
  endforeach()
  if(NOT arg_OUTPUT)
    set(arg_OUTPUT ${CMAKE_BINARY_DIR}/cuda/${target})
  endif()
  cmake_path(GET arg_OUTPUT PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  if(NOT arg_SOURCES)
    set(depfolder ${CMAKE_CURRENT_BINARY_DIR})
    set(record_includes -MD -MF ${depfolder}/${target}.d)
    set(depfile DEPFILE ${depfolder}/${target}.d)
  endif()
  separate_arguments(more UNIX_COMMAND "${WIDELOAD_NVCC_FLAGS}")
  add_custom_command(
    OUTPUT ${arg_OUTPUT}
    COMMAND ${WIDELOAD_NVCC} ${arg_FLAGS} ${more} ${record_includes} -o ${arg_OUTPUT} ${sources}
    DEPENDS ${sources}
    ${depfile}
    COMMENT "Building CUDA program ${target}"
    VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${arg_OUTPUT})
  set_target_properties(${target} PROPERTIES WIDELOAD_PROGRAM ${arg_OUTPUT})
endfunction()
