# Run by the target capstan_version: fills version.h.in. A tree with uncommitted changes is marked. A tarball (scripts/dist.sh)
# has the commit's name in a file, and may lie within a repository of something else.
if(EXISTS ${SOURCE}/COMMIT)
  file(STRINGS ${SOURCE}/COMMIT GIT_HASH LIMIT_COUNT 1)
else()
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE GIT_HASH OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT GIT_HASH)
  set(GIT_HASH "unknown")
endif()
configure_file(${SOURCE}/cmake/version.h.in ${TARGET} @ONLY)
