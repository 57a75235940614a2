/* cli/schema.c — capstan schema: the JSON Schema of model files or study files, or the reference page of
 * both. */
#include "io/schema.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "io/model_parse.h"
#include "io/reference.h"
#include "study/study_fields.h"

#include <stdio.h>

static cap_status write_reference(const cap_model_parse_registry *registry)
{
  CAP_TRY(cap_reference_markdown(registry, stdout));
  return cap_reference_table(
      "Study files",
      "A study file is YAML too: one model, what is varied in it, in which cases, and what is looked at.\n"
      "`capstan study FILE` computes it; [study_file.md](study_file.md) explains designs and choices.\n"
      "Values of factors are written as the keys of the model are, with their units.",
      cap_study_fields_table, stdout);
}

int cap_cli_schema(int argc, char **argv)
{
  int markdown = 0, study = 0;
  cap_option_texts rest = {0};
  const cap_option options[] = {
      {"--study", CAP_OPTION_FLAG, &study, NULL, "of study files instead of model files"},
      {"--markdown", CAP_OPTION_FLAG, &markdown, NULL, "the reference page of all keys instead"},
      {0}};
  int code = cap_options_parse(argc, argv, "schema [--study | --markdown]", options, &rest, 0, 0);
  if (code >= 0) return code;
  cap_model_parse_registry registry = cap_model_file_registry();
  cap_status status = markdown ? write_reference(&registry)
                      : study  ? cap_schema_table("Capstan study file", cap_study_fields_table, stdout)
                               : cap_schema_json(&registry, stdout);
  if (status == CAP_OK && fflush(stdout) == 0) return CAP_CLI_FINE;
  fputs("capstan: the schema could not be written\n", stderr);
  return CAP_CLI_FAILED;
}
