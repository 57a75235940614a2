/* base/summary.c — see summary.h. */
#include "base/summary.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Units in which an engineer reads, with how many of them one SI unit is. */
static const struct {
  const char *unit;
  double factor;
} units[] = {
    {"", 1.0},
    {"%", 1e2},
    {"m", 1.0},
    {"mm", 1e3},
    {"um", 1e6},
    {"m/s", 1.0},
    {"mm/s", 1e3},
    {"rad/s", 1.0},
    {"Hz", 1.0},
    {"s", 1.0},
    {"ms", 1e3},
    {"us", 1e6},
    {"N", 1.0},
    {"kN", 1e-3},
    {"N m", 1.0},
    {"N/m", 1.0},
    {"N/mm", 1e-3},
    {"N m/rad", 1.0},
    {"N s/m", 1.0},
    {"N m s/rad", 1.0},
    {"kg", 1.0},
    {"kg/m", 1.0},
    {"g", 1e3},
    {"kg m2", 1.0},
    {"W", 1.0},
    {"kW", 1e-3},
    {"J", 1.0},
    {"kB", 1e-3},
    {"MPa", 1e-6},
    {"deg", 180.0 / M_PI},
    {"rpm", 30.0 / M_PI},
    {"N m/deg", M_PI / 180.0},
    {"mm/deg", 1e3 * M_PI / 180.0},
};

double cap_summary_shown(const char *unit, double si)
{
  for (size_t k = 0; k < sizeof units / sizeof *units; k++)
    if (strcmp(units[k].unit, unit) == 0) return units[k].factor * si;
  assert(!"a unit of the list");
  return si;
}

char *cap_summary_format(char *buffer, size_t size, const char *unit, double si)
{
  snprintf(buffer, size, "%.5g%s%s", cap_summary_shown(unit, si), *unit ? " " : "", unit);
  return buffer;
}

void cap_summary_free(cap_summary *s)
{
  cap_arena_free(&s->arena);
  *s = (cap_summary){0};
}

static void begin(cap_summary *s, const char *name, bool detail)
{
  cap_summary_section *section = CAP_ARENA_NEW(&s->arena, cap_summary_section, 1);
  const char *copy = section ? cap_arena_copy_text(&s->arena, name) : NULL;
  s->item = NULL;
  if (!copy) {
    s->exhausted = true;
    return;
  }
  *section = (cap_summary_section){.name = copy, .detail = detail};
  if (s->last) s->last->next = section;
  else s->first = section;
  s->last = section;
}

void cap_summary_begin(cap_summary *s, const char *name)
{
  begin(s, name, false);
}

void cap_summary_begin_detail(cap_summary *s, const char *name)
{
  begin(s, name, true);
}

void cap_summary_item(cap_summary *s, const char *item)
{
  s->item = item ? cap_arena_copy_text(&s->arena, item) : NULL;
  s->exhausted = s->exhausted || (item && !s->item);
}

/* A new quantity of the open section; NULL: out of memory. */
static cap_summary_quantity *add(cap_summary *s, const char *name)
{
  if (s->exhausted) return NULL;
  assert(s->last); /* a section is open */
  cap_summary_quantity *q = CAP_ARENA_NEW(&s->arena, cap_summary_quantity, 1);
  const char *copy = q ? cap_arena_copy_text(&s->arena, name) : NULL;
  if (!copy) {
    s->exhausted = true;
    return NULL;
  }
  *q = (cap_summary_quantity){.item = s->item, .name = copy, .unit = ""};
  if (s->last->last) s->last->last->next = q;
  else s->last->first = q;
  s->last->last = q;
  return q;
}

void cap_summary_number(cap_summary *s, const char *name, const char *unit, double si)
{
  cap_summary_quantity *q = add(s, name);
  if (!q) return;
  q->value = cap_summary_shown(unit, si);
  q->unit = cap_arena_copy_text(&s->arena, unit);
  if (!q->unit) q->unit = "", s->exhausted = true;
}

void cap_summary_text(cap_summary *s, const char *name, const char *format, ...)
{
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  cap_summary_quantity *q = add(s, name);
  if (!q) return;
  q->text = cap_arena_copy_text(&s->arena, text);
  if (!q->text) q->text = "", s->exhausted = true;
}

bool cap_summary_has_items(const cap_summary_section *section)
{
  for (const cap_summary_quantity *q = section->first; q; q = q->next)
    if (q->item) return true;
  return false;
}
