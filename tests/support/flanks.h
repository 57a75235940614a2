/* Flanks on the arc of a pulley with the public influence numbers, for tests and benchmarks of the coupled
 * contact: the sheaves of the variator's reference (loose and fixed), and contacts on an arc. */
#pragma once
#include "drives/pushbelt/contact/maxwell.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static inline cap_influence flanks_sheave(bool fixed)
{
  cap_influence loose = {.tilt = 9e-7,
                         .plate = {2.4e-9, 3.2e-9, 1.6e-9, 0.7e-9, 0.3e-9, 0.16e-9},
                         .inner = 0.020,
                         .outer = 0.078};
  cap_influence other = {.tilt = 5e-7,
                         .plate = {1.4e-9, 2.0e-9, 1.0e-9, 0.4e-9, 0.2e-9, 0.1e-9},
                         .inner = 0.020,
                         .outer = 0.078};
  return fixed ? other : loose;
}

static inline cap_maxwell flanks_pulley(bool coupled, cap_maxwell_form form)
{
  return (cap_maxwell){
      .sheave = {flanks_sheave(false), flanks_sheave(true)}, .coupled = coupled, .form = form};
}

/* n contacts with room for their forces and a solver's memory. */
typedef struct flanks {
  int n;
  double *r, *phi, *compliance, *penetration[2], *force[2], *deflection[2];
  double *memory;
} flanks;

static inline void flanks_free(flanks *f)
{
  free(f->r);
  free(f->memory);
  *f = (flanks){0};
}

static inline flanks flanks_create(const cap_maxwell *m, int n)
{
  size_t count = (size_t)n;
  double *block = calloc(9 * count, sizeof *block);
  flanks f = {.n = n, .r = block, .memory = calloc(cap_maxwell_room(m, n), sizeof(double))};
  if (!block || !f.memory) abort();
  f.phi = block + count, f.compliance = block + 2 * count;
  for (int side = 0; side < 2; side++) {
    f.penetration[side] = block + (3 + (size_t)side) * count;
    f.force[side] = block + (5 + (size_t)side) * count;
    f.deflection[side] = block + (7 + (size_t)side) * count;
  }
  return f;
}

static inline cap_maxwell_contacts flanks_contacts(const flanks *f)
{
  return (cap_maxwell_contacts){.n = f->n,
                                .r = f->r,
                                .phi = f->phi,
                                .compliance = f->compliance,
                                .penetration = {f->penetration[0], f->penetration[1]}};
}

static inline cap_status flanks_solve(const cap_maxwell *m, flanks *f, cap_maxwell_result *result)
{
  cap_maxwell_contacts c = flanks_contacts(f);
  *result = (cap_maxwell_result){.force = {f->force[0], f->force[1]},
                                 .deflection = {f->deflection[0], f->deflection[1]}};
  return cap_maxwell_solve(m, &c, f->n, f->memory, result);
}

static inline double flanks_draw(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

/* A random arc: flanks at random radii on a random wrap, pressed by `mean` +- `spread` (m, of both flanks),
 * with a stiffness between 1e6 and 1e8 N/m. */
static inline void flanks_scatter(const cap_maxwell *m, flanks *f, uint64_t *seed, double mean, double spread)
{
  double wrap = 2.0 + 2.0 * flanks_draw(seed), radius = 0.03 + 0.045 * flanks_draw(seed);
  double stiffness = 1e6 * pow(100.0, flanks_draw(seed));
  for (int i = 0; i < f->n; i++) {
    double p = mean + spread * (2.0 * flanks_draw(seed) - 1.0);
    f->r[i] = radius * (1.0 + 0.01 * flanks_draw(seed));
    f->phi[i] = wrap * ((i + 0.5) / f->n - 0.5);
    f->compliance[i] = (m->coupled ? 2.0 : 1.0) / stiffness;
    f->penetration[0][i] = m->coupled ? p : 0.5 * p;
    f->penetration[1][i] = 0.5 * p + (m->coupled ? 0.0 : 0.1 * spread * flanks_draw(seed));
  }
}
