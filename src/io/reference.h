/* io/reference.h — the reference page of model files (Markdown), from the tables that read them. */
#pragma once
#include "base/status.h"
#include "io/model_parse.h"

#include <stdio.h>

/* CAP_ERR_IO when `out` cannot be written. */
cap_status cap_reference_markdown(const cap_model_parse_registry *registry, FILE *out);
