/* analysis/stationary/starts.c — see starts.h. */
#include "analysis/stationary/starts.h"
#include "analysis/stationary/stationary_subject.h"

#include <string.h>

cap_starts cap_starts_of(const char *analysis, const void *spec)
{
  for (const cap_start_entry *entry = cap_registry_starts; entry->type; entry++) {
    const void *keys = (const char *)spec + entry->keys;
    if (strcmp(entry->analysis, analysis) == 0 && entry->type->given(keys))
      return (cap_starts){entry->type, keys};
  }
  return (cap_starts){0};
}

void cap_starts_check(const char *analysis, const void *spec, const cap_model *m, const char *path,
                      cap_diag *diag)
{
  for (const cap_start_entry *entry = cap_registry_starts; entry->type; entry++)
    if (strcmp(entry->analysis, analysis) == 0)
      entry->type->check((const char *)spec + entry->keys, m, path, diag);
}

const char *cap_starts_file(const cap_starts *start)
{
  return start->type ? start->type->file(start->keys) : NULL;
}

cap_stationary_point_plan cap_starts_plan(const cap_model *m)
{
  double turn = cap_stationary_subject_turn(m);
  return (cap_stationary_point_plan){.turn = turn,
                                     .every = turn / 200.0,
                                     .lead = 0.25,
                                     .average = 0.4,
                                     .limit = 6.0,
                                     .error = 0.015,
                                     .shifts = -1,
                                     .slip = {-1, -1},
                                     .slip_most = 0.08,
                                     .settings = {.tolerance = 1e-8, .audit = true}};
}
