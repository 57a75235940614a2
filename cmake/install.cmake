# The program, the library with its public headers, and a pkg-config file.
include(GNUInstallDirs)
install(TARGETS capstan_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/atlas DESTINATION ${CMAKE_INSTALL_DATADIR}/capstan) # where the program looks for it
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

# The shared library with its header, for pkg-config and for find_package. The static one stays here: what it stands on, and all
# its inner names, would come with it.
if(NOT TARGET capstan_shared)
  return()
endif()
install(TARGETS capstan_shared EXPORT CapstanTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/capstan DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

file(RELATIVE_PATH CAPSTAN_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_SOURCE_DIR}/cmake/capstan.pc.in ${CMAKE_BINARY_DIR}/generated/capstan.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/generated/capstan.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

include(CMakePackageConfigHelpers)
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/Capstan)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/CapstanConfig.cmake.in
  ${CMAKE_BINARY_DIR}/generated/CapstanConfig.cmake INSTALL_DESTINATION ${config})
# before 1.0 a minor version may change the header
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/CapstanConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/CapstanConfig.cmake ${CMAKE_BINARY_DIR}/generated/CapstanConfigVersion.cmake
  DESTINATION ${config})
install(EXPORT CapstanTargets NAMESPACE Capstan:: DESTINATION ${config})
