/* drives/accessory/accessory_drive_segments.h — the accessory drive with its belt as segments: its path at
 * the start.
 *
 * Maths: docs/theory.md §28. The unstretched belt is laid along the path of steady running (§23): on each
 * pulley the arc that sticks, the arc that slips, then the span behind it. Where it is on a pulley it lies as
 * deep in its surface as the contact needs to carry the load.
 */
#pragma once
#include "drives/accessory/accessory_drive.h"

/* A part of the path, with constant stretch or (slip arc) constant friction. */
typedef struct cap_accessory_piece {
  int pulley; /* the arc of that pulley, or the span that leaves it */
  bool arc;
  double from;      /* m of unstretched belt, where it begins */
  double holds;     /* m of unstretched belt in it */
  double turned;    /* rad, from the entry of the pulley to its begin; 0 for a span */
  double effective; /* N at its begin */
  double friction;  /* over a slip arc t' = friction t; 0 = constant */
} cap_accessory_piece;

enum { CAP_ACCESSORY_PIECES = 3 * CAP_ACCESSORY_DRIVE_PULLEYS };

typedef struct cap_accessory_lay {
  const cap_belt *belt;
  const cap_belt_statics *run;
  const double *deep;                       /* [npulley] m/N: penetration over effective tension */
  double sink[CAP_ACCESSORY_DRIVE_PULLEYS]; /* m: how far the surface lies outside of the pitch line */
  int npiece;
  cap_accessory_piece pieces[CAP_ACCESSORY_PIECES];
  double total; /* m of unstretched belt that the path holds */
} cap_accessory_lay;

/* A point of the belt in steady running. */
typedef struct cap_accessory_point {
  double x, y, angle; /* m, rad: counts on along the belt */
  double speed, turn; /* m/s along it, rad/s */
  double effective;   /* N */
  int pulley;         /* that it lies on; -1 = none */
  double friction; /* of the slip arc, signed: + where the belt is pulled forwards over the pulley; else 0 */
} cap_accessory_point;

/* Lay the belt; deep[npulley] must live as long. The surface of each pulley is set outside of its pitch line
 * by the penetration under the mean of its two spans' tensions, so that the belt's line runs where the layout
 * has it. */
void cap_accessory_drive_segments_start_lay(const cap_belt *belt, const cap_belt_statics *run,
                                            const double *deep, cap_accessory_lay *lay);
/* The point at `s` m of the unstretched belt (0 <= s < length0) behind the entry of the first pulley. */
cap_accessory_point cap_accessory_drive_segments_start_point(const cap_accessory_lay *lay, double s);
