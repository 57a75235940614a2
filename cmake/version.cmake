# version.h: program version, git hash and compiler flags, as stored in every result. Looked up at each build,
# written only when it changed, so that a commit without changes to the sources rebuilds next to nothing.
string(TOUPPER "${CMAKE_BUILD_TYPE}" CAPSTAN_BUILD_KIND)
string(REPLACE ";" " " CAPSTAN_FLAGS_TEXT "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${CAPSTAN_BUILD_KIND}} ${CAPSTAN_FLAGS}")
string(REGEX REPLACE "-f[a-z]+-prefix-map=[^ ]*" "" CAPSTAN_FLAGS_TEXT "${CAPSTAN_FLAGS_TEXT}") # has the folder of the build
string(REGEX REPLACE "  +" " " CAPSTAN_FLAGS_TEXT "${CAPSTAN_FLAGS_TEXT}")
string(STRIP "${CAPSTAN_FLAGS_TEXT}" CAPSTAN_FLAGS_TEXT)
add_custom_target(capstan_version
  COMMAND ${CMAKE_COMMAND} -D SOURCE=${CMAKE_SOURCE_DIR} -D TARGET=${CMAKE_BINARY_DIR}/generated/version.h
    -D PROJECT_VERSION=${PROJECT_VERSION} -D "COMPILER=${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}"
    -D "FLAGS=${CAPSTAN_FLAGS_TEXT}" -P ${CMAKE_SOURCE_DIR}/cmake/write_version.cmake
  BYPRODUCTS ${CMAKE_BINARY_DIR}/generated/version.h
  COMMENT "Noting the version" VERBATIM)
