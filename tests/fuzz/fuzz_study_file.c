/* Fuzz the reader of study files: factors in the dimension of a model's keys, laws, formulas, designs. Input:
 * a study file; the model is always the same. */
#include "study/study_file.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ASKED = 100 }; /* cases whose settings are written */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char model[] =
    "capstan: 1\n"
    "drive: clearance-oscillator\n"
    "bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]\n"
    "springs: [{from: gear, damping: 0.05 N s/m}]\n"
    "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m}}]\n"
    "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: 0.008 N}]}]\n"
    "forcing: {angular_frequency: 0.8 rad/s}\n"
    "analyses: [{transient: {until: 2 s}}]\n"
    "outputs: {every: 0.1 s}\n";

static void check_study(const cap_study *s)
{
  cap_arena arena = {0};
  if (s->ncase < 1 || s->ncase > CAP_STUDY_CASES || s->nchain < 1 || s->chains[s->nchain] != s->ncase)
    abort();
  for (int64_t k = 0; k < s->ncase * s->nfactor; k++)
    if (!isfinite(s->values[k])) abort();
  for (int64_t k = 0; k < s->ncase; k++)
    if (s->order[k] < 0 || s->order[k] >= s->ncase) abort();
  for (int64_t k = 0; k < s->ncase && k < MOST_ASKED; k++) {
    int n;
    if (!cap_study_settings(s, k, &n, &arena)) abort();
    cap_arena_reset(&arena);
  }
  cap_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1); /* a copy of exactly this size, so that reading beyond it is found */
  if (!text) abort();
  memcpy(text, data, size);
  text[size] = 0;
  cap_study_file_source source = {.path = "nowhere/study.yaml",
                                  .text = text,
                                  .size = size,
                                  .model_text = model,
                                  .model_size = sizeof model - 1};
  cap_study *study = NULL;
  cap_diag diag;
  cap_status status = cap_study_file_parse(&source, &study, &diag);
  /* Either a study and no findings, or findings and no study. */
  if ((status == CAP_OK) != (study != NULL) || (status == CAP_OK) != (diag.nerror == 0)) abort();
  if (!*cap_diag_text(&diag) && status != CAP_OK) abort();
  if (study) check_study(study);
  cap_study_free(study);
  cap_diag_free(&diag);
  free(text);
  return 0;
}
