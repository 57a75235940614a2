/* io/preview.c — see preview.h. */
#include "io/preview.h"
#include "base/summary_text.h"
#include "base/units.h"
#include "io/yaml.h"
#include "step/stepper.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 40, NAME_MOST = 120, TEXT_MOST = 2000, VALUE_MOST = 160, ITEMS_SHOWN = 6 };

/* A text that grows as long as there is room. */
typedef struct line {
  size_t n;
  char text[TEXT_MOST];
} line;

__attribute__((format(printf, 2, 3))) static void append(line *l, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(l->text + l->n, sizeof l->text - l->n, format, arguments);
  va_end(arguments);
  if (n > 0) l->n = l->n + (size_t)n < sizeof l->text ? l->n + (size_t)n : sizeof l->text - 1;
}

/* ---- analyses: their keys as the user wrote them, and what the analysis itself says -------------------- */

static void append_value(line *l, const cap_yaml_node *node)
{
  switch (node->kind) {
  case CAP_YAML_NULL:
    append(l, "none");
    break;
  case CAP_YAML_SCALAR:
    append(l, "%.*s", VALUE_MOST, node->text);
    break;
  case CAP_YAML_LIST:
    append(l, "[");
    for (int k = 0; k < node->n; k++) {
      bool left_out = node->n > ITEMS_SHOWN && k >= ITEMS_SHOWN - 2 && k < node->n - 1;
      if (left_out && k == ITEMS_SHOWN - 2) append(l, ", ...");
      if (left_out) continue;
      append(l, "%s", k ? ", " : "");
      append_value(l, node->items[k]);
    }
    append(l, "]");
    if (node->n > ITEMS_SHOWN) append(l, " (%d values)", node->n);
    break;
  case CAP_YAML_MAP:
    append(l, "{");
    for (int k = 0; k < node->n; k++) {
      append(l, "%s%s: ", k ? ", " : "", node->pairs[k].key);
      append_value(l, node->pairs[k].value);
    }
    append(l, "}");
    break;
  }
}

/* The keys of the k-th analysis. */
static const cap_yaml_node *keys_of(const cap_model_file *file, int k, const char *name)
{
  const cap_yaml_node *list = file->tree ? cap_yaml_find(file->tree, "analyses") : NULL;
  if (!list || list->kind != CAP_YAML_LIST || k >= list->n) return NULL;
  const cap_yaml_node *item = list->items[k];
  if (item->kind != CAP_YAML_MAP) return NULL;
  const cap_yaml_node *keys = cap_yaml_find(item, name);
  return keys ? keys : item->n ? item->pairs[0].value : NULL; /* under a name of an older format */
}

static void add_keys(const cap_yaml_node *keys, cap_summary *out)
{
  for (int k = 0; keys && keys->kind == CAP_YAML_MAP && k < keys->n; k++) {
    line value = {0};
    append_value(&value, keys->pairs[k].value);
    cap_summary_text(out, keys->pairs[k].key, "%s", value.text);
  }
}

/* `unused` takes what the checks find, which has been said before. */
static void add_analyses(const cap_model_file *file, const cap_model *model, cap_diag *unused,
                         cap_summary *out)
{
  double time = model->t0;
  for (int k = 0; k < file->analyses.n; k++) {
    const void *spec = (const char *)file->analyses.items + (size_t)k * cap_registry_largest_spec();
    const cap_analysis *analysis = cap_registry_analyses[*(const int *)spec];
    char title[128];
    snprintf(title, sizeof title, "analysis %d: %s", k + 1, analysis->name);
    cap_summary_begin(out, title);
    cap_summary_text(out, "computes", "%s", analysis->doc ? analysis->doc : "");
    add_keys(keys_of(file, k, analysis->name), out);
    if (analysis->plan) analysis->plan(model, spec, &file->outputs, time, out);
    if (analysis->check) analysis->check(model, spec, &time, "", unused); /* moves the time on */
  }
}

/* ---- inputs -------------------------------------------------------------------------------------------- */

static void append_limits(line *l, const cap_input *input)
{
  char value[64];
  if (isfinite(input->low))
    append(l, ", %s %s", input->low_open ? "above" : "at least",
           cap_units_format(value, sizeof value, input->low, input->unit));
  if (isfinite(input->high))
    append(l, ", %s %s", input->high_open ? "below" : "at most",
           cap_units_format(value, sizeof value, input->high, input->unit));
  if (input->position) append(l, ", without jumps");
}

/* What whoever runs the model may set: from where, within which limits, and what it is. */
static void add_inputs(const cap_model_file *file, const cap_model *m, cap_summary *out)
{
  char value[64];
  if (!m->ninput) return;
  cap_summary_begin(out, "inputs");
  for (int k = 0; k < m->ninput; k++) {
    const cap_input *input = &m->inputs[k];
    line l = {0};
    append(&l, "starts at %s", cap_units_format(value, sizeof value, input->start, input->unit));
    append_limits(&l, input);
    append(&l, ": %s", input->doc);
    cap_summary_text(out, input->name, "%s", l.text);
  }
  if (file->fed_by) cap_summary_text(out, "fed by", "%s", file->fed_by);
}

/* ---- details: the equations ---------------------------------------------------------------------------- */

/* The name with a star in the place of numbers: element.3.x is one of element.*.x. */
static void pattern_of(const char *name, char *out, size_t room)
{
  size_t at = 0;
  while (*name && at + 2 < room) {
    size_t part = strcspn(name, "."), digits = strspn(name, "0123456789");
    if (digits == part) out[at++] = '*';
    else
      for (size_t k = 0; k < part && at + 2 < room; k++) out[at++] = name[k];
    name += part;
    if (*name == '.') out[at++] = *name++;
  }
  out[at] = '\0';
}

/* How many coordinates have the pattern; 0: one before the i-th has it already. */
static int count_named(const cap_model *m, int i, const char *pattern)
{
  char other[NAME_MOST];
  int n = 0;
  for (int k = 0; k < m->nv; k++) {
    pattern_of(m->dof_name[k], other, sizeof other);
    if (strcmp(other, pattern) != 0) continue;
    if (k < i) return 0;
    n++;
  }
  return n;
}

static void add_coordinates(const cap_model *m, cap_summary *out)
{
  char pattern[NAME_MOST];
  line l = {0};
  int shown = 0, names = 0;
  append(&l, "%d free, %d prescribed:", m->nv - m->nmotion, m->nmotion);
  for (int i = 0; i < m->nv && names < NAMES_MOST; i++) {
    pattern_of(m->dof_name[i], pattern, sizeof pattern);
    int together = count_named(m, i, pattern);
    if (!together) continue;
    append(&l, " %s", together > 1 ? pattern : m->dof_name[i]);
    if (together > 1) append(&l, " (%d)", together);
    shown += together;
    names++;
  }
  if (m->nv > shown) append(&l, " and %d more", m->nv - shown);
  cap_summary_text(out, "coordinates", "%s", l.text);
}

static void add_contacts(const cap_model *m, cap_summary *out)
{
  line l = {0};
  append(&l, "%d with %d row%s, %d ideal", m->ncontact, m->nrow, m->nrow == 1 ? "" : "s", m->nideal);
  if (m->nset) append(&l, ", %d set-valued", m->nset);
  append(&l, ":");
  for (int r = 0; r < m->nrow; r++) append(&l, " %s", m->row_name[r]);
  cap_summary_text(out, "contacts", "%s", l.text);
  if (m->fastest > 0.0) {
    cap_summary_text(out, "contact law", "%s", m->nlaw ? "viscoelastic" : "compliant");
    cap_summary_number(out, "highest contact frequency", "Hz", m->fastest / (2.0 * M_PI));
  }
  for (int i = 0; i < m->ncontactbatch; i++)
    for (int k = 0; !m->contacts[i].ideal && k < m->contacts[i].n; k++) {
      const cap_contact_batch *b = &m->contacts[i];
      bool stick = b->kind == CAP_LAW_VISCOELASTIC;
      double rest = stick ? b->stick[k].friction.mu_static : b->touch[k].friction.mu_static;
      double sliding = stick ? b->stick[k].friction.mu_kinetic : b->touch[k].friction.mu_kinetic;
      if (isfinite(rest) && b->type->nrow > b->type->normal)
        cap_summary_text(out, "friction", "%s: %.6g at rest, %.6g sliding",
                         m->contact_name[b->contact_adr + k], rest, sliding);
    }
}

static void add_elements(const cap_model *m, cap_summary *out)
{
  line l = {0};
  append(&l, "%d:", m->nelem);
  for (int k = 0; k < m->nbatch; k++)
    append(&l, " %d %s%s", m->batches[k].n, m->batches[k].type->name, k + 1 < m->nbatch ? "," : "");
  cap_summary_text(out, "force elements", "%s", l.text);
}

/* ---- details: channels --------------------------------------------------------------------------------- */

/* Where "b" of a.b.c and "[1]" of a[1].c begin, and what is behind it; NULL where there is none. */
static const char *middle_of(const char *name, const char **last)
{
  const char *first = strpbrk(name, ".[");
  *last = first ? strchr(first + 1, '.') : NULL;
  return *last ? first : NULL;
}

/* a.b.c and a.d.c, which one pattern a.*.c names, or a[1].c and a[2].c. */
static bool alike(const cap_column *a, const cap_column *b)
{
  const char *one = a->name, *other = b->name;
  const char *last1, *last2, *first1 = middle_of(one, &last1), *first2 = middle_of(other, &last2);
  if (strcmp(a->unit, b->unit) != 0 || !first1 || !first2 || strcmp(last1, last2) != 0) return false;
  return *first1 == *first2 && first1 - one == first2 - other &&
         strncmp(one, other, (size_t)(first1 - one)) == 0;
}

static int count_alike(const cap_model *m, int from, int to, const cap_column *column)
{
  int n = 0;
  for (int c = from; c < to; c++) n += !m->channels[c].detail && alike(&m->channels[c].column, column);
  return n;
}

/* Channels that one pattern names stand as this pattern. */
static void add_channels(const cap_model *m, cap_summary *out)
{
  int details = 0;
  const char *detail = NULL, *last;
  cap_summary_begin_detail(out, "channels");
  for (int c = 0; c < m->nchannel; c++) {
    const cap_column *column = &m->channels[c].column;
    if (m->channels[c].detail) {
      detail = column->name;
      details++;
      continue;
    }
    if (count_alike(m, 0, c, column)) continue;
    char name[2 * NAME_MOST];
    const char *first = middle_of(column->name, &last);
    int members = first ? count_alike(m, c + 1, m->nchannel, column) : 0;
    const char *any = members && *first == '[' ? "[*]" : ".*";
    if (members)
      snprintf(name, sizeof name, "%.*s%s%s", (int)(first - column->name), column->name, any, last);
    else snprintf(name, sizeof name, "%s", column->name);
    if (members) cap_summary_text(out, name, "%s (%d channels)", column->unit, members + 1);
    else cap_summary_text(out, name, "%s", column->unit);
  }
  if (detail)
    cap_summary_text(out, "on request", "%d more when a pattern names them, such as %s", details, detail);
}

static void add_equations(const cap_model *m, cap_summary *out)
{
  cap_summary_begin_detail(out, "equations");
  add_coordinates(m, out);
  add_elements(m, out);
  if (m->nslider)
    cap_summary_text(out, "dry friction", "%d slider%s (set-valued)", m->nslider, m->nslider == 1 ? "" : "s");
  if (m->ncontact) add_contacts(m, out);
  cap_summary_number(out, "internal variables", "", m->nx);
  if (m->period[0] > 0.0) cap_summary_number(out, "period of the excitation", "s", m->period[0]);
  cap_summary_text(out, "time stepper", "%s unless an analysis names another: %s", cap_stepper_mover(m)->name,
                   cap_stepper_mover(m)->doc);
  cap_summary_text(out, "memory", "%zu kB", (m->arena.peak + 1023) / 1024);
}

cap_status cap_preview_make(const cap_model_file *file, const cap_model *model, cap_summary *summary)
{
  *summary = (cap_summary){0};
  const void *description = file->described ? file->described->self : NULL;
  cap_diag *unused = calloc(1, sizeof *unused);
  if (!unused) return CAP_ERR_NOMEM;
  cap_diag_init(unused, file->path);
  if (file->drive->summarise) file->drive->summarise(file->spec, description, model, summary);
  add_inputs(file, model, summary);
  add_analyses(file, model, unused, summary);
  cap_diag_free(unused);
  free(unused);
  add_equations(model, summary);
  add_channels(model, summary);
  return summary->exhausted ? CAP_ERR_NOMEM : CAP_OK;
}

void cap_preview_print(const cap_model_file *file, const cap_summary *summary, bool details, FILE *to)
{
  fprintf(to, "%s: valid\n", file->path);
  if (*file->name) fprintf(to, "  %s (%s)\n", file->name, file->drive->name);
  else fprintf(to, "  %s\n", file->drive->name);
  cap_summary_text_print(to, summary, details);
}

cap_status cap_preview_draw(const cap_model_file *file, const cap_model *model, cap_drawing *drawing)
{
  const void *description = file->described ? file->described->self : NULL;
  *drawing = (cap_drawing){0};
  if (file->drive->draw) file->drive->draw(file->spec, description, model, drawing);
  return drawing->exhausted ? CAP_ERR_NOMEM : CAP_OK;
}
