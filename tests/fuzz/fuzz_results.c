/* Fuzz the reader of result files, finished ones and those of runs that were killed. The digest is patched,
 * so that what is behind it is reached. Everything that can be read is read.
 *
 * Input: the bytes of a file. What HDF5 itself does with a file is part of it: Debian's library is not
 * instrumented, its crashes are found all the same. */
#include "../support/reseal_bytes.h"
#include "io/results_read.h"
#include "io/verify.h"
#include "target.h"

#include <math.h>

static void hear(void *self, bool fault, const char *group, const char *text)
{
  int *n = self;
  if (!text[0] || (group && !group[0])) abort();
  *n += fault;
}

static void read_all(cap_results_file *file)
{
  const cap_results_tree *tree = cap_results_read_tree(file);
  for (int i = 0; i < tree->ngroup; i++) {
    const cap_results_group *g = tree->groups[i];
    for (int k = 0; k < g->ncolumn + g->nitem; k++) {
      const cap_results_dataset *d = k < g->ncolumn ? &g->columns[k] : &g->items[k - g->ncolumn];
      double first[1], *values = NULL;
      cap_error error = {0};
      if (d->role == CAP_RESULTS_TEXT) continue;
      if (cap_results_read_all(file, g, d, &values, NULL, &error) == CAP_OK) free(values);
      else if (!error.text[0]) abort();
      if (d->role == CAP_RESULTS_COLUMN && g->nrow > 0)
        cap_results_read_part(file, g, d, g->nrow - 1, 1, 1, first, &error);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  uint8_t *bytes = (uint8_t *)target_text(data, size);
  reseal_bytes(bytes, size);
  const char *path = target_path("r.h5");
  target_write(path, bytes, size);
  free(bytes);
  int nfault = 0;
  cap_verify_report report;
  cap_error error = {0};
  cap_status status = cap_verify_file(path, hear, &nfault, &report, &error);
  if (status != CAP_OK && !error.text[0]) abort();
  if (status == CAP_OK && nfault != report.nfault) abort();
  cap_results_file *file = NULL;
  if (cap_results_read_open(path, &file, &error) == CAP_OK) read_all(file);
  cap_results_read_close(file);
  return 0;
}
