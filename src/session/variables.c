/* session/variables.c — the public lists of a model's variables, include/capstan/capstan.h. */
#include "base/names.h"
#include "io/parameters.h"
#include "session/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cap_status no_memory(capstan_model *m)
{
  return cap_status_fail(&m->error, CAP_ERR_NOMEM, "out of memory");
}

static cap_status make_room(capstan_model *m, cap_session_list *list, int n)
{
  list->variables = CAP_ARENA_NEW(&m->words, capstan_variable, n + 1);
  list->n = list->variables ? n : 0;
  return list->variables ? CAP_OK : no_memory(m);
}

static cap_status list_parameters(capstan_model *m, cap_session_list *list)
{
  cap_parameter *all;
  int n = cap_parameters_list(m->held->file, &m->words, &all);
  list->places = CAP_ARENA_NEW(&m->words, const double *, n + 1);
  if (!all || !list->places) return no_memory(m);
  CAP_TRY(make_room(m, list, n));
  for (int k = 0; k < n; k++) {
    const cap_parameter *p = &all[k];
    list->places[k] = p->place;
    list->variables[k] = (capstan_variable){.name = p->path,
                                            .unit = p->unit,
                                            .text = p->key->doc ? p->key->doc : "",
                                            .start = p->value,
                                            .low = p->low,
                                            .high = p->high,
                                            .low_open = p->low_open,
                                            .high_open = p->high_open};
  }
  return CAP_OK;
}

/* The system may go before the list: texts are copied. */
static cap_status list_inputs(capstan_model *m, cap_session_list *list)
{
  CAP_TRY(make_room(m, list, m->built->ninput));
  for (int k = 0; k < list->n; k++) {
    const cap_input *u = &m->built->inputs[k];
    capstan_variable *v = &list->variables[k];
    *v = (capstan_variable){.name = cap_arena_copy_text(&m->words, u->name),
                            .unit = cap_arena_copy_text(&m->words, u->unit),
                            .text = cap_arena_copy_text(&m->words, u->doc ? u->doc : ""),
                            .start = u->start,
                            .low = u->low,
                            .high = u->high,
                            .low_open = u->low_open,
                            .high_open = u->high_open,
                            .position = u->position};
    if (!v->name || !v->unit || !v->text) return no_memory(m);
  }
  return CAP_OK;
}

static capstan_variable unlimited(const char *name, const char *unit, const char *text)
{
  return (capstan_variable){
      .name = name, .unit = unit, .text = text, .start = NAN, .low = -INFINITY, .high = INFINITY};
}

/* Under the names that results have. */
static cap_status list_outputs(capstan_model *m, cap_session_list *list)
{
  CAP_TRY(make_room(m, list, m->built->nchannel));
  for (int k = 0; k < list->n; k++) {
    const cap_column *c = &m->built->channels[k].column;
    capstan_variable *v = &list->variables[k];
    *v = unlimited(cap_names_quoted(c->name, &m->words),
                   cap_arena_copy_text(&m->words, c->unit ? c->unit : ""),
                   cap_arena_copy_text(&m->words, c->long_name ? c->long_name : ""));
    if (!v->name || !v->unit || !v->text) return no_memory(m);
  }
  return CAP_OK;
}

/* ---- states -------------------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
  const capstan_variable *x = *(capstan_variable *const *)a, *y = *(capstan_variable *const *)b;
  int order = strcmp(x->name, y->name);
  return order ? order : (x > y) - (x < y);
}

/* Those that share a name get indices from 1 on, in their order. */
static cap_status tell_apart(capstan_model *m, const cap_session_list *list)
{
  capstan_variable **sorted = calloc((size_t)list->n + 1, sizeof *sorted);
  if (!sorted) return no_memory(m);
  for (int k = 0; k < list->n; k++) sorted[k] = &list->variables[k];
  qsort(sorted, (size_t)list->n, sizeof *sorted, compare_names);
  cap_status status = CAP_OK;
  for (int first = 0, end; first < list->n; first = end) {
    const char *name = sorted[first]->name;
    for (end = first + 1; end < list->n && strcmp(sorted[end]->name, name) == 0;) end++;
    for (int k = first; end - first > 1 && k < end; k++) {
      sorted[k]->name = cap_arena_format(&m->words, "%s[%d]", name, k - first + 1);
      if (!sorted[k]->name) status = no_memory(m);
    }
    if (status != CAP_OK) break;
  }
  free(sorted);
  return status;
}

static cap_status put_state(capstan_model *m, capstan_variable *v, const char *name, const char *ending,
                            const char *unit, const char *per, const char *text)
{
  const char *legal = cap_names_legal(name, &m->words);
  *v = unlimited(legal ? cap_arena_format(&m->words, "%s%s", legal, ending) : NULL,
                 cap_arena_format(&m->words, "%s%s", unit, per), text);
  return v->name && v->unit ? CAP_OK : no_memory(m);
}

/* NAME, NAME.rate, then NAME.state of what has a memory. */
static cap_status list_states(capstan_model *m, cap_session_list *list)
{
  const cap_model *built = m->built;
  const int nv = built->nv;
  CAP_TRY(make_room(m, list, built->nstate));
  for (int k = 0; k < nv; k++) {
    const char *name = built->dof_name[k], *unit = built->dof_unit[k];
    CAP_TRY(put_state(m, &list->variables[k], name, "", unit, "", "position"));
    CAP_TRY(put_state(m, &list->variables[nv + k], name, ".rate", unit, "/s", "velocity"));
  }
  for (int k = 0; k < built->nx; k++)
    CAP_TRY(put_state(m, &list->variables[2 * nv + k], built->x_name[k], ".state", built->x_unit[k], "",
                      "internal variable of a law or a contact"));
  return tell_apart(m, list);
}

/* ---- lists --------------------------------------------------------------------------------------------- */

static cap_status make_list(capstan_model *m, capstan_kind kind, cap_session_list *list)
{
  if (kind == CAPSTAN_PARAMETER) return list_parameters(m, list);
  CAP_TRY(cap_session_model_build(m));
  if (kind == CAPSTAN_INPUT) return list_inputs(m, list);
  return kind == CAPSTAN_OUTPUT ? list_outputs(m, list) : list_states(m, list);
}

static const cap_session_list *list_of(capstan_model *m, capstan_kind kind)
{
  if (!m || !m->held || (int)kind < 0 || (int)kind >= CAP_SESSION_KINDS) return NULL;
  cap_session_list *list = &m->lists[kind];
  if (list->made) return list;
  cap_session_model_begin(m);
  cap_session_language l = cap_session_speak_plainly();
  cap_status status = make_list(m, kind, list);
  cap_session_speak_as_before(&l);
  list->made = status == CAP_OK;
  if (list->made) return list;
  cap_session_model_fail(m, status, m->error.text);
  return NULL;
}

int capstan_variables(capstan_model *model, capstan_kind kind, const capstan_variable **list)
{
  if (list) *list = NULL;
  const cap_session_list *own = list_of(model, kind);
  if (!own) return 0;
  if (list) *list = own->variables;
  return own->n;
}

/* A parameter may also be called by the names of items, "pulleys[crank].radius". */
static int find_by_item(const capstan_model *m, const cap_session_list *list, const char *name)
{
  double *place;
  const cap_model_file *file = m->held->file;
  const cap_field *field = cap_fields_locate(file->drive->fields, file->spec, name, &place);
  if (!field) return -1;
  for (int k = 0; k < list->n; k++)
    if (list->places[k] == place &&
        cap_fields_in_hertz(field, name) == cap_fields_in_hertz(field, list->variables[k].name))
      return k;
  return -1;
}

int capstan_find(capstan_model *model, capstan_kind kind, const char *name)
{
  const cap_session_list *list = name ? list_of(model, kind) : NULL;
  for (int k = 0; list && k < list->n; k++)
    if (strcmp(list->variables[k].name, name) == 0) return k;
  return list && kind == CAPSTAN_PARAMETER ? find_by_item(model, list, name) : -1;
}
