/* Fuzz the state of an interrupted run: the run is resumed from it, and stopped at once. The file is that
 * of this program, since another one refuses it, with changes. The digest is patched. Input: changes of the
 * file, four bytes each: place (three bytes, low first) and value; what is left over at the end cuts the
 * file. */
#include "../support/reseal_bytes.h"
#include "io/execute.h"
#include "target.h"

#include <signal.h>

static const char model[] =
    "capstan: 2\n"
    "drive: clearance-oscillator\n"
    "bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]\n"
    "springs: [{from: gear, damping: 0.05 N s/m}]\n"
    "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m}}]\n"
    "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: 0.008 N}]}]\n"
    "forcing: {angular_frequency: 0.8 rad/s}\n"
    "analyses: [{transient: {until: 40 s, method: rk4, step: 0.1 s}}]\n"
    "outputs: {every: 1 s}\n";

/* Read once: a run leaves it as it was. */
static cap_model_file *read_model(void)
{
  static cap_model_file *file;
  cap_diag diag;
  if (file) return file;
  if (cap_model_file_parse("m.yaml", model, sizeof model - 1, 0, NULL, &file, &diag) != CAP_OK) abort();
  cap_diag_free(&diag);
  return file;
}

typedef struct bytes {
  uint8_t *at;
  size_t size;
} bytes;

static cap_status run(bool resume, volatile sig_atomic_t *stop, cap_error *error,
                      void (*report)(void *, const char *, double, double, const char *))
{
  cap_progress progress = {.stop = stop, .report = report, .self = (void *)(uintptr_t)stop};
  cap_execute_options options = {.resume = resume, .progress = &progress};
  cap_model_file *file = read_model();
  cap_status status = cap_execute_file(file, target_path("r.h5"), &options, NULL, 0, error);
  return status;
}

/* Stop in the middle. */
static void interrupt(void *self, const char *what, double done, double total, const char *detail)
{
  (void)what, (void)detail;
  if (done > 0.3 * total) cap_progress_raise(self, 1);
}

/* The file of a run that was interrupted, made once. */
static bytes interrupted(void)
{
  static bytes whole;
  if (whole.at) return whole;
  volatile sig_atomic_t stop = 0;
  cap_error error = {0};
  if (run(false, &stop, &error, interrupt) != CAP_STOPPED) abort();
  FILE *file = fopen(target_path("r.h5"), "rb");
  whole.at = malloc(1 << 20);
  if (!file || !whole.at) abort();
  whole.size = fread(whole.at, 1, 1 << 20, file);
  fclose(file);
  return whole;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  bytes whole = interrupted();
  uint8_t *changed = (uint8_t *)target_text(whole.at, whole.size);
  for (; size >= 4; size -= 4, data += 4)
    changed[(data[0] + 256u * data[1] + 65536u * data[2]) % whole.size] = data[3];
  size_t left = size == 3 ? (data[0] + 256u * data[1] + 65536u * data[2]) % whole.size : whole.size;
  reseal_bytes(changed, left);
  target_write(target_path("r.h5"), changed, left);
  free(changed);
  unlink(target_path("r.h5.part"));
  volatile sig_atomic_t stop = 1;
  cap_error error = {0};
  if (run(true, &stop, &error, NULL) != CAP_OK && !error.text[0]) abort();
  return 0;
}
