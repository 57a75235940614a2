# Everything comes from Debian packages; scripts/setup.sh installs them.
find_package(PkgConfig REQUIRED)
find_package(LAPACK REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(ZLIB REQUIRED)
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
  SUNDIALS::cvode ${KLU_LIBRARY} ${AMD_LIBRARY} ${LAPACK_LIBRARIES} ${HDF5_C_LIBRARIES} PkgConfig::YAML PkgConfig::NLOPT ZLIB::ZLIB ${UDUNITS2_LIBRARY})
