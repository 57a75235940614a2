# Writes the C file TARGET with the bytes of PAGE, or with none when PAGE is empty (see src/report/template.h).
set(bytes "")
set(size 0)
if(PAGE)
  file(READ "${PAGE}" hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
endif()
file(WRITE "${TARGET}" "/* template.c - made by cmake/embed_page.cmake from web/. */
#include \"report/template.h\"

const unsigned char cap_template_html[] = {
${bytes}0};
const size_t cap_template_size = ${size};
")
