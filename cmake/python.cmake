# The Python package: one extension module against the limited interface of Python 3.11, which all later versions load,
# and Python files beside it in python/capstan of the build tree (PYTHONPATH=build/release/python).
set(CAPSTAN_PYTHON OFF CACHE STRING "the Python package: ON, OFF, or AUTO: where Python 3.11 with its headers is found")
set(CAPSTAN_PYTHON_DIR "" CACHE STRING "where the package is installed; empty: where the interpreter looks for such packages")
if(NOT CAPSTAN_PYTHON OR CAPSTAN_SANITIZE OR CAPSTAN_TSAN OR CAPSTAN_COVERAGE OR CAPSTAN_FUZZ)
  return()
endif()

# Of several interpreters that one which has numpy: a manager of versions often puts another one first in PATH.
if(NOT Python3_EXECUTABLE)
  find_program(CAPSTAN_PYTHON_FIRST NAMES python3)
  foreach(candidate ${CAPSTAN_PYTHON_FIRST} /usr/bin/python3 /usr/local/bin/python3)
    execute_process(COMMAND ${candidate} -c "import sys, numpy; sys.exit(sys.version_info < (3, 11))"
      RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
    if(result EQUAL 0)
      execute_process(COMMAND ${candidate} -c "import sys; print(sys.executable)"
        OUTPUT_VARIABLE candidate OUTPUT_STRIP_TRAILING_WHITESPACE)
      set(Python3_EXECUTABLE ${candidate} CACHE FILEPATH "the interpreter that the package is built and tested with")
      break()
    endif()
  endforeach()
endif()
find_package(Python3 3.11 COMPONENTS Interpreter Development.Module)
if(NOT Python3_FOUND)
  if(CAPSTAN_PYTHON STREQUAL "ON")
    message(FATAL_ERROR "CAPSTAN_PYTHON=ON needs Python 3.11 or later with its headers (python3-dev)")
  endif()
  message(STATUS "Python 3.11 or later with its headers (python3-dev) was not found: no Python package")
  return()
endif()

set(CAPSTAN_PYTHON_TREE ${CMAKE_BINARY_DIR}/python/capstan)
file(GLOB CAPSTAN_PYTHON_C CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/python/src/*.c)
file(GLOB CAPSTAN_PYTHON_FILES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/python/capstan/*.py
  ${CMAKE_SOURCE_DIR}/python/capstan/*.pyi ${CMAKE_SOURCE_DIR}/python/capstan/py.typed)
add_library(capstan_python MODULE ${CAPSTAN_PYTHON_C})
target_compile_definitions(capstan_python PRIVATE Py_LIMITED_API=0x030b0000)
target_compile_options(capstan_python PRIVATE ${CAPSTAN_FLAGS} -Wno-write-strings) # Python takes names as char *
target_include_directories(capstan_python SYSTEM PRIVATE ${Python3_INCLUDE_DIRS})
target_link_libraries(capstan_python PRIVATE capstan)
# Nothing but the module's entry is visible, so that other modules with libraries of the same names do no harm.
target_link_options(capstan_python PRIVATE -Wl,--exclude-libs,ALL)
set_target_properties(capstan_python PROPERTIES PREFIX "" OUTPUT_NAME _capstan SUFFIX .abi3.so C_VISIBILITY_PRESET hidden
  LIBRARY_OUTPUT_DIRECTORY ${CAPSTAN_PYTHON_TREE}
  CAPSTAN_SHARED_HDF5 ON) # the static one cannot be a part of a shared object
set(copies "")
foreach(file ${CAPSTAN_PYTHON_FILES})
  get_filename_component(name ${file} NAME)
  add_custom_command(OUTPUT ${CAPSTAN_PYTHON_TREE}/${name} DEPENDS ${file}
    COMMAND ${CMAKE_COMMAND} -E copy ${file} ${CAPSTAN_PYTHON_TREE}/${name})
  list(APPEND copies ${CAPSTAN_PYTHON_TREE}/${name})
endforeach()
add_custom_target(capstan_python_files ALL DEPENDS ${copies})
add_dependencies(capstan_python capstan_python_files)

if(CAPSTAN_PYTHON_DIR)
  set(place ${CAPSTAN_PYTHON_DIR})
else()
  # Debian's interpreter has a folder for what the administrator installs, which depends on the prefix.
  execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sysconfig
scheme = sysconfig.get_preferred_scheme('prefix')
print(sysconfig.get_path('platlib', scheme, vars={'base': '', 'platbase': ''}).lstrip('/'))"
    OUTPUT_VARIABLE place OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(place MATCHES "^local/") # of the prefix /usr/local
    string(SUBSTRING ${place} 6 -1 place)
  endif()
endif()
install(TARGETS capstan_python LIBRARY DESTINATION ${place}/capstan COMPONENT python)
install(FILES ${CAPSTAN_PYTHON_FILES} DESTINATION ${place}/capstan COMPONENT python)
