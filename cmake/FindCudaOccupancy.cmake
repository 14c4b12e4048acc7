# SPDX-License-Identifier: Apache-2.0
# NVIDIA's occupancy calculator, one header of the CUDA toolkit that needs nothing else of it.
#
#   find_package(CudaOccupancy)
#     CudaOccupancy::CudaOccupancy   the header <cuda_occupancy.h>
#     CudaOccupancy_VERSION          the newest compute capability that it knows: 12.1
#
# Sought beside the CUDA compiler, then where tools/setup installs it where that toolkit has none or one too old.
get_filename_component(_wideload_nvcc "${WIDELOAD_NVCC}" REALPATH)
cmake_path(GET _wideload_nvcc PARENT_PATH _wideload_toolkit)
cmake_path(GET _wideload_toolkit PARENT_PATH _wideload_toolkit)
foreach(_wideload_folder IN ITEMS ${WIDELOAD_OCCUPANCY_INCLUDE} ${_wideload_toolkit}/include /usr/local/cuda/include
                                  ${PROJECT_SOURCE_DIR}/build/cuda-toolkit/nvidia/cu13/include)
  if(NOT EXISTS ${_wideload_folder}/cuda_occupancy.h)
    continue()
  endif()
  file(STRINGS ${_wideload_folder}/cuda_occupancy.h _wideload_newest REGEX "define __CUDA_OCC_M(AJ|IN)OR__ ")
  string(REGEX REPLACE "[^0-9;]" "" _wideload_newest "${_wideload_newest}")
  string(REPLACE ";" "." CudaOccupancy_VERSION "${_wideload_newest}")
  set(WIDELOAD_OCCUPANCY_INCLUDE ${_wideload_folder} CACHE PATH "Folder of cuda_occupancy.h" FORCE)
  if(NOT CudaOccupancy_VERSION VERSION_LESS CudaOccupancy_FIND_VERSION)
    break()
  endif()
endforeach()
mark_as_advanced(WIDELOAD_OCCUPANCY_INCLUDE)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  CudaOccupancy REQUIRED_VARS WIDELOAD_OCCUPANCY_INCLUDE VERSION_VAR CudaOccupancy_VERSION
  REASON_FAILURE_MESSAGE "tools/setup installs a cuda_occupancy.h that knows every GPU of the table")
if(CudaOccupancy_FOUND AND NOT TARGET CudaOccupancy::CudaOccupancy)
  add_library(CudaOccupancy::CudaOccupancy INTERFACE IMPORTED)
  target_include_directories(CudaOccupancy::CudaOccupancy SYSTEM INTERFACE ${WIDELOAD_OCCUPANCY_INCLUDE})
endif()
