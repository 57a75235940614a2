/* cli/schema.c — capstan schema: the JSON Schema of model files, or their reference page. */
#include "io/schema.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "io/model_parse.h"
#include "io/reference.h"

#include <stdio.h>

int cap_cli_schema(int argc, char **argv)
{
  int markdown = 0;
  cap_option_texts rest = {0};
  const cap_option options[] = {
      {"--markdown", CAP_OPTION_FLAG, &markdown, NULL, "the reference page of all keys instead"}, {0}};
  int code = cap_options_parse(argc, argv, "schema [--markdown]", options, &rest, 0, 0);
  if (code >= 0) return code;
  cap_model_parse_registry registry = cap_model_file_registry();
  cap_status status = markdown ? cap_reference_markdown(&registry, stdout)
                               : cap_schema_json(&registry, stdout);
  if (status == CAP_OK && fflush(stdout) == 0) return CAP_CLI_FINE;
  fputs("capstan: the schema could not be written\n", stderr);
  return CAP_CLI_FAILED;
}
