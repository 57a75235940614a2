/* Fuzz the reader of atlas entries, with their criteria and formulas. */
#include "atlas/entry.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  target_write(target_path("entry.yaml"), data, size);
  cap_entry *entry = NULL;
  cap_diag diag;
  cap_status status = cap_entry_read(target_folder(), &entry, &diag);
  if ((status == CAP_OK) != (entry != NULL) || (status == CAP_OK) != (diag.nerror == 0)) abort();
  if (!*cap_diag_text(&diag) && status != CAP_OK) abort();
  cap_entry_free(entry);
  cap_diag_free(&diag);
  return 0;
}
