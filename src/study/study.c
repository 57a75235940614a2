/* study/study.c — see study.h: what the parts of a study ask of it once it is read. */
#include "study/study.h"
#include "base/expr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void cap_study_free(cap_study *study)
{
  if (!study) return;
  cap_arena arena = study->arena;
  cap_arena_free(&arena);
  free(study);
}

int cap_study_replicate(const cap_study *study, int64_t k)
{
  return (int)(k % study->replicates);
}

/* ----------------------------------------------------------------------------------------------- settings */

/* 17 digits bring every number back to its bits; the unit is the one in which the key is kept. */
static const char *write_setting(const cap_study_factor *f, const char *path, double value, cap_arena *arena)
{
  if (f->nlevel) {
    int level = (int)value;
    return cap_arena_format(arena, "%s=%s", path, f->levels[level - 1]);
  }
  return cap_arena_format(arena, "%s=%.17g%s%s", path, value, *f->unit ? " " : "", f->unit);
}

const char *const *cap_study_settings_at(const cap_study *study, const double *values, int64_t seed,
                                         int *nsetting, cap_arena *arena)
{
  int most = study->nsetting + 1, n = 0;
  for (int f = 0; f < study->nfactor; f++) most += study->factors[f].npath;
  const char **settings = CAP_ARENA_NEW(arena, const char *, most + 1);
  if (!settings) return NULL;
  for (int k = 0; k < study->nsetting; k++) settings[n++] = study->settings[k];
  for (int f = 0; f < study->nfactor; f++)
    for (int p = 0; p < study->factors[f].npath; p++)
      if (!(settings[n++] = write_setting(&study->factors[f], study->factors[f].paths[p], values[f], arena)))
        return NULL;
  if (seed >= 0 && !(settings[n++] = cap_arena_format(arena, "seed=%lld", (long long)seed))) return NULL;
  *nsetting = n;
  return settings;
}

const char *const *cap_study_settings(const cap_study *study, int64_t k, int *nsetting, cap_arena *arena)
{
  int64_t seed = study->replicates > 1 ? (int64_t)study->model_seed + cap_study_replicate(study, k) : -1;
  return cap_study_settings_at(study, study->values + k * study->nfactor, seed, nsetting, arena);
}

/* ----------------------------------------------------------------------------------------------- formulas */

typedef struct names {
  const cap_study *study;
  const double *values;
} names;

static bool find_factor(void *self, const char *name, cap_expr_value *value)
{
  const names *n = self;
  for (int f = 0; f < n->study->nfactor; f++)
    if (strcmp(n->study->factors[f].name, name) == 0) {
      *value = (cap_expr_value){.number = n->values[f]};
      return true;
    }
  return false;
}

cap_status cap_study_fill_with(const cap_study *study, double *values, cap_arena *arena, cap_error *error)
{
  names n = {.study = study, .values = values};
  cap_expr_scope scope = {.find = find_factor, .self = &n};
  cap_status status = CAP_OK;
  for (int i = 0; i < study->nformula && status == CAP_OK; i++) {
    const int f = study->formulas[i];
    cap_arena_reset(arena);
    status = cap_expr_number(study->factors[f].formula, &scope, arena, &values[f], error);
    if (status == CAP_OK && !isfinite(values[f]))
      status = cap_status_fail(error, CAP_ERR_INPUT,
                               "expected a finite number from the formula \"%.200s\" of \"%s\"",
                               study->factors[f].formula, study->factors[f].name);
  }
  return status;
}

cap_status cap_study_fill(const cap_study *study, double *values, cap_error *error)
{
  cap_arena arena = {0};
  cap_status status = cap_study_fill_with(study, values, &arena, error);
  cap_arena_free(&arena);
  return status;
}
