/* drives/pushbelt/ring/ring_ale_tangent.c — exact derivatives of the forces of the `ale` ring; see
 * ring_ale.h.
 *
 * The same code of an element (ring_ale_element.h) runs with complex numbers: an imaginary step of 1e-100
 * times a direction gives the derivative along it in the imaginary part, to the last digit and without a
 * difference. An element knows 8 positions, 8 velocities, Theta, s' and Theta': 19 runs make its matrix,
 * which then meets the columns.
 */
#include "drives/pushbelt/ring/ring_ale.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#define NUM         double complex
#define NUM_NAME(x) turned_##x
#define NUM_SIN     csin
#define NUM_COS     ccos
#define NUM_SQRT    csqrt
#define NUM_REAL(x) creal(x)
#include "drives/pushbelt/ring/ring_ale_element.h"

enum { LOCAL = CAP_RING_ALE_LOCAL, ROWS = LOCAL + 2, DIRECTIONS = 2 * LOCAL + 3 };
enum { TO_THETA = 2 * LOCAL, TO_SPEED, TO_RATIO_SPEED };

static const double tiny = 1e-100;

typedef struct element_tangent {
  double k[ROWS][DIRECTIONS];
} element_tangent;

static void differentiate(const cap_ring_ale *a, const turned_frame f[2], int e, turned_motion *m,
                          element_tangent *out)
{
  NUM *const numbers[DIRECTIONS] = {&m->q[0], &m->q[1], &m->q[2], &m->q[3], &m->q[4], &m->q[5], &m->q[6],
                                    &m->q[7], &m->v[0], &m->v[1], &m->v[2], &m->v[3], &m->v[4], &m->v[5],
                                    &m->v[6], &m->v[7], NULL,     &m->u,    &m->w};
  for (int d = 0; d < DIRECTIONS; d++) {
    turned_answer answer = {0};
    NUM kept = numbers[d] ? *numbers[d] : 0.0;
    if (numbers[d]) *numbers[d] += I * tiny;
    turned_element(a, &f[d == TO_THETA], e, m, &answer);
    if (numbers[d]) *numbers[d] = kept;
    for (int r = 0; r < LOCAL; r++) out->k[r][d] = cimag(answer.f[r]) / tiny;
    out->k[LOCAL][d] = cimag(answer.s) / tiny;
    out->k[LOCAL + 1][d] = cimag(answer.theta) / tiny;
  }
}

static void add_columns(const cap_eval *e, const element_tangent *t, const int row[ROWS],
                        const int column[DIRECTIONS])
{
  int n = e->ncol;
  for (int d = 0; d < DIRECTIONS; d++) {
    if (column[d] < 0) continue;
    const double *along = d < LOCAL || d == TO_THETA ? e->dq + column[d] * n : e->dv + column[d] * n;
    for (int c = 0; c < n; c++) {
      if (along[c] == 0.0) continue;
      for (int r = 0; r < ROWS; r++)
        if (row[r] >= 0) e->dh[row[r] * n + c] += t->k[r][d] * along[c];
    }
  }
}

void cap_ring_ale_tangent_add(const cap_ring_ale *a, cap_eval *e)
{
  cap_ring_frame frame;
  turned_frame f[2];
  turned_motion m;
  double w, u = cap_ring_ale_speed(a, e->v, &w), local[LOCAL];
  cap_ring_reference_at(&a->ref, cap_ring_ale_theta(a, e->q), &frame);
  turned_load_frame(&frame, 0.0, &f[0]);
  turned_load_frame(&frame, I * tiny, &f[1]);
  m.u = u;
  m.w = w;
  for (int k = 0; k < a->n; k++) {
    element_tangent t;
    int row[ROWS], column[DIRECTIONS];
    cap_ring_ale_local(a, e->q, k, local);
    for (int i = 0; i < LOCAL; i++) m.q[i] = local[i];
    cap_ring_ale_local(a, e->v, k, local);
    for (int i = 0; i < LOCAL; i++) m.v[i] = local[i];
    differentiate(a, f, k, &m, &t);
    for (int i = 0; i < LOCAL; i++) row[i] = column[i] = column[LOCAL + i] = cap_ring_ale_coordinate(a, k, i);
    row[LOCAL] = column[TO_SPEED] = a->travel;
    row[LOCAL + 1] = column[TO_THETA] = column[TO_RATIO_SPEED] = a->ratio;
    add_columns(e, &t, row, column);
  }
}
