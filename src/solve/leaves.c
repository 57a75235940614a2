/* solve/leaves.c — see leaves.h: memory, and Newton's method.
 *
 * Each iteration takes for every row the piece of its law that lambda and xi of now choose (leaves_local.c),
 * solves for the trunk (leaves_trunk.c), and follows it. Steps are whole: with the right pieces, mostly those
 * of the last solution, the next iterate is the solution. Where they wander, leaves_safe.c goes on.
 */
#include "solve/leaves_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = CAP_LEAVES_LANES, ROWS = CAP_LEAVES_ROWS, PAIRS = CAP_LEAVES_PAIRS, ALIGN = 64 };

cap_leaves_settings cap_leaves_settings_default(void)
{
  return (cap_leaves_settings){.tolerance = 1e-6, .floor = 1e-12, .iterations_most = 16, .compliance = 0.0};
}

/* ---- memory -------------------------------------------------------------------------------------------- */

/* Laid out twice: first to count, then in the memory. */
typedef struct layout {
  char *memory;
  size_t used;
} layout;

static void *take(layout *l, size_t size)
{
  void *at = l->memory ? l->memory + l->used : NULL;
  l->used += (size + ALIGN - 1) / ALIGN * ALIGN;
  return at;
}

static void take_each(layout *l, int count, size_t room, double **to)
{
  for (int i = 0; i < count; i++) to[i] = take(l, sizeof(double) * room);
}

static void lay_given(cap_leaves *s, layout *l)
{
  size_t room = (size_t)s->room;
  double **single[] = {&s->inverse_mass, &s->inverse_inertia, &s->limit_ring, &s->limit_flank};
  for (size_t i = 0; i < sizeof single / sizeof *single; i++) take_each(l, 1, room, single[i]);
  for (int i = 0; i < ROWS; i++) take_each(l, CAP_LEAVES_COORDS, room, s->arm[i]);
  take_each(l, ROWS, room, s->c);
  take_each(l, 2, room, s->travel);
  take_each(l, 2, room, s->ratio);
  take_each(l, 3, room, s->of_flank);
  take_each(l, ROWS, room, s->lambda);
  take_each(l, ROWS, room, s->xi);
  s->link = take(l, sizeof(int) * room);
  s->pulley = take(l, sizeof(int) * room);
  for (int i = 0; i < 2; i++) s->ring[i] = take(l, sizeof(*s->ring[i]) * room);
  s->u = take(l, sizeof(double) * (size_t)(4 * s->nblock + CAP_LEAVES_BORDER));
}

static void lay_work(cap_leaves *s, cap_leaves_work *w, layout *l)
{
  size_t room = (size_t)s->room, system = (size_t)capm_bordered_nwork(s->nblock, CAP_LEAVES_BORDER);
  take_each(l, PAIRS, room, w->G);
  take_each(l, PAIRS, room, w->D);
  take_each(l, CAP_LEAVES_KINDS, room, w->rho);
  take_each(l, CAP_LEAVES_KINDS, room, w->root);
  take_each(l, ROWS, room, w->y);
  take_each(l, 1, (size_t)(4 * s->nblock + CAP_LEAVES_BORDER), &w->more);
  take_each(l, 1, (size_t)(4 * s->nblock + CAP_LEAVES_BORDER), &w->push);
  take_each(l, ROWS, room, w->first);
  take_each(l, CAP_LEAVES_CROSSINGS, room, w->crossing);
  take_each(l, ROWS, room, w->centre);
  take_each(l, ROWS, room, w->from);
  take_each(l, ROWS, room, w->xi_from);
  take_each(l, 1, room, &w->side);
  take_each(l, 1, room, &w->limit);
  take_each(l, 1, room, &w->before);
  take_each(l, 1, (size_t)(4 * (s->nblock + 1)), &w->wide);
  double *given = take(l, sizeof(double) * system), *sum = take(l, sizeof(double) * system);
  if (!l->memory) return;
  s->trunk = capm_bordered_on(s->nblock, CAP_LEAVES_BORDER, given);
  w->sum = capm_bordered_on(s->nblock, CAP_LEAVES_BORDER, sum);
}

cap_leaves *cap_leaves_create(int n, int nblock, cap_leaves_kinds kinds, const cap_leaves_settings *settings)
{
  cap_leaves *s = calloc(1, sizeof *s);
  cap_leaves_work *w = calloc(1, sizeof *w);
  if (!s || !w) {
    free(s);
    free(w);
    return NULL;
  }
  s->n = n;
  s->room = (n + LANES - 1) / LANES * LANES;
  s->nblock = nblock;
  s->kinds = kinds;
  s->settings = *settings;
  s->work = w;
  layout l = {0};
  lay_given(s, &l);
  lay_work(s, w, &l);
  size_t size = l.used > 0 ? l.used : ALIGN;
  l = (layout){.memory = aligned_alloc(ALIGN, size)};
  if (!l.memory) {
    cap_leaves_free(s);
    return NULL;
  }
  w->memory = l.memory;
  memset(l.memory, 0, size);
  lay_given(s, &l);
  lay_work(s, w, &l);
  return s;
}

void cap_leaves_free(cap_leaves *s)
{
  if (!s) return;
  if (s->work) free(s->work->memory);
  free(s->work);
  free(s);
}

/* ---- the trunk ----------------------------------------------------------------------------------------- */

int cap_leaves_nblock(const cap_inertia *ring)
{
  return ring->type->chain ? ring->type->chain->nblock(ring) : -1;
}

cap_status cap_leaves_open(cap_leaves *s, const cap_inertia *ring, const double *added, const double *work,
                           const double pulley_mass[4])
{
  const capm_bordered *t = &s->trunk;
  size_t size = 4 * (size_t)s->nblock;
  memset(t->corner, 0, sizeof(double) * CAP_LEAVES_BORDER * CAP_LEAVES_BORDER);
  memset(t->column + 2 * size, 0, sizeof(double) * (CAP_LEAVES_BORDER - 2) * size);
  if (!ring) {
    s->locked[CAP_LEAVES_TRAVEL] = s->locked[CAP_LEAVES_RATIO] = true;
    t->corner[0] = t->corner[CAP_LEAVES_BORDER + 1] = 1.0;
  } else if (!ring->type->chain || !ring->type->chain->load(ring, added, work, t, s->locked))
    return CAP_ERR_UNSUPPORTED;
  for (int i = 0; i < 4; i++) {
    int at = CAP_LEAVES_ROTATION + i;
    s->locked[at] = !(pulley_mass[i] > 0.0) || isinf(pulley_mass[i]);
    t->corner[at * CAP_LEAVES_BORDER + at] = s->locked[at] ? 1.0 : pulley_mass[i];
  }
  return CAP_OK;
}

/* ---- solution ------------------------------------------------------------------------------------------ */

void cap_leaves_forget(cap_leaves *s)
{
  for (int i = 0; i < ROWS; i++) {
    memset(s->lambda[i], 0, sizeof(double) * (size_t)s->room);
    memset(s->xi[i], 0, sizeof(double) * (size_t)s->room);
  }
}

/* What more rows stick than a leaf has coordinates have to share is found through 1/compliance: as soft as
 * double precision needs. Each iteration takes the compliance's effect back up to its square. */
static double compliance_of(const cap_leaves *s)
{
  if (s->settings.compliance > 0.0) return s->settings.compliance;
  return s->kinds.tangent && s->kinds.flank ? 1e-3 : 1e-7;
}

/* From lambda and xi of now; the residual, m/s: NAN, a matrix is not positive definite. */
static double iterate(cap_leaves *s, double enough, int most, int *iterations)
{
  double residual = INFINITY, compliance = compliance_of(s);
  cap_leaves_local_limit(s);
  for (int i = 0; i < most && !(residual <= enough); i++) {
    cap_leaves_local_straighten(s, (cap_leaves_way){false, compliance});
    ++*iterations;
    if (!cap_leaves_trunk_step(s)) return NAN;
    residual = cap_leaves_local_follow(s, false);
    if (!isfinite(residual)) return NAN;
  }
  return residual;
}

cap_status cap_leaves_solve(cap_leaves *s, cap_leaves_stats *stats)
{
  *stats = (cap_leaves_stats){0};
  if (s->n == 0) {
    memset(s->u, 0, sizeof(double) * (size_t)(4 * s->nblock + CAP_LEAVES_BORDER));
    return CAP_OK;
  }
  cap_leaves_local_prepare(s);
  double scale = cap_leaves_local_scale(s), enough = fmax(s->settings.tolerance * scale, s->settings.floor);
  cap_leaves_trunk_rest(s);
  double residual = iterate(s, enough, s->settings.iterations_most, &stats->iterations);
  if (residual > enough) {
    int steps = cap_leaves_safe(s, enough);
    stats->fallbacks = 1;
    stats->iterations += steps > 0 ? steps : 0;
    residual = steps < 0 ? NAN : iterate(s, enough, s->settings.iterations_most, &stats->iterations);
  }
  stats->residual = scale > 0.0 ? residual / scale : residual;
  if (isnan(residual)) return CAP_ERR_NUMERICS;
  cap_leaves_local_clip(s);
  return residual <= enough ? CAP_OK : CAP_RETRY_NOCONV;
}
