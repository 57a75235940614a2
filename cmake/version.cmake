# version.h: program version, git hash and compiler flags, as stored in every result.
execute_process(COMMAND git -C ${CMAKE_SOURCE_DIR} rev-parse --short=12 HEAD
  OUTPUT_VARIABLE CAPSTAN_GIT_HASH OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT CAPSTAN_GIT_HASH)
  set(CAPSTAN_GIT_HASH "unknown")
endif()
string(REPLACE ";" " " CAPSTAN_FLAGS_TEXT "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${CMAKE_BUILD_TYPE}} ${CAPSTAN_FLAGS}")
configure_file(${CMAKE_SOURCE_DIR}/cmake/version.h.in ${CMAKE_BINARY_DIR}/generated/version.h)
