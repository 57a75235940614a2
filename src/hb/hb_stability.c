/* hb/hb_stability.c — see hb_stability.h. */
#include "hb/hb_stability.h"
#include "hb/hb_flow.h"
#include "linalg/eigen.h"
#include "linalg/multipliers.h"

#include <math.h>
#include <stdlib.h>

static bool turns_alone(const cap_hb *hb, int place)
{
  const cap_model *m = hb->m;
  int group = -1, members = 0;
  for (int i = 0; i < m->nv; i++)
    if (hb->linear->place[i] == place) group = m->cyclic[i];
  for (int i = 0; i < m->nv; i++) members += m->cyclic[i] == group;
  return hb->linear->drifts[place] && members == 1;
}

static bool is_kept(const cap_hb *hb, int state)
{
  int nfree = hb->linear->nfree, massive = nfree - hb->linear->nstate;
  if (state < nfree) return !turns_alone(hb, state);
  return state < nfree + massive || state >= 2 * nfree;
}

cap_status cap_hb_stability_create(const cap_hb *hb, cap_hb_stability **out, cap_error *error)
{
  int n = cap_hb_flow_states(hb);
  *out = NULL;
  if (n > CAP_HB_FLOW_MOST)
    return cap_status_fail(
        error, CAP_ERR_UNSUPPORTED,
        "%d states are too many for the stability of an orbit; expected at most %d; set stability: false", n,
        CAP_HB_FLOW_MOST);
  cap_hb_stability *s = calloc(1, sizeof *s);
  if (!s) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  s->nflow = n;
  s->kept = CAP_ARENA_NEW(&s->arena, int, n);
  for (int k = 0; s->kept && k < n; k++)
    if (is_kept(hb, k)) s->kept[s->nstate++] = k;
  s->re = CAP_ARENA_NEW(&s->arena, double, n);
  s->im = CAP_ARENA_NEW(&s->arena, double, n);
  s->monodromy = CAP_ARENA_NEW(&s->arena, double, (n * n));
  s->work = CAP_ARENA_NEW(&s->arena, double, cap_hb_flow_work(hb) + capm_eigen_general_work(n));
  if (s->kept && s->re && s->im && s->monodromy && s->work) {
    *out = s;
    return CAP_OK;
  }
  cap_hb_stability_free(s);
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

void cap_hb_stability_free(cap_hb_stability *s)
{
  if (!s) return;
  cap_arena_free(&s->arena);
  free(s);
}

static void leave_out(cap_hb_stability *s)
{
  for (int i = 0; i < s->nstate && s->nstate < s->nflow; i++)
    for (int j = 0; j < s->nstate; j++)
      s->monodromy[i * s->nstate + j] = s->monodromy[s->kept[i] * s->nflow + s->kept[j]];
}

/* Two multipliers from trace and determinant. */
static void eigenvalues_2(const double a[4], double re[2], double im[2])
{
  double half = 0.5 * (a[0] + a[3]), det = a[0] * a[3] - a[1] * a[2], disc = half * half - det;
  double root = sqrt(fabs(disc));
  if (disc < 0.0) {
    re[0] = re[1] = half;
    im[0] = root;
    im[1] = -root;
    return;
  }
  re[0] = half >= 0.0 ? half + root : half - root;
  re[1] = re[0] != 0.0 ? det / re[0] : 0.0;
  im[0] = im[1] = 0.0;
}

cap_status cap_hb_stability_find(cap_hb_stability *s, cap_hb *hb, const double *x, double angular_frequency,
                                 cap_error *error)
{
  double w = angular_frequency / hb->sub;
  CAP_TRY(cap_hb_sample(hb, x, angular_frequency, cap_hb_flow_is_piecewise(hb), error));
  cap_status status;
  if (cap_hb_flow_has_memory(hb)) status = cap_hb_flow_memory(hb, w, s->monodromy, s->work);
  else if (cap_hb_flow_is_piecewise(hb)) status = cap_hb_flow_pieces(hb, w, s->monodromy, s->work);
  else status = cap_hb_flow_smooth(hb, w, s->monodromy, s->work);
  if (status == CAP_OK) leave_out(s);
  if (status == CAP_OK && s->nstate == 2) eigenvalues_2(s->monodromy, s->re, s->im);
  else if (status == CAP_OK)
    status = capm_eigen_general(s->nstate, s->monodromy, s->re, s->im, NULL, s->work);
  if (status != CAP_OK)
    return cap_status_fail(error, status, "the multipliers could not be computed at %.9g rad/s",
                           angular_frequency);
  capm_multipliers_sort(s->nstate, s->re, s->im);
  s->largest = s->nstate ? hypot(s->re[0], s->im[0]) : 0.0;
  return CAP_OK;
}
