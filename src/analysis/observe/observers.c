/* analysis/observe/observers.c — the observers of a run as a list: see observers.h. */
#include "analysis/observe/observers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool watches(const cap_observer_entry *entry, const char *analysis)
{
  return strcmp(entry->analysis, analysis) == 0;
}

static const void *keys_of(const cap_observer_entry *entry, const void *spec)
{
  return entry->keys ? (const char *)spec + entry->keys : NULL;
}

cap_status cap_observers_create(cap_observers *o, const char *analysis, const void *spec, cap_run *run,
                                const cap_observer_plan *plan)
{
  *o = (cap_observers){0};
  for (const cap_observer_entry *entry = cap_registry_observers; entry->type; entry++) {
    if (!watches(entry, analysis)) continue;
    assert(o->n < CAP_OBSERVERS_MOST);
    void *self = calloc(1, entry->type->size);
    if (!self) return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
    o->type[o->n] = entry->type;
    o->self[o->n++] = self;
    cap_observer_plan own = *plan;
    own.keys = keys_of(entry, spec);
    CAP_TRY(entry->type->create(self, run, &own));
  }
  return CAP_OK;
}

void cap_observers_free(cap_observers *o)
{
  for (int k = 0; k < o->n; k++) {
    o->type[k]->free(o->self[k]);
    free(o->self[k]);
  }
  *o = (cap_observers){0};
}

cap_status cap_observers_take(cap_observers *o, const cap_run *run, int64_t row, const double *force)
{
  for (int k = 0; k < o->n; k++) CAP_TRY(o->type[k]->take(o->self[k], run, row, force));
  return CAP_OK;
}

int cap_observers_views(const cap_observers *o, cap_view views[CAP_OBSERVERS_VIEWS])
{
  int n = 0;
  for (int k = 0; k < o->n; k++) {
    assert(n + CAP_OBSERVER_VIEWS <= CAP_OBSERVERS_VIEWS);
    if (o->type[k]->views) n += o->type[k]->views(o->self[k], views + n);
  }
  return n;
}

void cap_observers_resume(cap_observers *o, const cap_data *d)
{
  for (int k = 0; k < o->n; k++)
    if (o->type[k]->resume) o->type[k]->resume(o->self[k], d);
}

void cap_observers_end(cap_observers *o, const cap_run *run)
{
  for (int k = 0; k < o->n; k++)
    if (o->type[k]->end) o->type[k]->end(o->self[k], run);
}

cap_status cap_observers_put(cap_observers *o, cap_run *run, const char *what)
{
  for (int k = 0; k < o->n; k++)
    if (o->type[k]->put) CAP_TRY(o->type[k]->put(o->self[k], run, what));
  return CAP_OK;
}

cap_status cap_observers_put_part(cap_observers *o, cap_run *run, int64_t rows, cap_status status)
{
  if (status == CAP_ERR_NOMEM || status == CAP_ERR_IO) return status; /* there is nowhere to put it */
  cap_error first = *run->error;                                      /* why it broke off is the news */
  for (int k = 0; k < o->n; k++)
    if (o->type[k]->put_part && o->type[k]->put_part(o->self[k], run, rows) != CAP_OK) break;
  *run->error = first;
  return status;
}

void cap_observers_judge(cap_observers *o, double steady)
{
  for (int k = 0; k < o->n; k++)
    if (o->type[k]->judge) o->type[k]->judge(o->self[k], steady);
}

bool cap_observers_have_group(const cap_observers *o)
{
  for (int k = 0; k < o->n; k++)
    if (o->type[k]->has_group && o->type[k]->has_group(o->self[k])) return true;
  return false;
}

void *cap_observers_find(const cap_observers *o, const cap_observer_type *type)
{
  for (int k = 0; k < o->n; k++)
    if (o->type[k] == type) return o->self[k];
  return NULL;
}

void cap_observers_check(const char *analysis, const void *spec, const cap_model *m, double until,
                         const char *path, cap_diag *diag)
{
  for (const cap_observer_entry *entry = cap_registry_observers; entry->type; entry++)
    if (watches(entry, analysis) && entry->type->check)
      entry->type->check(keys_of(entry, spec), m, until, path, diag);
}
