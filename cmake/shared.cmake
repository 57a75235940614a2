# libcapstan.so.0 from the objects of the static library: what the public header declares, and nothing else
# (cmake/capstan.map).
if(NOT CAPSTAN_SHARED OR CAPSTAN_TSAN OR CAPSTAN_COVERAGE OR CAPSTAN_FUZZ)
  return()
endif()
add_library(capstan_shared SHARED $<TARGET_OBJECTS:capstan>)
set_target_properties(capstan_shared PROPERTIES OUTPUT_NAME capstan EXPORT_NAME capstan
  VERSION ${PROJECT_VERSION} SOVERSION 0 LINKER_LANGUAGE C
  CAPSTAN_SHARED_HDF5 ON # the archive of Debian is not position-independent
  LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/capstan.map)
target_include_directories(capstan_shared INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
target_link_libraries(capstan_shared PRIVATE capstan_dependencies m)
target_link_options(capstan_shared PRIVATE -Wl,-Bsymbolic -Wl,--as-needed
  -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/capstan.map)
if(NOT CAPSTAN_SANITIZE) # the names of the sanitizers are those of the program that loads it
  target_link_options(capstan_shared PRIVATE -Wl,-z,defs)
endif()
