# The report's page: web/ is type-checked and bundled by Node.js into one HTML file, which becomes a C array in
# the library. A release has the bundled page (scripts/dist.sh). Without that, Node.js or the page's packages all else is built, and
# `capstan report` says what is missing.
set(CAPSTAN_WEB ${CMAKE_SOURCE_DIR}/web)
set(CAPSTAN_PAGE ${CMAKE_BINARY_DIR}/web/report.html)
set(CAPSTAN_TEMPLATE ${CMAKE_BINARY_DIR}/generated/template.c)
find_program(NODE_PROGRAM NAMES node nodejs)

if(NODE_PROGRAM AND EXISTS ${CAPSTAN_WEB}/node_modules/esbuild/package.json
    AND EXISTS ${CAPSTAN_WEB}/node_modules/uplot/package.json AND EXISTS ${CAPSTAN_WEB}/node_modules/typescript/bin/tsc)
  set(CAPSTAN_HAS_PAGE ON)
  file(GLOB_RECURSE CAPSTAN_WEB_SOURCES CONFIGURE_DEPENDS ${CAPSTAN_WEB}/src/*)
  set(CAPSTAN_WEB_TYPES COMMAND ${NODE_PROGRAM} node_modules/typescript/bin/tsc --noEmit)
  if(CAPSTAN_SANITIZE) # the same page as in the other builds, which have checked it
    set(CAPSTAN_WEB_TYPES "")
  endif()
  add_custom_command(OUTPUT ${CAPSTAN_PAGE}
    ${CAPSTAN_WEB_TYPES}
    COMMAND ${NODE_PROGRAM} build.mjs ${CAPSTAN_PAGE}
    DEPENDS ${CAPSTAN_WEB_SOURCES} ${CAPSTAN_WEB}/build.mjs ${CAPSTAN_WEB}/template.html ${CAPSTAN_WEB}/tsconfig.json
      ${CAPSTAN_WEB}/package-lock.json
    WORKING_DIRECTORY ${CAPSTAN_WEB} COMMENT "Bundling the report's page" VERBATIM)
elseif(EXISTS ${CAPSTAN_WEB}/dist/report.html)
  set(CAPSTAN_HAS_PAGE OFF) # nothing to build, and no browser tests, which need Node.js
  set(CAPSTAN_PAGE ${CAPSTAN_WEB}/dist/report.html)
else()
  set(CAPSTAN_HAS_PAGE OFF)
  set(CAPSTAN_PAGE "")
  message(WARNING "Building without the report's page: it needs Node.js 18 and the packages of web/. "
    "scripts/setup.sh demo installs both (or: npm ci in web/); then configure again.")
endif()

add_custom_command(OUTPUT ${CAPSTAN_TEMPLATE}
  COMMAND ${CMAKE_COMMAND} -D "PAGE=${CAPSTAN_PAGE}" -D TARGET=${CAPSTAN_TEMPLATE}
    -P ${CMAKE_SOURCE_DIR}/cmake/embed_page.cmake
  DEPENDS ${CAPSTAN_PAGE} ${CMAKE_SOURCE_DIR}/cmake/embed_page.cmake
  COMMENT "Embedding the report's page" VERBATIM)
target_sources(capstan PRIVATE ${CAPSTAN_TEMPLATE})

# The browser tests open pages that tests/web/pages.c or the program itself makes; exit code 77 means that Chromium or
# a package is missing, with the reason in the output. They try the page, which sanitizers do not see: once is enough.
if(CAPSTAN_HAS_PAGE AND NOT CAPSTAN_FUZZ AND NOT CAPSTAN_SANITIZE)
  add_executable(web_pages ${CMAKE_SOURCE_DIR}/tests/web/pages.c ${CMAKE_SOURCE_DIR}/tests/web/study_pages.c)
  target_compile_options(web_pages PRIVATE ${CAPSTAN_FLAGS})
  target_compile_definitions(web_pages PRIVATE CAPSTAN_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(web_pages PRIVATE capstan)
  # One entry, one Chromium for all scripts of tests/web/browser_*.mjs; it prints a line for each.
  add_test(NAME web/browser COMMAND ${NODE_PROGRAM} ${CMAKE_SOURCE_DIR}/tests/web/run.mjs ${CMAKE_BINARY_DIR})
  set_tests_properties(web/browser PROPERTIES LABELS web SKIP_RETURN_CODE 77 TIMEOUT 900 PROCESSORS 1 COST 100)
endif()
