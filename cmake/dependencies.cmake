# Everything comes from Debian packages; scripts/setup.sh installs them.
find_package(PkgConfig REQUIRED)
find_package(LAPACK REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(ZLIB REQUIRED)
# Debian's shared HDF5 can read from the network and brings some thirty libraries for that, which Capstan has no use for. The
# static one of the same package links without them: only its parts that are used come in. Its code goes into a section of its
# own, by which src/cli/reserve.c tells it from that of Capstan. CAPSTAN_HDF5 has one or the other.
option(CAPSTAN_STATIC_HDF5 "link HDF5 statically, without network libraries, where that is possible" ON)
set(CAPSTAN_HDF5 ${HDF5_C_LIBRARIES})
list(GET HDF5_C_LIBRARIES 0 hdf5_shared)
get_filename_component(hdf5_folder "${hdf5_shared}" DIRECTORY)
find_library(HDF5_ARCHIVE NAMES libhdf5.a HINTS "${hdf5_folder}" NO_DEFAULT_PATH)
find_library(SZ_LIBRARY sz)
if(CAPSTAN_STATIC_HDF5 AND HDF5_ARCHIVE AND SZ_LIBRARY AND CMAKE_OBJCOPY)
  set(hdf5_apart ${CMAKE_BINARY_DIR}/libhdf5_apart.a)
  if(NOT EXISTS ${hdf5_apart} OR ${HDF5_ARCHIVE} IS_NEWER_THAN ${hdf5_apart})
    execute_process(COMMAND ${CMAKE_OBJCOPY} --rename-section .text=hdf5_text --rename-section .text.unlikely=hdf5_text
      ${HDF5_ARCHIVE} ${hdf5_apart} ERROR_QUIET)
  endif()
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_INCLUDES ${HDF5_INCLUDE_DIRS})
  set(CMAKE_REQUIRED_LIBRARIES ${hdf5_apart} ${SZ_LIBRARY} ZLIB::ZLIB ${CMAKE_DL_LIBS} m)
  check_c_source_compiles("#include <hdf5.h>
    extern const char __start_hdf5_text[], __stop_hdf5_text[];
    int main(void) { return H5Fcreate(\"f\", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT) < 0 || __stop_hdf5_text <= __start_hdf5_text; }"
    CAPSTAN_HDF5_IS_APART)
  if(CAPSTAN_HDF5_IS_APART)
    set(CAPSTAN_HDF5 ${CMAKE_REQUIRED_LIBRARIES})
  endif()
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(NLOPT REQUIRED IMPORTED_TARGET nlopt)
find_path(UDUNITS2_INCLUDE udunits2.h PATH_SUFFIXES udunits2 REQUIRED)
find_library(UDUNITS2_LIBRARY udunits2 REQUIRED)
# SUNDIALS asks for OpenMP on behalf of vectors that Capstan does not use; clang comes without it.
if(NOT TARGET OpenMP::OpenMP_C)
  add_library(OpenMP::OpenMP_C INTERFACE IMPORTED)
endif()
find_package(SUNDIALS REQUIRED COMPONENTS cvode)
find_path(KLU_INCLUDE klu.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(KLU_LIBRARY klu REQUIRED)
find_library(AMD_LIBRARY amd REQUIRED)

add_library(capstan_dependencies INTERFACE)
target_include_directories(capstan_dependencies SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS} ${UDUNITS2_INCLUDE}
  ${KLU_INCLUDE})
target_link_libraries(capstan_dependencies INTERFACE
  SUNDIALS::cvode ${KLU_LIBRARY} ${AMD_LIBRARY} ${LAPACK_LIBRARIES}
  "$<IF:$<BOOL:$<TARGET_PROPERTY:CAPSTAN_SHARED_HDF5>>,${HDF5_C_LIBRARIES},${CAPSTAN_HDF5}>"
  PkgConfig::YAML PkgConfig::NLOPT ZLIB::ZLIB ${UDUNITS2_LIBRARY})
