/* drives/pushbelt/carry/variator_carry_store.c — states of belts as arrays, and whether they fit: see
 * variator_carry.h. */
#include "base/whole.h"
#include "drives/pushbelt/carry/variator_carry_part.h"
#include "drives/pushbelt/contact/groove.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1, NHEAD = CAP_VARIATOR_CARRY_NHEAD, NCOLUMN = CAP_VARIATOR_CARRY_NCOLUMN };

const cap_column cap_variator_carry_store_columns[CAP_VARIATOR_CARRY_ARRAYS] = {
    {"end.drive", "SI", "final state for a state transfer: belt, centre line and internal variables"},
    {"end.elements", "SI", "final state for a state transfer: elements along the centre line"},
    {"end.rest", "SI",
     "final state for a state transfer: coordinates of pulleys and ring relative to the start, velocities"}};

/* ---- what there is ------------------------------------------------------------------------------------- */

bool cap_variator_carry_store_is_element(const cap_variator *v, int coordinate)
{
  const int first[] = {v->x, v->y, v->pitch};
  for (int k = 0; k < 3; k++)
    if (coordinate >= first[k] && coordinate < first[k] + v->simulated) return true;
  return false;
}

cap_variator_carry_layout cap_variator_carry_store_layout_of(const cap_model *m)
{
  const cap_variator *v = cap_variator_of(m);
  cap_variator_carry_layout l = {.sections = -1, .nrest = m->nv - 3 * v->simulated};
  for (int i = 0; i < m->nbatch; i++) {
    const cap_batch *b = &m->batches[i];
    if (b->type == cap_groove_type_of(v)) l.sections = cap_groove_sections(b);
    if (b->n == v->simulated && b->type->nstate && l.nbatch < CAP_VARIATOR_CARRY_BATCHES) {
      l.batch[l.nbatch++] = i;
      l.nstate += b->type->nstate;
    } else
      for (int k = 0; k < b->n * b->type->nstate && l.nother < CAP_VARIATOR_CARRY_OTHERS; k++)
        l.other[l.nother++] = b->x_adr + k;
  }
  return l;
}

/* Of the number that a file has. */
static const char *ring_name(int model)
{
  for (int k = 0; cap_ring_names[k]; k++)
    if (k == model) return cap_ring_names[k];
  return "unknown";
}

/* Models whose nodes carry no material with them: "a and b". */
static void list_flowing(char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (int k = 0; cap_ring_types[k]; k++)
    if (cap_ring_types[k]->flows && used < size)
      used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " and " : "", cap_ring_names[k]);
}

/* ---- arrays -------------------------------------------------------------------------------------------- */

static void fill_head(const cap_model *m, const cap_variator_carry_layout *l, double *head)
{
  const cap_variator *v = cap_variator_of(m);
  const double of[NHEAD] = {[CAP_VARIATOR_CARRY_FORMAT] = FORMAT,
                            [CAP_VARIATOR_CARRY_SIMULATED] = v->simulated,
                            [CAP_VARIATOR_CARRY_REAL] = v->real,
                            [CAP_VARIATOR_CARRY_RATIO] = v->begun.ratio,
                            [CAP_VARIATOR_CARRY_SPEED] = v->load.speed,
                            [CAP_VARIATOR_CARRY_STACK] = cap_variator_geometry_joints(v),
                            [CAP_VARIATOR_CARRY_CENTRE_DISTANCE] = v->centre_distance,
                            [CAP_VARIATOR_CARRY_WEDGE] = v->wedge,
                            [CAP_VARIATOR_CARRY_THICKNESS] = v->element.thickness,
                            [CAP_VARIATOR_CARRY_RING_LENGTH] = v->ring_length,
                            [CAP_VARIATOR_CARRY_RING_MODEL] = cap_ring_number(v->laid.model),
                            [CAP_VARIATOR_CARRY_RING_NODES] = v->laid.nodes,
                            [CAP_VARIATOR_CARRY_RING_GRADED] = v->laid.mesh != NULL,
                            [CAP_VARIATOR_CARRY_LAID_LENGTH] = v->laid.length,
                            [CAP_VARIATOR_CARRY_LAID_DISTANCE] = v->laid.centre_distance,
                            [CAP_VARIATOR_CARRY_LAID_THETA] = v->laid.theta,
                            [CAP_VARIATOR_CARRY_STATES] = l->nstate,
                            [CAP_VARIATOR_CARRY_REST] = l->nrest,
                            [CAP_VARIATOR_CARRY_NOTHER] = l->nother};
  memcpy(head, of, sizeof of);
}

cap_status cap_variator_carry_store_make(const cap_model *m, const cap_variator_carry_layout *l,
                                         const cap_data *d, cap_variator_carry *belt, cap_error *error)
{
  int n = cap_variator_of(m)->simulated;
  belt->drive = calloc((size_t)NHEAD + (size_t)l->nother, sizeof(double));
  belt->elements = calloc((size_t)(NCOLUMN + l->nstate) * (size_t)n, sizeof(double));
  belt->rest = calloc(2 * (size_t)l->nrest + 1, sizeof(double));
  if (!belt->drive || !belt->elements || !belt->rest) {
    cap_variator_carry_store_free(belt);
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  }
  fill_head(m, l, belt->drive);
  for (int k = 0; k < l->nother; k++) belt->drive[NHEAD + k] = d->x[l->other[k]];
  double *to = belt->elements + (size_t)NCOLUMN * (size_t)n;
  for (int i = 0; i < l->nbatch; i++) {
    const cap_batch *b = &m->batches[l->batch[i]];
    size_t count = (size_t)n * (size_t)b->type->nstate;
    memcpy(to, d->x + b->x_adr, sizeof(double) * count);
    to += count;
  }
  for (int k = 0, at = 0; k < m->nv; k++) {
    if (cap_variator_carry_store_is_element(cap_variator_of(m), k)) continue;
    belt->rest[at] = d->q[k] - m->initial[k];
    belt->rest[l->nrest + at++] = d->v[k];
  }
  return CAP_OK;
}

void cap_variator_carry_store_free(cap_variator_carry *belt)
{
  free(belt->drive);
  free(belt->elements);
  free(belt->rest);
  *belt = (cap_variator_carry){0};
}

cap_status cap_variator_carry_store_put(const cap_variator_carry *belt, cap_sink *sink)
{
  const double *head = belt->drive;
  int64_t drive = NHEAD + (int64_t)head[CAP_VARIATOR_CARRY_NOTHER];
  int64_t elements[] = {NCOLUMN + (int64_t)head[CAP_VARIATOR_CARRY_STATES],
                        (int64_t)head[CAP_VARIATOR_CARRY_SIMULATED]};
  int64_t rest[] = {2, (int64_t)head[CAP_VARIATOR_CARRY_REST]};
  const cap_column *c = cap_variator_carry_store_columns;
  CAP_TRY(sink->array(sink, c[0], 1, &drive, NULL, belt->drive));
  CAP_TRY(sink->array(sink, c[1], 2, elements, NULL, belt->elements));
  return sink->array(sink, c[2], 2, rest, NULL, belt->rest);
}

/* As many numbers as the head says, all of them finite, places in order. */
static bool sound(double *const values[], const int64_t counts[])
{
  const double *head = values[0];
  if (counts[0] < NHEAD || head[CAP_VARIATOR_CARRY_FORMAT] != FORMAT) return false;
  for (int a = 0; a < CAP_VARIATOR_CARRY_ARRAYS; a++)
    for (int64_t k = 0; k < counts[a]; k++)
      if (!isfinite(values[a][k]) || (a == 0 && fabs(values[a][k]) > 1e12)) return false;
  double n = head[CAP_VARIATOR_CARRY_SIMULATED], rows = NCOLUMN + head[CAP_VARIATOR_CARRY_STATES];
  if (!(n >= 8.0 && rows >= NCOLUMN) || head[CAP_VARIATOR_CARRY_SPEED] == 0.0 ||
      head[CAP_VARIATOR_CARRY_STACK] < 1.0)
    return false;
  if ((double)counts[0] != NHEAD + head[CAP_VARIATOR_CARRY_NOTHER] || (double)counts[1] != n * rows ||
      (double)counts[2] != 2.0 * head[CAP_VARIATOR_CARRY_REST])
    return false;
  for (int k = 1; k < (int)n; k++)
    if (!(values[1][k] >= values[1][k - 1])) return false;
  return true;
}

cap_status cap_variator_carry_store_adopt(double *const values[CAP_VARIATOR_CARRY_ARRAYS],
                                          const int64_t counts[CAP_VARIATOR_CARRY_ARRAYS],
                                          cap_variator_carry *belt, cap_error *error)
{
  *belt = (cap_variator_carry){values[0], values[1], values[2]};
  if (sound(values, counts)) return CAP_OK;
  cap_variator_carry_store_free(belt);
  return cap_status_fail(
      error, CAP_ERR_INPUT,
      "not a readable final state of a variator; expected the result of a transient or stationary run");
}

/* ---- what fits ----------------------------------------------------------------------------------------- */

static cap_status fit_number(const cap_variator_carry *belt, int which, double here, double within,
                             const char *what, cap_error *error)
{
  double there = belt->drive[which];
  if (fabs(there - here) <= within * fabs(here)) return CAP_OK;
  return cap_status_fail(error, CAP_ERR_INPUT, "different %s; expected %.8g as in this model, got %.8g", what,
                         here, there);
}

cap_status cap_variator_carry_store_fits(const cap_variator_carry *belt, const cap_model *m, cap_error *error)
{
  const cap_variator *v = cap_variator_of(m);
  const double *head = belt->drive;
  if (!v) return cap_status_fail(error, CAP_ERR_INPUT, "requires a pushbelt; expected drive: variator");
  cap_variator_carry_layout l = cap_variator_carry_store_layout_of(m);
  int model = capm_whole_between(head[CAP_VARIATOR_CARRY_RING_MODEL], -1, INT_MAX);
  if (model != cap_ring_number(v->laid.model))
    return cap_status_fail(error, CAP_ERR_INPUT, "different ring model; expected %s as in this model, got %s",
                           v->laid.model, ring_name(model));
  if (head[CAP_VARIATOR_CARRY_RING_NODES] != v->laid.nodes ||
      head[CAP_VARIATOR_CARRY_RING_GRADED] != (v->laid.mesh != NULL))
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "different mesh of the ring; expected %d nodes, %s, as in this model, got %g nodes, %s",
        v->laid.nodes, v->laid.mesh ? "graded" : "uniform", head[CAP_VARIATOR_CARRY_RING_NODES],
        head[CAP_VARIATOR_CARRY_RING_GRADED] != 0.0 ? "graded" : "uniform");
  CAP_TRY(fit_number(belt, CAP_VARIATOR_CARRY_REAL, v->real, 0.0, "number of real elements", error));
  CAP_TRY(fit_number(belt, CAP_VARIATOR_CARRY_CENTRE_DISTANCE, v->centre_distance, 1e-9,
                     "centre distance in m", error));
  CAP_TRY(fit_number(belt, CAP_VARIATOR_CARRY_WEDGE, v->wedge, 1e-9, "half wedge angle in rad", error));
  CAP_TRY(fit_number(belt, CAP_VARIATOR_CARRY_THICKNESS, v->element.thickness, 1e-9, "element thickness in m",
                     error));
  CAP_TRY(fit_number(belt, CAP_VARIATOR_CARRY_RING_LENGTH, v->ring_length, 1e-9,
                     "free length of the ring in m", error));
  CAP_TRY(fit_number(belt, CAP_VARIATOR_CARRY_RATIO, v->begun.ratio, CAP_VARIATOR_CARRY_NEIGHBOUR, "ratio",
                     error));
  /* nodes that carry material with them lie where they lie */
  bool flows = cap_ring_find(v->laid.model)->flows;
  char others[80];
  list_flowing(others, sizeof others);
  if (!flows && (head[CAP_VARIATOR_CARRY_LAID_LENGTH] != v->laid.length ||
                 head[CAP_VARIATOR_CARRY_LAID_THETA] != v->laid.theta))
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "different loads at the start; expected the same, since the nodes of a ring of the "
        "model %s move with the material; those of %s do not",
        v->laid.model, others);
  if (head[CAP_VARIATOR_CARRY_REST] != l.nrest || head[CAP_VARIATOR_CARRY_STATES] != l.nstate ||
      head[CAP_VARIATOR_CARRY_NOTHER] != l.nother)
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "different contacts or prescribed motions of the pulleys; expected %d, %d and %d "
                           "states as in this model, got %g, %g and %g",
                           l.nrest, l.nstate, l.nother, head[CAP_VARIATOR_CARRY_REST],
                           head[CAP_VARIATOR_CARRY_STATES], head[CAP_VARIATOR_CARRY_NOTHER]);
  return CAP_OK;
}
