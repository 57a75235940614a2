/* hb/hb_output.h — what a periodic solution looks like: channels over the period, their means, root mean
 * squares, extremes and harmonics.
 *
 * Every channel of the model can be asked for; element forces and sliders come from the same samples that the
 * balance used. Extremes are refined by a parabola through three samples.
 */
#pragma once
#include "hb/hb.h"

typedef struct cap_hb_output {
  double mean, rms_ac, rms_total, low, high;
} cap_hb_output;

typedef struct cap_hb_wave {
  int nsample;
  double *values; /* [nchannel][nsample] over one base period from its start */
  cap_arena arena;
} cap_hb_wave;

/* Channels channel[nchannel] (numbers in the model) at a solution x; free the arena of the wave. */
cap_status cap_hb_output_wave(cap_hb *hb, const double *x, double angular_frequency, int nchannel,
                              const int *channel, cap_hb_wave *wave, cap_error *error);
/* Numbers of samples over a period. */
cap_hb_output cap_hb_output_of(int nsample, const double *values);
/* Energy over the period, about that of the state at_rest[nstate] (q, v, x): kinetic and stored, less the
 * work of constant loads, so that it is constant for conservative systems. */
cap_status cap_hb_output_energy(cap_hb *hb, const double *x, double angular_frequency, const double *at_rest,
                                cap_hb_output *energy, cap_error *error);
/* Amplitude and phase (value = amplitude cos(h theta - phase)) of harmonic h of samples. */
void cap_hb_output_harmonic(int nsample, const double *values, int h, double *amplitude, double *phase);
/* The state (q, v, x) of the model at the start of the period, [nstate]: where a time integration starts. */
cap_status cap_hb_output_state(cap_hb *hb, const double *x, double angular_frequency, double *y,
                               cap_error *error);
/* The same at `count` equidistant instants from the start on, states[count][nstate]; count divides
 * hb->nsample. */
cap_status cap_hb_output_states(cap_hb *hb, const double *x, double angular_frequency, int count,
                                double *states, cap_error *error);
