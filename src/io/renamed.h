/* io/renamed.h — the keys, choices and channels of format version 1 that have other names now, from the
 * tables that read model files (docs/format.md explains them). */
#pragma once
#include "base/status.h"
#include "io/model_parse.h"

#include <stdio.h>

/* By drive, old names on the left. CAP_ERR_IO when `out` cannot be written. */
cap_status cap_renamed_list(const cap_model_parse_registry *registry, FILE *out);
