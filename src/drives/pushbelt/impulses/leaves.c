/* drives/pushbelt/impulses/leaves.c — see leaves.h: memory, and Newton's method.
 *
 * Each iteration takes for every row the piece of its law that lambda and xi of now choose (leaves_local.c),
 * solves for the trunk (leaves_trunk.c), and follows it. Steps are whole: with the right pieces, mostly those
 * of the last solution, the next iterate is the solution. Where they wander, leaves_safe.c goes on.
 */
#include "drives/pushbelt/impulses/leaves_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = CAP_LEAVES_LANES, ROWS = CAP_LEAVES_ROWS, PAIRS = CAP_LEAVES_PAIRS, ALIGN = 64, TURNS = 6 };
static const double softer = 0.1; /* compliance where Newton's method wanders */

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
  take_each(l, CAP_LEAVES_KINDS, room, w->sticks);
  take_each(l, 1, room, &w->side);
  w->touches = take(l, sizeof(int) * room);
  take_each(l, 1, room, &w->limit);
  take_each(l, 1, room, &w->before);
  take_each(l, 1, (size_t)(4 * (s->nblock + 1)), &w->wide);
  double *given = take(l, sizeof(double) * system), *sum = take(l, sizeof(double) * system);
  if (!l->memory) return;
  s->trunk = capm_bordered_on(s->nblock, CAP_LEAVES_BORDER, given);
  w->system = sum;
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

/* Where more rows may stick than there are coordinates, impulses that balance each other are found through
 * 1/compliance: where it is small, what does not quite fit makes them wander. */
static double compliance_of(const cap_leaves *s)
{
  if (s->settings.compliance > 0.0) return s->settings.compliance;
  return s->kinds.tangent && s->kinds.flank ? 3e-3 : 1e-7;
}

/* From lambda and xi of now; the residual, m/s: NAN, a matrix is not positive definite. Only flanks alone, on
 * pulleys, gain if each leaf first settles while the trunk rests. The same pieces of single rows, of which
 * only limits have changed, have the same matrix. */
static double iterate(cap_leaves *s, double compliance, double enough, int *iterations)
{
  double residual = INFINITY;
  cap_leaves_trunk_rest(s);
  cap_leaves_local_limit(s);
  for (int i = 0; i < s->settings.iterations_most && !(residual <= enough); i++) {
    int turns = i == 0 || s->kinds.tangent ? 1 : TURNS;
    bool changed = cap_leaves_local_straighten(s, (cap_leaves_way){false, compliance, turns, 0.1 * enough});
    bool again = i > 0 && !changed && !s->kinds.flank;
    ++*iterations;
    if (!cap_leaves_trunk_step(s, i == 0, again)) return NAN;
    residual = cap_leaves_local_follow(s, compliance, false);
    if (!isfinite(residual)) return NAN;
  }
  return residual;
}

static void copy_rows(const cap_leaves *s, double *const from[ROWS], double *const to[ROWS])
{
  for (int i = 0; i < ROWS; i++) memcpy(to[i], from[i], sizeof(double) * (size_t)s->room);
}

/* Newton's method; where it wanders, once more and softer; at last the safe way, and again. */
static double find(cap_leaves *s, double enough, cap_leaves_stats *stats)
{
  cap_leaves_work *w = s->work;
  double compliance = compliance_of(s), residual;
  copy_rows(s, s->lambda, w->from);
  copy_rows(s, s->xi, w->xi_from);
  residual = iterate(s, compliance, enough, &stats->iterations);
  if (!(residual > enough)) return residual;
  stats->fallbacks = 1;
  if (s->kinds.tangent && s->kinds.flank) {
    compliance = fmax(compliance, softer);
    copy_rows(s, w->from, s->lambda);
    copy_rows(s, w->xi_from, s->xi);
    residual = iterate(s, compliance, enough, &stats->iterations);
    if (!(residual > enough)) return residual;
  }
  int steps = cap_leaves_safe(s, compliance, enough);
  if (steps < 0) return NAN;
  stats->iterations += steps;
  return iterate(s, compliance, enough, &stats->iterations);
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
  cap_leaves_local_clip(s);
  copy_rows(s, s->lambda, s->work->centre);
  double residual = find(s, enough, stats);
  stats->residual = scale > 0.0 ? residual / scale : residual;
  if (isnan(residual)) return CAP_ERR_NUMERICS;
  double slip = cap_leaves_local_clip(s);
  stats->creep = scale > 0.0 ? slip / scale : slip;
  return residual <= enough ? CAP_OK : CAP_RETRY_NOCONV;
}
