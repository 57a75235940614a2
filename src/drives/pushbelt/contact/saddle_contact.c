/* drives/pushbelt/contact/saddle_contact.c — saddle and ear as a contact type. See saddle.h.
 *
 * There is no memory between calls: the search starts at the contact before, or all around the ring. Which
 * coordinates of the ring move its point changes with the state, so the rows name them.
 */
#include "drives/pushbelt/contact/saddle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cap_saddle_point point_of(const cap_contact_batch *b, int k)
{
  const double *par = b->par + k * CAP_SADDLE_CONTACT_NPARAM;
  const int *coord = b->coord + k * CAP_SADDLE_COORDS;
  return (cap_saddle_point){.ring = b->bodies[k],
                            .coord = {coord[0], coord[1], coord[2]},
                            .a = {par[CAP_SADDLE_CONTACT_AX], par[CAP_SADDLE_CONTACT_AY]},
                            .side = par[CAP_SADDLE_CONTACT_SIDE],
                            .half_thick = 0.5 * par[CAP_SADDLE_CONTACT_THICKNESS]};
}

static void fill(const cap_saddle_point *p, const cap_saddle_place *at, cap_contact_rows *rows)
{
  double J[CAP_SADDLE_ROWS][CAP_SADDLE_COORDS];
  int n = cap_saddle_jacobian(p, at, rows->coord, J);
  for (int r = 0; r < CAP_SADDLE_ROWS; r++) memcpy(rows->J[r], J[r], sizeof(double) * (size_t)n);
  for (int c = n; c < CAP_SADDLE_COORDS; c++) rows->coord[c] = rows->coord[0];
  rows->gap[0] = at->gap;
  rows->measure[0] = at->xi;
  rows->measure[1] = at->d;
}

static void saddle_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                        const double *x, cap_contact_rows *rows)
{
  (void)t, (void)x;
  double hint = 0.0; /* neighbours are near */
  for (int k = 0; k < count; k++) {
    cap_saddle_point p = point_of(b, first + k);
    cap_saddle_place at;
    cap_saddle_find(&p, q, &hint, &at);
    if (fabs(at.gap) > 10.0 * p.half_thick) { /* another strand: it was no neighbour */
      hint = 0.0;
      cap_saddle_find(&p, q, &hint, &at);
    }
    fill(&p, &at, &rows[k]);
  }
}

/* J at a place beside, over the coordinates of the rows there: what is not among them is another segment. */
static void add(const cap_contact_rows *rows, const cap_contact_rows *there, double factor, int nvalid,
                cap_contact_rows *drows)
{
  drows->gap[0] += factor * there->gap[0];
  for (int c = 0; c < CAP_SADDLE_COORDS; c++) {
    int at = 0;
    while (at < nvalid && rows->coord[at] != there->coord[c]) at++;
    for (int r = 0; at < nvalid && r < CAP_SADDLE_ROWS; r++) drows->J[r][at] += factor * there->J[r][c];
  }
}

/* Coordinates of the rows before those that repeat the first. */
static int valid(const cap_contact_rows *rows)
{
  int n = 1;
  while (n < CAP_SADDLE_COORDS && rows->coord[n] != rows->coord[0]) n++;
  return n;
}

static double step_of(const cap_saddle_point *p, const cap_contact_rows *rows, const double *dq, int stride)
{
  double most = 0.0;
  for (int c = 0; c < valid(rows); c++)
    most = fmax(most, fmax(fabs(rows->J[0][c]), fabs(rows->J[1][c])) * fabs(dq[rows->coord[c] * stride]));
  most = fmax(most, fmax(fabs(dq[p->coord[0] * stride]), fabs(dq[p->coord[1] * stride])));
  return most > 0.0 ? 1e-7 / most : 0.0;
}

static void turn_one(const cap_saddle_point *p, const double *q, const cap_contact_rows *rows,
                     const double *dq, int stride, double *moved, cap_contact_rows *drows)
{
  const cap_ring *ring = p->ring;
  double step = step_of(p, rows, dq, stride), hint = rows->measure[0] + ring->length;
  for (int side = -1; step > 0.0 && side <= 1; side += 2) {
    cap_contact_rows there = {0};
    cap_saddle_place at;
    for (int i = 0; i < 3; i++) moved[p->coord[i]] = q[p->coord[i]] + side * step * dq[p->coord[i] * stride];
    for (int i = ring->first; i < ring->first + ring->ncoord; i++)
      moved[i] = q[i] + side * step * dq[i * stride];
    cap_saddle_find(p, moved, &hint, &at);
    fill(p, &at, &there);
    add(rows, &there, 0.5 * side / step, valid(rows), drows);
  }
}

static int extent(const cap_saddle_point *p)
{
  int n = p->ring->first + p->ring->ncoord;
  for (int i = 0; i < 3; i++) n = p->coord[i] < n ? n : p->coord[i] + 1;
  return n;
}

static void saddle_turn(const cap_contact_batch *b, int first, int count, double t, const double *q,
                        const double *x, const cap_contact_rows *rows, double dt, const double *dq,
                        const double *dx, int stride, cap_contact_rows *drows)
{
  (void)t, (void)x, (void)dt, (void)dx;
  for (int k = 0; k < count; k++) {
    cap_saddle_point p = point_of(b, first + k);
    double *moved = malloc(sizeof(double) * (size_t)extent(&p));
    memcpy(drows[k].coord, rows[k].coord, sizeof rows[k].coord);
    if (moved) turn_one(&p, q, &rows[k], dq, stride, moved, &drows[k]);
    else drows[k].gap[0] = drows[k].J[0][0] = NAN; /* without memory no derivatives */
    free(moved);
  }
}

const cap_contact_type cap_saddle_contact_type = {
    .name = "saddle",
    .doc = "set-valued contact of saddle or ear of an element with a ring",
    .nparam = CAP_SADDLE_CONTACT_NPARAM,
    .ncoord = CAP_SADDLE_COORDS,
    .nrow = CAP_SADDLE_ROWS,
    .nmeasure = 2,
    .moves = true,
    .normal = true,
    .ngap = 1,
    .lift = {1},
    .row_name = {"normal", "tangential"},
    .rows = saddle_rows,
    .turn = saddle_turn,
};
