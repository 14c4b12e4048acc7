# SPDX-License-Identifier: Apache-2.0
# A prefix that can be moved as a whole: bin/wideload finds lib/wideload/ by its own place.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/wideload DESTINATION include FILES_MATCHING PATTERN *.cuh PATTERN *.h)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION share/doc/wideload)
install(DIRECTORY docs/ DESTINATION share/doc/wideload/docs)
install(DIRECTORY examples/ DESTINATION share/doc/wideload/examples FILES_MATCHING PATTERN *.cu)
foreach(library wideload_preload wideload_engine)
  if(TARGET ${library})
    install(TARGETS ${library} LIBRARY DESTINATION lib/wideload)
  endif()
endforeach()
