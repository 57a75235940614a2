/* study/study_print.c — see study_print.h. */
#include "study/study_print.h"
#include "version.h"

#include <stdio.h>
#include <string.h>

static void add_text(cap_hash *hash, const char *text)
{
  /* with its end, so that two texts are not taken for one; nothing is another thing than "" */
  cap_hash_add(hash, text ? text : "\1", strlen(text ? text : "\1") + 1);
}

static void add_numbers(cap_hash *hash, const double *values, size_t n)
{
  cap_hash_add(hash, values, n * sizeof *values);
}

static void add_factors(cap_hash *hash, const cap_study *s)
{
  for (int f = 0; f < s->nfactor; f++) {
    const cap_study_factor *factor = &s->factors[f];
    add_text(hash, factor->name);
    add_text(hash, factor->unit);
    for (int p = 0; p < factor->npath; p++) add_text(hash, factor->paths[p]);
    for (int k = 0; k < factor->nlevel; k++) {
      add_text(hash, factor->levels[k]);
      add_text(hash, factor->labels[k]);
    }
    add_text(hash, "");
  }
}

static void add_responses(cap_hash *hash, const cap_study *s)
{
  for (int k = 0; k < s->nresponse; k++) {
    const cap_study_response *response = &s->responses[k];
    double numbers[5] = {(double)response->reduction, response->from, response->to, response->part,
                         response->tolerance};
    add_text(hash, response->name);
    add_text(hash, response->unit);
    add_text(hash, response->group);
    add_text(hash, response->channel);
    add_text(hash, response->expression);
    add_numbers(hash, numbers, 5);
  }
}

static cap_hash128 fingerprint(const cap_study *s)
{
  cap_hash hash;
  double numbers[5] = {(double)s->design, s->replicates, s->model_seed, s->along, s->from_high};
  cap_hash_init(&hash, 0);
  add_text(&hash, CAPSTAN_VERSION " " CAPSTAN_GIT_HASH);
  add_text(&hash, s->name);
  add_text(&hash, s->model_text);
  for (int k = 0; k < s->nsetting; k++) add_text(&hash, s->settings[k]);
  add_factors(&hash, s);
  add_responses(&hash, s);
  add_numbers(&hash, numbers, 5);
  cap_hash_add(&hash, s->chains, (size_t)(s->nchain + 1) * sizeof *s->chains);
  cap_hash_add(&hash, s->order, (size_t)s->ncase * sizeof *s->order);
  add_numbers(&hash, s->values, (size_t)(s->ncase * s->nfactor));
  for (int k = 2; k < s->ninput; k++) cap_hash_add(&hash, &s->inputs[k].hash, sizeof s->inputs[k].hash);
  return cap_hash_value128(&hash);
}

static const char *name_of(cap_study_design_kind kind)
{
  switch (kind) {
  case CAP_STUDY_GRID:
    return "grid";
  case CAP_STUDY_ONE_AT_A_TIME:
    return "one factor at a time";
  case CAP_STUDY_LATIN_HYPERCUBE:
    return "Latin hypercube";
  case CAP_STUDY_SOBOL:
    return "Sobol sequence";
  case CAP_STUDY_SALTELLI:
    return "Saltelli's samples";
  case CAP_STUDY_TABLE:
    return "table";
  }
  return "";
}

/* "grid 5 x 3, 2 replicates, 30 cases" */
static cap_status describe(cap_study *s)
{
  char text[600];
  size_t n = (size_t)snprintf(text, sizeof text, "%s", name_of(s->design));
  for (int i = 0; i < s->nindependent && s->design == CAP_STUDY_GRID && n + 40 < sizeof text; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%d", i ? " x " : " ",
                          s->factors[s->independent[i]].nvalue);
  if (s->design == CAP_STUDY_SALTELLI)
    n += (size_t)snprintf(text + n, sizeof text - n, " of %lld points", (long long)s->count);
  if (s->replicates > 1) n += (size_t)snprintf(text + n, sizeof text - n, ", %d replicates", s->replicates);
  snprintf(text + n, sizeof text - n, ", %lld case%s", (long long)s->ncase, s->ncase == 1 ? "" : "s");
  s->design_text = cap_arena_copy_text(&s->arena, text);
  return s->design_text ? CAP_OK : CAP_ERR_NOMEM;
}

cap_status cap_study_print_sign(cap_study *study)
{
  CAP_TRY(describe(study));
  study->fingerprint = fingerprint(study);
  return CAP_OK;
}
