/* drives/pushbelt/observe/variator_track.c — see variator_track.h. */
#include "drives/pushbelt/observe/variator_track.h"

#include <stdlib.h>
#include <string.h>

enum { TAKEN, HEAD }; /* of `state` */
enum { VALUES = CAP_VARIATOR_QUANTITIES };

static size_t row_size(const cap_variator_track *t)
{
  return 1 + (size_t)t->nelement * (1 + VALUES);
}

/* The slot of a row that counts from the oldest kept. */
static double *slot(const cap_variator_track *t, int row)
{
  int64_t taken = (int64_t)t->state[TAKEN];
  int64_t first = taken > t->slots ? taken - t->slots : 0;
  return t->state + HEAD + (size_t)((first + row) % t->slots) * row_size(t);
}

cap_status cap_variator_track_create(cap_variator_track *t, int n, int nelement, int slots, cap_error *error)
{
  if (nelement > n) nelement = n;
  *t = (cap_variator_track){.nelement = nelement, .slots = slots};
  t->count = HEAD + (int64_t)slots * (int64_t)row_size(t);
  t->element = calloc((size_t)nelement, sizeof *t->element);
  t->state = calloc((size_t)t->count, sizeof(double));
  if (!t->element || !t->state) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int j = 0; j < nelement; j++) t->element[j] = (int)((int64_t)j * n / nelement);
  return CAP_OK;
}

void cap_variator_track_free(cap_variator_track *t)
{
  free(t->element);
  free(t->state);
  *t = (cap_variator_track){0};
}

void cap_variator_track_take(cap_variator_track *t, const cap_variator_sample *s)
{
  t->state[TAKEN] += 1.0;
  double *to = slot(t, cap_variator_track_rows(t) - 1);
  *to++ = s->t;
  for (int j = 0; j < t->nelement; j++) *to++ = s->section[t->element[j]];
  for (int j = 0; j < t->nelement; j++)
    for (int k = 0; k < VALUES; k++) *to++ = s->value[k][t->element[j]];
}

int cap_variator_track_rows(const cap_variator_track *t)
{
  return t->state[TAKEN] > t->slots ? t->slots : (int)t->state[TAKEN];
}

double cap_variator_track_time(const cap_variator_track *t, int row)
{
  return slot(t, row)[0];
}

double cap_variator_track_section(const cap_variator_track *t, int row, int element)
{
  return slot(t, row)[1 + element];
}

double cap_variator_track_value(const cap_variator_track *t, int row, int element, int quantity)
{
  return slot(t, row)[1 + t->nelement + element * VALUES + quantity];
}

/* Sections are counted on without end: forward by up to two, else backward. */
static int step_between(int before, int now)
{
  int step = (now - before + CAP_VARIATOR_SECTIONS) % CAP_VARIATOR_SECTIONS;
  return step == CAP_VARIATOR_SECTIONS - 1 ? -1 : step;
}

/* Section at a place that counts from that of the last row. */
static int section_at(int last, int place)
{
  return ((last + place) % CAP_VARIATOR_SECTIONS + CAP_VARIATOR_SECTIONS) % CAP_VARIATOR_SECTIONS;
}

/* Backward from the end: `lowest` is the furthest back that the element was seen so far. Where it falls, the
 * element had last been behind the place `lowest`, whose pass began with the row after. */
void cap_variator_track_passes(const cap_variator_track *t, int element, double from,
                               cap_variator_pass passes[CAP_VARIATOR_SECTIONS])
{
  int rows = cap_variator_track_rows(t), place = 0, lowest = 0, next = -1;
  for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++) passes[s] = (cap_variator_pass){0, 0};
  if (rows < 2) return;
  int last = (int)cap_variator_track_section(t, rows - 1, element), now = last;
  for (int row = rows - 2; row >= 0 && cap_variator_track_time(t, row + 1) >= from; row--) {
    int before = (int)cap_variator_track_section(t, row, element);
    place -= step_between(before, now);
    now = before;
    for (; lowest > place; lowest--) {
      cap_variator_pass *pass = &passes[section_at(last, lowest)];
      if (next > row + 1 && pass->to <= pass->from) *pass = (cap_variator_pass){row + 1, next};
      next = row + 1;
    }
  }
}
