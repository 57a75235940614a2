/* io/starter.h — a model file to start from: the example that a drive names, with each key explained and each
 * optional key that it leaves out as a comment, from the tables that read it.
 */
#pragma once
#include "base/status.h"
#include "io/model_parse.h"

#include <stdio.h>

/* Models of examples/, which the build embeds (cmake/examples.cmake); ends with name NULL. */
typedef struct cap_starter_example {
  const char *name, *text;
} cap_starter_example;
extern const cap_starter_example cap_starter_examples[];

/* CAP_ERR_IO when `out` cannot be written, CAP_ERR_UNSUPPORTED when the drive names no example. */
cap_status cap_starter_write(const cap_model_parse_registry *registry, const cap_drive *drive, FILE *out,
                             cap_error *error);
