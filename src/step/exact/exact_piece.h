/* step/exact/exact_piece.h — the motion between two events in closed form (inside of exact.c).
 *
 * A piece is begun at a state and then evaluated at local times tau in [0, length]: the state, the flow's
 * derivative, and curves (linear outputs) with derivatives and bounds.
 */
#pragma once
#include "step/exact/exact_regime.h"

cap_status cap_exact_piece_allocate(cap_exact *e);
cap_status cap_exact_piece_curve(cap_exact *e, cap_exact_curve *curve);

/* Begin at time t, for at most `length` (shortened for Taylor series). The flags tell the regime. */
cap_status cap_exact_piece_begin(cap_exact *e, double t, double length, const double *y, const int *flags);
/* Evaluate the exponentials at tau; what follows refers to that tau. */
void cap_exact_piece_at(cap_exact *e, double tau);
/* y at tau (after cap_exact_piece_at). */
void cap_exact_piece_state(const cap_exact *e, double tau, double *y);
/* tangent := derivative of the state at tau by the state at the start, times tangent (after ..._at). */
void cap_exact_piece_tangent(cap_exact *e, double tau, double *tangent);

/* Complete the derivatives of a curve from p, r of order 0 (modal pieces). */
void cap_exact_piece_derive(const cap_exact_piece *piece, cap_exact_curve *curve);
/* Derivative 0 to 3 of a curve at tau (after ..._at). */
double cap_exact_piece_value(const cap_exact_piece *piece, const cap_exact_curve *curve, double tau,
                             int order);
/* A bound on the modulus of that derivative (order 0: without the constant; up to 4) for all later times of
 * the piece (modal: up to tau + cap_exact_piece_horizon). */
double cap_exact_piece_bound(const cap_exact_piece *piece, const cap_exact_curve *curve, int order);
/* The error that rounding has left in that derivative (sliders only; order 0 to 3). */
double cap_exact_piece_rounding(const cap_exact_piece *piece, const cap_exact_curve *curve, int order);
/* Longest step for which bounds hold; infinite unless a mode grows. */
double cap_exact_piece_horizon(const cap_exact_piece *piece);
