/* The oscillator of Kim, Rook and Singh, built directly: case 2 unless the amplitude says otherwise. As the
 * source of models along a sweep of its angular frequency. For tests and benchmarks. */
#pragma once
#include "elements/elements.h"
#include "model/builder.h"

#include <math.h>

typedef struct test_clearance {
  double alpha, sigma, h1, h2;
  int kind;
  double amplitude; /* 0: that of case 2, 0.03 N */
} test_clearance;

static inline cap_status test_clearance_build(void *self, double angular_frequency, cap_model **m,
                                              cap_error *error)
{
  const test_clearance *o = self;
  cap_builder *b = cap_builder_create(1);
  if (!b) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  double sigma = o->sigma > 0.0 ? o->sigma : 100.0;
  capm_clearance law = {
      .kind = o->kind, .sigma = sigma, .width = 0.1745 / sigma, .nstage = 2, .h1 = o->h1, .h2 = o->h2};
  law.at[0] = law.low = -0.1745;
  law.at[1] = law.high = 0.1745;
  law.jump[0] = o->alpha - 1.0;
  law.jump[1] = 1.0 - o->alpha;
  capm_clearance_finish(&law, 1.0);
  double par[CAP_CLEARANCE_NPARAM], link[CAP_LINK_NPARAM] = {0.0, 0.05, 0.0};
  double load[CAP_LOAD_NPARAM] = {0.05, o->amplitude > 0.0 ? o->amplitude : 0.03, angular_frequency, 0.0};
  cap_clearance_params(&law, par);
  cap_term position = {CAP_TERM_Q, 0, 1.0};
  cap_builder_dof(b, "q", "m", 1.0, 0.2245, 0.0);
  cap_builder_element(b, &cap_clearance_type, "gap", 0, CAP_GROUND, par, NULL);
  cap_builder_element(b, &cap_link_type, "damper", 0, CAP_GROUND, link, NULL);
  cap_builder_element(b, &cap_load_type, "load", 0, CAP_GROUND, load, NULL);
  cap_builder_channel(b, "q", "m", "position", 1, &position);
  cap_builder_period(b, 2.0 * M_PI / angular_frequency);
  cap_status status = cap_builder_finish(b, m, error);
  cap_builder_free(b);
  return status;
}
