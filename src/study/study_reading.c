/* study/study_reading.c — see study_reading.h. */
#include "study/study_reading.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool cap_study_reading_name(const char *name)
{
  if (!isalpha((unsigned char)*name) && *name != '_') return false;
  size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  return !name[length] && length <= 60;
}

/* Where the unit begins behind the number; the number itself is judged by base/units. */
static const char *unit_of(const char *text)
{
  static const char digits[] = "0123456789";
  text += strspn(text, " ");
  if (*text == '+' || *text == '-') text++;
  text += strspn(text, digits);
  if (*text == '.') text += 1 + strspn(text + 1, digits);
  if (*text == 'e' || *text == 'E') {
    const char *exponent = text + 1 + (text[1] == '+' || text[1] == '-');
    if (isdigit((unsigned char)*exponent)) text = exponent + strspn(exponent, digits);
  }
  return text + strspn(text, " ");
}

bool cap_study_reading_quantity(cap_study_reading *r, const cap_bind_spot *spot, const cap_yaml_node *node,
                                double *value, char si[CAP_UNITS_LONGEST])
{
  char reason[CAP_UNITS_REASON] = "";
  double factor;
  si[0] = 0;
  if (node->kind == CAP_YAML_SCALAR && strcmp(unit_of(node->text), "%") != 0 &&
      !cap_units_base(r->bind.units, unit_of(node->text), &factor, si, reason)) {
    char got[100];
    cap_bind_value_got(node, got, sizeof got);
    cap_bind_inner_report(&r->bind, spot, node, "expected a quantity, got %s%s%s", got, *reason ? "; " : "",
                          reason);
    return false;
  }
  cap_field field = {.kind = CAP_FIELD_REAL, .unit = si};
  return cap_bind_value_real(&r->bind, spot, &field, node, value);
}

const char *cap_study_reading_hint(const char *best, char buffer[100])
{
  buffer[0] = 0;
  if (best) snprintf(buffer, 100, "; did you mean \"%.60s\"?", best);
  return buffer;
}

cap_status cap_study_reading_model(const cap_study_reading *r, const double *values, cap_model_file **file,
                                   cap_diag *diag)
{
  const cap_study *s = r->study;
  cap_arena arena = {0};
  int n;
  *file = NULL;
  cap_diag_init(diag, s->model_path);
  const char *const *settings = cap_study_settings_at(s, values, -1, &n, &arena);
  cap_status status = CAP_ERR_NOMEM;
  if (settings) {
    cap_diag_free(diag);
    status = cap_model_file_parse(s->model_path, s->model_text, strlen(s->model_text), n, settings, file,
                                  diag);
  }
  cap_arena_free(&arena);
  return status;
}
