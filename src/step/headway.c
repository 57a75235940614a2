/* step/headway.c — see headway.h. */
#include "step/headway.h"
#include "base/clock.h"

#include <math.h>
#include <string.h>

static const double OFTEN = 0.05, RARELY = 0.2; /* s between looks */
static const double STUCK = 1e7;                /* s that the whole would take */
static const double PATIENCE = 10.0;            /* s */

enum { FIRST = 16, STRIDE_MOST = 1 << 20 };

void cap_headway_begin(cap_headway *h, const char *what, const cap_progress *progress, double start,
                       double span, double *v)
{
  *h = (cap_headway){.what = what,
                     .progress = progress,
                     .start = start,
                     .span = span,
                     .patience = PATIENCE,
                     .v = v,
                     .next = FIRST,
                     .stride = FIRST,
                     .from = start,
                     .fastest = -1};
  cap_headway_go_by(h, cap_clock_wall);
}

void cap_headway_go_by(cap_headway *h, double (*clock)(void))
{
  h->clock = clock;
  h->looked = h->since = clock();
}

/* Units of the velocities, each with the largest; more than a model has. */
enum { UNITS_MOST = 16 };
typedef struct units {
  int n;
  const char *name[UNITS_MOST];
  double most[UNITS_MOST];
} units;

/* Neighbours mostly have the same: `last` is looked at first. */
static int unit_of(units *u, const char *name, int last)
{
  if (last < u->n && strcmp(u->name[last], name) == 0) return last;
  for (int k = 0; k < u->n; k++)
    if (strcmp(u->name[k], name) == 0) return k;
  if (u->n == UNITS_MOST) return UNITS_MOST - 1;
  u->name[u->n] = name;
  return u->n++;
}

/* Relative to the largest velocity of the same unit. */
static void compare(cap_headway *h, const cap_model *m, const double *v)
{
  units u = {0};
  double most = 0.0;
  for (int i = 0, k = 0; i < m->nv; i++) {
    k = unit_of(&u, m->dof_unit[i], k);
    u.most[k] = fmax(u.most[k], fabs(v[i]));
  }
  for (int i = 0, k = 0; i < m->nv; i++) {
    k = unit_of(&u, m->dof_unit[i], k);
    double change = u.most[k] > 0.0 ? fabs(v[i] - h->v[i]) / u.most[k] : 0.0;
    if (change > most) most = change, h->fastest = i;
  }
}

static void tell(cap_headway *h, const cap_model *m, double t, double passed)
{
  double steps = (double)h->steps - h->least, step = steps > 0.0 ? (t - h->from) / steps : 0.0;
  if (h->fastest >= 0)
    cap_progress_note(
        h->progress,
        "%s: warning: no headway at t = %.9g s: %.2g steps of %.2g s in %.2g s; the velocity of %s "
        "changes fastest",
        h->what, t, steps, step, passed, m->dof_name[h->fastest]);
  else
    cap_progress_note(h->progress, "%s: warning: no headway at t = %.9g s: %.2g steps of %.2g s in %.2g s",
                      h->what, t, steps, step, passed);
}

/* Whether the time that has passed since the pace was taken is enough to tell, and what it tells. */
static void judge(cap_headway *h, const cap_model *m, double t, double now)
{
  double passed = now - h->since;
  if (passed < h->patience) return;
  if (t < h->from) { /* the model's clock was set back */
    h->from = t;
  } else if ((t - h->from) * STUCK < h->span * passed) {
    tell(h, m, t, passed);
    h->patience *= 10.0;
  }
  h->since = now;
  h->from = t;
  h->least = (double)h->steps;
}

void cap_headway_look(cap_headway *h, const cap_model *m, double t, const double *v)
{
  double now = h->clock(), pause = now - h->looked;
  if (pause < OFTEN && h->stride < STRIDE_MOST) h->stride *= 2;
  else if (pause > RARELY && h->stride > 1) h->stride /= 2;
  h->next = h->steps + h->stride;
  if (pause < OFTEN) return;
  h->looked = now;
  cap_progress_report(h->progress, h->what, t - h->start, h->span, "s");
  if (h->v && v) {
    compare(h, m, v);
    memcpy(h->v, v, sizeof(double) * (size_t)m->nv);
  }
  judge(h, m, t, now);
}
