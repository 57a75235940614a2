/* base/summary.h — what a person reads first about a model, before anything is computed: labelled quantities
 * in sections.
 *
 * Drives and analyses add quantities in SI units and say in which unit they are shown; `capstan check` prints
 * them as text or as JSON from the same list. A quantity may belong to an item ("crank" among the pulleys):
 * a section of items is shown as a table with a row for each.
 *
 * Memory: all texts are copied; a lack of memory is remembered in `exhausted` and nothing is added any more.
 */
#pragma once
#include "base/arena.h"
#include <stdbool.h>

typedef struct cap_summary_quantity {
  const char *item; /* what it belongs to within its section; NULL: the section as a whole */
  const char *name; /* "wrap angle" */
  const char *text; /* NULL: it is a number */
  const char *unit; /* in which `value` is: "deg"; "" = a pure number */
  double value;     /* NAN: not defined here, INFINITY: without limit */
  struct cap_summary_quantity *next;
} cap_summary_quantity;

typedef struct cap_summary_section {
  const char *name;
  bool detail; /* shown only when asked for: solvers, memory, channels */
  cap_summary_quantity *first, *last;
  struct cap_summary_section *next;
} cap_summary_section;

typedef struct cap_summary {
  cap_summary_section *first, *last;
  const char *item; /* of the quantities that follow */
  bool exhausted;
  cap_arena arena;
} cap_summary;

void cap_summary_free(cap_summary *s); /* accepts a zeroed one */

/* The quantities that follow belong to this section, and to no item of it. */
void cap_summary_begin(cap_summary *s, const char *name);
/* The same, of a section that is shown only when asked for. */
void cap_summary_begin_detail(cap_summary *s, const char *name);
/* The quantities that follow belong to this item; NULL: to none. */
void cap_summary_item(cap_summary *s, const char *item);
/* A number given in SI, shown in `unit`: one of those of summary.c, such as mm, deg, rpm, N, N m. */
void cap_summary_number(cap_summary *s, const char *name, const char *unit, double si);
__attribute__((format(printf, 3, 4))) void cap_summary_text(cap_summary *s, const char *name,
                                                            const char *format, ...);

/* A value in SI in one of these units: 1.5708 in "deg" is 90. */
double cap_summary_shown(const char *unit, double si);
/* The same as a text, "90 deg", into `buffer`; returns it. */
char *cap_summary_format(char *buffer, size_t size, const char *unit, double si);
/* Whether the section has items. */
bool cap_summary_has_items(const cap_summary_section *section);
