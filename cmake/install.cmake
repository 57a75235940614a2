# The program, the library with its public headers, and a pkg-config file.
include(GNUInstallDirs)
install(TARGETS capstan_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Man pages and completion: the program writes them from the tables of its commands, at the installation.
set(CAPSTAN_SHELL ${CMAKE_BINARY_DIR}/shell)
install(CODE "
  file(MAKE_DIRECTORY \"${CAPSTAN_SHELL}\")
  function(capstan_writes)
    execute_process(COMMAND \"$<TARGET_FILE:capstan_program>\" help \${ARGN} RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
      message(FATAL_ERROR \"capstan help \${ARGN} ends with \${result}\")
    endif()
  endfunction()
  capstan_writes(--man \"${CAPSTAN_SHELL}/man\")
  capstan_writes(--completion bash OUTPUT_FILE \"${CAPSTAN_SHELL}/capstan\")
  capstan_writes(--completion zsh OUTPUT_FILE \"${CAPSTAN_SHELL}/_capstan\")
  capstan_writes(--completion fish OUTPUT_FILE \"${CAPSTAN_SHELL}/capstan.fish\")")
install(DIRECTORY ${CAPSTAN_SHELL}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CAPSTAN_SHELL}/capstan DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${CAPSTAN_SHELL}/_capstan DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${CAPSTAN_SHELL}/capstan.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

install(TARGETS capstan ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/capstan DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# The library is static, so whoever links it links what it stands on. pkg-config wants -l names; full paths of
# libraries outside the linker's own folders stay paths.
set(CAPSTAN_PC_LIBS "")
foreach(library sundials_cvode sundials_nvecserial ${LAPACK_LIBRARIES} ${HDF5_C_LIBRARIES}
    ${KLU_LIBRARY} ${AMD_LIBRARY} ${YAML_LIBRARIES} ${ZLIB_LIBRARIES} ${NLOPT_LIBRARIES} ${UDUNITS2_LIBRARY} m)
  if(library MATCHES "/lib(pthread|dl|m|rt)\\.(a|so)$")
    list(APPEND CAPSTAN_PC_LIBS -l${CMAKE_MATCH_1})
  elseif(library MATCHES "^/" OR library MATCHES "^-")
    list(APPEND CAPSTAN_PC_LIBS ${library})
  else()
    list(APPEND CAPSTAN_PC_LIBS -l${library})
  endif()
endforeach()
list(REMOVE_DUPLICATES CAPSTAN_PC_LIBS)
string(REPLACE ";" " " CAPSTAN_PC_LIBS "${CAPSTAN_PC_LIBS}")
file(RELATIVE_PATH CAPSTAN_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_SOURCE_DIR}/cmake/capstan.pc.in ${CMAKE_BINARY_DIR}/generated/capstan.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/generated/capstan.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
