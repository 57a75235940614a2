/* study/factor_formula.c — see factor_formula.h. */
#include "study/factor_formula.h"
#include "base/expr.h"
#include "base/nearest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names that a formula asks for. */
typedef struct asked {
  const cap_study *study;
  bool *needs; /* [nfactor] */
  char unknown[80];
} asked;

static bool ask(void *self, const char *name, cap_expr_value *value)
{
  asked *a = self;
  *value = (cap_expr_value){.number = 1.0};
  for (int f = 0; f < a->study->nfactor; f++)
    if (strcmp(a->study->factors[f].name, name) == 0) {
      a->needs[f] = true;
      return true;
    }
  if (strcmp(name, "pi") != 0) snprintf(a->unknown, sizeof a->unknown, "%s", name);
  return false;
}

static void report_unknown(cap_study_reading *r, const char *path, const char *name)
{
  cap_nearest nearest;
  char hint[100];
  cap_nearest_start(&nearest, name);
  for (int f = 0; f < r->study->nfactor; f++) cap_nearest_offer(&nearest, r->study->factors[f].name);
  cap_diag_at(r->diag, path, "there is no factor \"%.60s\"%s", name,
              cap_study_reading_hint(nearest.best, hint));
}

static cap_status find_needs(cap_study_reading *r, int f, bool *needs)
{
  asked a = {.study = r->study, .needs = needs};
  cap_expr_scope scope = {.find = ask, .self = &a};
  cap_arena arena = {0};
  cap_error error = {0};
  char path[48];
  snprintf(path, sizeof path, "factors[%d].formula", f);
  cap_status status = cap_expr_check(r->study->factors[f].formula, &scope, &arena, &error);
  if (status == CAP_ERR_INPUT && a.unknown[0]) report_unknown(r, path, a.unknown);
  else if (status == CAP_ERR_INPUT) cap_diag_at(r->diag, path, "%s", error.text);
  cap_arena_free(&arena);
  return status;
}

/* A level's number is no quantity to compute with. */
static void refuse_levels(cap_study_reading *r, int f, const bool *needs)
{
  char path[48];
  snprintf(path, sizeof path, "factors[%d].formula", f);
  for (int k = 0; k < r->study->nfactor; k++)
    if (needs[k] && r->study->factors[k].nlevel)
      cap_diag_at(r->diag, path, "expected a factor with numbers, got \"%s\", which has levels",
                  r->study->factors[k].name);
}

/* Formulas whose needs are met follow one after the other;
 * what is left when none is added goes in circles. */
static void sort_formulas(cap_study_reading *r, const bool *needs, int *formulas)
{
  cap_study *s = r->study;
  bool known[CAP_STUDY_FACTORS], grown = true;
  for (int f = 0; f < s->nfactor; f++) known[f] = s->factors[f].law != CAP_STUDY_FORMULA;
  s->nformula = 0;
  while (grown) {
    grown = false;
    for (int f = 0; f < s->nfactor; f++) {
      bool ready = !known[f];
      for (int k = 0; k < s->nfactor && ready; k++) ready = !needs[f * s->nfactor + k] || known[k];
      if (!ready) continue;
      formulas[s->nformula++] = f;
      known[f] = grown = true;
    }
  }
  for (int f = 0; f < s->nfactor; f++) {
    char path[48];
    snprintf(path, sizeof path, "factors[%d].formula", f);
    if (!known[f])
      cap_diag_at(r->diag, path, "it depends on itself%s; expected a formula of other factors",
                  needs[f * s->nfactor + f] ? "" : " by way of other formulas");
  }
}

cap_status cap_factor_formula_order(cap_study_reading *r)
{
  cap_study *s = r->study;
  int *independent = CAP_ARENA_NEW(&s->arena, int, s->nfactor),
      *formulas = CAP_ARENA_NEW(&s->arena, int, s->nfactor);
  bool *needs = CAP_ARENA_NEW(&s->arena, bool, s->nfactor * s->nfactor);
  if (!independent || !formulas || !needs) return CAP_ERR_NOMEM;
  int before = r->diag->nerror;
  s->independent = independent;
  s->formulas = formulas;
  for (int f = 0; f < s->nfactor; f++) {
    if (s->factors[f].law != CAP_STUDY_FORMULA) {
      independent[s->nindependent++] = f;
      continue;
    }
    if (find_needs(r, f, needs + f * s->nfactor) == CAP_ERR_NOMEM) return CAP_ERR_NOMEM;
    refuse_levels(r, f, needs + f * s->nfactor);
  }
  sort_formulas(r, needs, formulas);
  if (s->nindependent == 0)
    cap_diag_at(r->diag, "factors",
                "nothing varies: all factors are formulas; expected one with values of its own");
  return r->diag->nerror > before ? CAP_ERR_INPUT : CAP_OK;
}

cap_status cap_factor_formula_nominal(cap_study_reading *r)
{
  cap_study *s = r->study;
  cap_error error = {0};
  double values[CAP_STUDY_FACTORS];
  if (s->nformula == 0) return CAP_OK;
  for (int f = 0; f < s->nfactor; f++) values[f] = s->factors[f].nominal;
  cap_status status = cap_study_fill(s, values, &error);
  if (status != CAP_OK) {
    cap_diag_at(r->diag, "factors", "at the nominal values, %s", error.text);
    return status;
  }
  for (int i = 0; i < s->nformula; i++) {
    cap_study_factor *f = &s->factors[s->formulas[i]];
    f->nominal = f->low = f->high = values[s->formulas[i]];
  }
  return CAP_OK;
}
