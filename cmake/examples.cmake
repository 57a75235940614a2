# The models of examples/ in the library: what `capstan new` starts from (src/io/starter.h).
file(GLOB CAPSTAN_EXAMPLES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/*.yaml)
set(CAPSTAN_EXAMPLES_C ${CMAKE_BINARY_DIR}/generated/examples.c)
add_custom_command(OUTPUT ${CAPSTAN_EXAMPLES_C}
  COMMAND ${CMAKE_COMMAND} -D "EXAMPLES=${CAPSTAN_EXAMPLES}" -D TARGET=${CAPSTAN_EXAMPLES_C}
    -P ${CMAKE_SOURCE_DIR}/cmake/embed_examples.cmake
  DEPENDS ${CAPSTAN_EXAMPLES} ${CMAKE_SOURCE_DIR}/cmake/embed_examples.cmake
  COMMENT "Embedding the examples" VERBATIM)
target_sources(capstan PRIVATE ${CAPSTAN_EXAMPLES_C})
