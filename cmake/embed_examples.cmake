# Writes the C file TARGET with the texts of EXAMPLES by their names (see src/io/starter.h).
set(arrays "")
set(entries "")
foreach(example ${EXAMPLES})
  get_filename_component(name ${example} NAME_WE)
  file(READ ${example} hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "static const char ${name}[] = {\n${bytes}0};\n")
  string(APPEND entries "    {\"${name}\", ${name}},\n")
endforeach()
file(WRITE "${TARGET}" "/* examples.c - made by cmake/embed_examples.cmake from examples/. */
#include \"io/starter.h\"

${arrays}
const cap_starter_example cap_starter_examples[] = {
${entries}    {0, 0}};
")
