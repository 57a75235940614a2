/* io/schema.h — what a model file may hold, told from the tables that read it: a JSON Schema.
 *
 * The schema (draft 2020-12) is for editors: completion, descriptions with units, mistakes underlined. It
 * cannot check dimensions; the reader does.
 */
#pragma once
#include "base/status.h"
#include "io/model_parse.h"

#include <stdio.h>

/* Of files that one table describes, such as study files. CAP_ERR_IO when `out` cannot be written. */
cap_status cap_schema_table(const char *title, const cap_field *fields, FILE *out);

/* CAP_ERR_IO when `out` cannot be written. */
cap_status cap_schema_json(const cap_model_parse_registry *registry, FILE *out);
