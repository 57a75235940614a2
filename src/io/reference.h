/* io/reference.h — the reference page of model files (Markdown), from the tables that read them. */
#pragma once
#include "base/status.h"
#include "io/model_parse.h"

#include <stdio.h>

/* A chapter of files that one table describes, such as study files; `intro` is Markdown. CAP_ERR_IO when
 * `out` cannot be written. */
cap_status cap_reference_table(const char *title, const char *intro, const cap_field *fields, FILE *out);

/* CAP_ERR_IO when `out` cannot be written. */
cap_status cap_reference_markdown(const cap_model_parse_registry *registry, FILE *out);
