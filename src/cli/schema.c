/* cli/schema.c — capstan schema: the JSON Schema of model files or study files, the reference page of both,
 * or the names of format version 1. */
#include "io/schema.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "io/model_parse.h"
#include "io/reference.h"
#include "io/renamed.h"
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

typedef struct request {
  int markdown, study, renamed;
} request;

static int schema(void *self, const cap_option_texts *arguments)
{
  (void)arguments;
  const request *r = self;
  cap_model_parse_registry registry = cap_model_file_registry();
  cap_status status = r->markdown  ? write_reference(&registry)
                      : r->renamed ? cap_renamed_list(&registry, stdout)
                      : r->study   ? cap_schema_table("Capstan study file", cap_study_fields_table, stdout)
                                   : cap_schema_json(&registry, stdout);
  if (status == CAP_OK || status == CAP_ERR_IO)
    return CAP_CLI_FINE; /* the end of the program looks at stdout */
  return cap_terminal_fail(&(cap_error){.status = status});
}

const cap_command cap_cli_schema_command = {
    .name = "schema",
    .doc = "print the JSON Schema of model files, for editors",
    .options = (const cap_option[]){{"--study", NULL, CAP_OPTION_FLAG, offsetof(request, study), NULL, NULL,
                                     "of study files in place of model files", false},
                                    {"--markdown", NULL, CAP_OPTION_FLAG, offsetof(request, markdown), NULL,
                                     NULL, "print the reference of all keys in place of the schema", false},
                                    {"--renamed", NULL, CAP_OPTION_FLAG, offsetof(request, renamed), NULL,
                                     NULL,
                                     "list the keys and channels that had other names in format version 1",
                                     false},
                                    {0}},
    .request_size = sizeof(request),
    .run = schema,
};
