/* drives/pushbelt/impulses/held.h — rows of the set-valued contacts of a pushbelt, as its elements give them
 * to the solver.
 *
 * Maths:   docs/theory.md §52.4. A row is a relative velocity, linear in the velocities of an element (x, y,
 *          pitch), of the ring and of a pulley; a force along it pushes all of them by the same numbers:
 *            NORMAL   rate of the gap between saddle (or ear) and ring; the force is >= 0
 *            TANGENT  of the element over the ring, forward
 *            FLANK    of the element over the sheave: along the belt against the travel, outward along the
 *                     generatrix, drilling times the lever of pure drilling
 * Who:     ring_guide.c writes the first two, groove.c the others, whenever cap_eval.held is there; the
 *          arrays belong to pushbelt_impulses.c.
 */
#pragma once
#include "drives/pushbelt/ring/ring_crowd.h"

enum {
  CAP_HELD_NORMAL,
  CAP_HELD_TANGENT,
  CAP_HELD_FLANK, /* the first of three */
  CAP_HELD_ROWS = 5
};
enum { CAP_HELD_RING_ROWS = 2, CAP_HELD_FLANK_ROWS = 3, CAP_HELD_COORDS = 3 };

typedef struct cap_held {
  double ahead; /* s: half a step. Rows are turned to where they will be then, at the middle of the step */
  /* all arrays [n] in whole groups of ring_crowd.h */
  double *arm[CAP_HELD_ROWS][CAP_HELD_COORDS]; /* of x, y, pitch */
  double *turning[CAP_HELD_ROWS]; /* m/s2, of each H: what the velocity at the step's end misses as the row
                                     goes on turning */
  /* on the ring: links of its chain of blocks, see cap_ring_crowd_rows */
  const cap_ring *ring;
  int *link;
  double (*on_ring[CAP_HELD_RING_ROWS])[CAP_RING_CROWD_ROW];
  double *travel[CAP_HELD_RING_ROWS], *ratio[CAP_HELD_RING_ROWS];
  double *gap;        /* m, of NORMAL */
  double *side;       /* 1: that of the saddle; -1: of the ear */
  double *limit_ring; /* N of TANGENT; where NORMAL is a row: mu */
  double *section;    /* CAP_VARIATOR_IN_* by which losses on the ring are counted */
  /* in the groove */
  int *pulley;
  double *limit_flank;                    /* N of both flanks; 0: touches no pulley */
  double *on_pulley[CAP_HELD_FLANK_ROWS]; /* rotation, closing, rotation */
} cap_held;

/* Inner states of an element of a held type: the forces along its rows, then the rows' velocities as they
 * were predicted, from which the next search starts; one after the other, [state][n]. */
enum { CAP_HELD_GUIDE_NSTATE = 2 * CAP_HELD_RING_ROWS };
