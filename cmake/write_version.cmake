# Run by the target capstan_version: fills version.h.in. A tree with uncommitted changes is marked.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
  OUTPUT_VARIABLE GIT_HASH OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT GIT_HASH)
  set(GIT_HASH "unknown")
endif()
configure_file(${SOURCE}/cmake/version.h.in ${TARGET} @ONLY)
