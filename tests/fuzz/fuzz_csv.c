/* Fuzz the reader of measured data. */
#include "io/csv.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static cap_units *units; /* as one program reads many files */
  if (!units && !(units = cap_units_create())) abort();
  char *text = malloc(size + 1); /* a copy of exactly this size, so that reading beyond it is found */
  if (!text) abort();
  memcpy(text, data, size);
  text[size] = 0;
  cap_arena arena = {0};
  cap_diag diag;
  cap_diag_init(&diag, "m.yaml");
  cap_csv csv;
  cap_status status = cap_csv_parse("d.csv", text, size, units, &arena, &diag, &csv);
  if ((status == CAP_OK) != (diag.nerror == 0)) abort();
  if (status == CAP_OK) {
    if (csv.ncolumn < 1 || csv.nrow < 1) abort();
    for (int i = 0; i < csv.ncolumn; i++) {
      if (!csv.names[i][0] || !csv.units[i]) abort();
      if (csv.per_minute[i] && strcmp(csv.units[i], "Hz") != 0) abort();
      for (int k = 0; k < csv.nrow; k++)
        if (!isfinite(csv.values[i][k])) abort();
    }
    if (cap_csv_find(&csv, csv.names[0]) != 0) abort();
  }
  cap_diag_text(&diag);
  cap_diag_free(&diag);
  cap_arena_free(&arena);
  free(text);
  return 0;
}
