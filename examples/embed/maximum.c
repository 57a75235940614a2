/* The largest value of a result over a parameter of a model, from a program of one's own.
 *
 *   cc maximum.c -o maximum $(pkg-config --cflags --libs capstan)
 *   ./maximum examples/tensioner_rig.yaml tensioner.k0 N/m "tensioner.*force" 2e5 2.34e5
 *
 * Opens a model, sets the parameter, runs the model in memory and reads the columns whose names fit; nothing
 * is written to the disk. docs/embedding.md. */
#include <capstan/capstan.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "span.*.tension": one "*" stands for anything. */
static int fits(const char *pattern, const char *name)
{
  const char *star = strchr(pattern, '*');
  if (!star) return strcmp(pattern, name) == 0;
  size_t head = (size_t)(star - pattern), tail = strlen(star + 1), n = strlen(name);
  return n >= head + tail && strncmp(pattern, name, head) == 0 && strcmp(name + n - tail, star + 1) == 0;
}

/* Print the largest value of the columns that fit, and where it is; 0: there is none. */
static int print_maximum(capstan_results *results, const char *pattern)
{
  const capstan_group *groups;
  const capstan_array *where = NULL;
  double most = 0.0;
  int ngroup = capstan_results_groups(results, &groups);
  for (int g = 0; g < ngroup; g++)
    for (int k = 0; k < groups[g].narray; k++) {
      const capstan_array *array = &groups[g].arrays[k];
      const double *values = array->column && fits(pattern, array->name)
                                 ? capstan_results_values(results, g, k)
                                 : NULL;
      for (size_t row = 0; values && row < array->count; row++)
        if (!where || values[row] > most) most = values[row], where = array;
    }
  if (where) printf("  %s: at most %.4g %s\n", where->name, most, where->unit);
  return where != NULL;
}

static int run(capstan_model *model, const char *pattern)
{
  capstan_results *results = NULL;
  capstan_code code = capstan_run_memory(model, NULL, &results);
  if (code) fprintf(stderr, "%s", capstan_message(model));
  else if (!print_maximum(results, pattern))
    fprintf(stderr, "no column is called %s\n", pattern), code = CAPSTAN_BAD_INPUT;
  capstan_results_close(results);
  return code;
}

int main(int argc, char **argv)
{
  capstan_model *model;
  if (argc < 6) {
    fprintf(stderr, "usage: %s MODEL.yaml PARAMETER UNIT COLUMN VALUE...\n", argv[0]);
    return 2;
  }
  int code = capstan_open(argv[1], 0, NULL, &model);
  if (code) fprintf(stderr, "%s", capstan_message(model));
  for (int k = 5; !code && k < argc; k++) {
    char text[256];
    const char *setting = text;
    snprintf(text, sizeof text, "%s=%s %s", argv[2], argv[k], argv[3]);
    code = capstan_set(model, 1, &setting);
    if (code) fprintf(stderr, "%s", capstan_message(model));
    else printf("%s\n", text), code = run(model, argv[4]);
  }
  capstan_close(model);
  return code;
}
