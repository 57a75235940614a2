/* laws/hydraulic.h — plunger over an oil chamber with a leak gap and a check valve.
 *
 * Maths: docs/theory.md §30.2. f is the force of the oil on the plunger, positive under pressure, z' the
 * speed with which the plunger is pressed in, q the speed that the flow out of the chamber allows:
 *   f' = k (z' - q(f)),   q = f/c_leak - o(-f)/c_valve
 * The valve lets oil in only: o is 0 below the opening force, then grows over the width `blend` to the slope
 * 1 (a parabola, so that q has a slope everywhere). f q >= 0: it only loses.
 */
#pragma once

typedef struct capm_hydraulic {
  double stiffness; /* N/m: k, of the oil in the chamber */
  double leak;      /* N s/m: c_leak, of the gap */
  double valve;     /* N s/m: c_valve, of the open valve */
  double opening;   /* N of suction at which the valve begins to open */
  double blend;     /* N, above 0: over which it opens */
} capm_hydraulic;

/* m/s: what comes in through the valve, not negative; its slope to f in *slope, not positive. */
static inline double capm_hydraulic_refill(const capm_hydraulic *p, double f, double *slope)
{
  double over = -f - p->opening, part = over < p->blend ? over / p->blend : 1.0;
  part = over > 0.0 ? part : 0.0;
  *slope = -part / p->valve;
  return part * (part < 1.0 ? 0.5 * over : over - 0.5 * p->blend) / p->valve;
}

/* m/s: q, and its slope to f, which is positive. */
static inline double capm_hydraulic_flow(const capm_hydraulic *p, double f, double *slope)
{
  double refill_slope, refill = capm_hydraulic_refill(p, f, &refill_slope);
  *slope = 1.0 / p->leak - refill_slope;
  return f / p->leak - refill;
}
