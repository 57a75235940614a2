/* Fuzz the reader of model files: YAML, units, tables, settings; a model that is accepted is built, too.
 * Input: settings, one a line, then a line "%%", then the model file; without such a line all of it is the
 * model file. */
#include "../toy/toy_registry.h"
#include "io/execute.h"

#include <stdint.h>
#include <stdlib.h>

enum { MOST_SETTINGS = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What only the system shows: either it and no findings, or a reason. */
static void build(const cap_model_file *file)
{
  cap_diag diag;
  cap_diag_init(&diag, "m.yaml");
  cap_error error = {0};
  cap_model *system = NULL;
  cap_status status = cap_execute_check(file, &system, &diag, &error);
  if ((status == CAP_OK) != (system != NULL)) abort();
  if (status != CAP_OK && !error.text[0] && diag.nerror == 0) abort();
  cap_model_free(system);
  cap_diag_free(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1);
  if (!text) abort();
  memcpy(text, data, size);
  text[size] = 0;

  const char *settings[MOST_SETTINGS];
  int nsetting = 0;
  char *model = text, *mark = memmem(text, size, "\n%%\n", 4);
  if (mark) {
    *mark = 0;
    model = mark + 4;
    for (char *line = strtok(text, "\n"); line && nsetting < MOST_SETTINGS; line = strtok(NULL, "\n"))
      settings[nsetting++] = line;
  }
  size_t model_size = size - (size_t)(model - text);
  /* The program's own drives, or the one that has a field of every kind. */
  cap_model_parse_registry registry = cap_model_file_registry();
  bool toy = memmem(model, model_size, "drive: toy", 10);
  if (toy) registry = toy_registry;
  cap_model_file *file = NULL;
  cap_diag diag;
  cap_status status = cap_model_parse_text(&registry, "nowhere/m.yaml", model, model_size, nsetting, settings,
                                           &file, &diag);
  /* Either a model and no findings, or findings and no model. */
  if ((status == CAP_OK) != (file != NULL) || (status == CAP_OK) != (diag.nerror == 0)) abort();
  if (!*cap_diag_text(&diag) && status != CAP_OK) abort();
  if (file && !toy) build(file);
  cap_model_parse_free(file);
  cap_diag_free(&diag);
  free(text);
  return 0;
}
