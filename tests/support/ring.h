/* tests/support/ring.h — rings built without a model file. Include after system.h. */
#pragma once
#include "drives/pushbelt/ring/ring.h"
#include "model/builder.h"

typedef struct test_ring {
  test_system s;
  const cap_ring *ring;
} test_ring;

#define TEST_RING_LENGTH 0.6670139 /* m, of the reference ring */

/* The reference ring: 2 packs of 9 layers of maraging steel. */
static inline cap_ring_shape test_ring_reference(const char *model, int nodes)
{
  cap_ring_shape shape = {
      .model = model,
      .name = "ring",
      .section = {.layers = 9, .packs = 2, .thickness = 0.185e-3, .width = 9.75e-3, .modulus = 1.8e11},
      .length = TEST_RING_LENGTH,
      .nodes = nodes};
  cap_ring_section_fill(&shape.section, 8000.0);
  return shape;
}

static inline test_ring test_ring_build(const cap_ring_shape *shape)
{
  test_ring t = {0};
  cap_error error = {0};
  cap_builder *b = cap_builder_create(1);
  assert_non_null(b);
  if (!(t.ring = cap_ring_build(b, shape, &error))) fail_msg("%s", error.text);
  if (cap_builder_finish(b, &t.s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(t.s.d = cap_data_create(t.s.m));
  return t;
}

/* The lowest natural frequencies (Hz) about the state in the data, of all free coordinates; returns their
 * number. */
static inline int test_ring_frequencies(const test_ring *t, double *hertz)
{
  const cap_model *m = t->s.m;
  int nv = m->nv;
  double *K = calloc((size_t)(3 * nv * nv), sizeof *K), *C = K + nv * nv, *M = C + nv * nv;
  double *work = calloc((size_t)m->ninertia_work + 1, sizeof *work);
  cap_error error = {0};
  assert_non_null(K);
  assert_non_null(work);
  assert_int_equal(cap_equilibrium_stiffness(m, t->s.d, false, K, C, &error), nv);
  assert_true(cap_inertia_factor(m, t->s.d->q, work));
  cap_inertia_matrix(m, work, M);
  assert_int_equal(capm_eigen_symmetric(nv, K, M, hertz, NULL), CAP_OK);
  for (int k = 0; k < nv; k++) hertz[k] = hertz[k] > 0.0 ? sqrt(hertz[k]) / (2.0 * M_PI) : 0.0;
  free(K);
  free(work);
  return nv;
}

/* The same over two pulleys. */
static inline cap_ring_shape test_ring_oval(const char *model, int nodes)
{
  cap_ring_shape shape = test_ring_reference(model, nodes);
  shape.centre_distance = 0.155;
  return shape;
}

/* The public ring: 1 m long, 0.2 m between the axes, 2 m wide and 10 mm high, steel. */
static inline cap_ring_shape test_ring_public(const char *model, int nodes)
{
  cap_ring_shape shape = {
      .model = model,
      .name = "ring",
      .section = {.layers = 1, .packs = 1, .thickness = 0.01, .width = 2.0, .modulus = 2.1e11},
      .length = 1.0,
      .centre_distance = 0.2,
      .nodes = nodes};
  cap_ring_section_fill(&shape.section, 7700.0);
  return shape;
}

static inline double test_ring_energy(const test_system *s)
{
  double stored;
  cap_eval e = {.nlane = 1, .t = s->d->t, .q = s->d->q, .v = s->d->v, .x = s->d->x};
  e.inertia_work = s->d->inertia_work;
  cap_model_energy(s->m, &e, &stored);
  return stored;
}
