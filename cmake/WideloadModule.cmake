# SPDX-License-Identifier: Apache-2.0
# wideload_add_module(<name> SOURCES <file>... [DEPENDS <module>...] [LIBRARIES <target>...])
# One directory of src/ as the static library wideload_<name>. DEPENDS are the arrows of docs/architecture.md: a module
# includes only what it names here.
function(wideload_add_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LIBRARIES")
  add_library(wideload_${name} STATIC ${arg_SOURCES})
  target_include_directories(wideload_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(wideload_${name} PUBLIC cxx_std_20)
  list(TRANSFORM arg_DEPENDS PREPEND wideload_)
  target_link_libraries(wideload_${name} PUBLIC ${arg_DEPENDS} ${arg_LIBRARIES} PRIVATE wideload_warnings)
endfunction()

# wideload_add_test(<name> SOURCES <file>... [LIBRARIES <target>...] [FILTER <pattern>])
# A GoogleTest program; each of its tests, or of those that the filter names, is a test of CTest. Under the sanitizers quarters
# of the program are, since a process takes a tenth of a second there to begin and end.
function(wideload_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILTER" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gtest_main GTest::gmock wideload_warnings)
  # Optimising GoogleTest's macros takes a third of a test's compilation, and saves milliseconds of its run.
  target_compile_options(${name} PRIVATE $<IF:$<BOOL:${WIDELOAD_SANITIZE}>,-O0,$<$<CONFIG:Release>:-Og>>)
  if(NOT WIDELOAD_SANITIZE)
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 TEST_FILTER "${arg_FILTER}")
    return()
  endif()
  if(NOT arg_FILTER)
    set(arg_FILTER "*")
  endif()
  foreach(quarter RANGE 3)
    add_test(NAME ${name}.${quarter} COMMAND ${name} --gtest_filter=${arg_FILTER})
    set_tests_properties(${name}.${quarter} PROPERTIES ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${quarter}")
  endforeach()
endfunction()
