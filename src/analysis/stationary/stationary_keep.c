/* analysis/stationary/stationary_keep.c — what is kept of points that are finished, for a run that is taken
 * up again.
 *
 * When a point is finished its samples become rows of the results, and a checkpoint covers these and all
 * that is needed to make the results of all points so far: figures, the state in which it ended, and what
 * its observers have gathered. Points are taken in their order, also when they run side by side: results do
 * not depend on where a run was interrupted, nor on the number of threads.
 */
#include "analysis/stationary/stationary.h"
#include "base/whole.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef cap_stationary_job job;

enum { FIGURES = 10, FIXED = 4, EACH = FIXED + CAP_DATA_NVIEW + CAP_OBSERVERS_VIEWS };
enum { END, SETTLED, AVERAGED, RESIDUAL, PASSED, STEPS, BEGIN, STARTED, ENDED, RATE };

/* ---- views --------------------------------------------------------------------------------------------- */

/* Names of views with the number of their point. */
typedef char label[64];

/* The views of a point: its own, of its data, of its observers. Returns their number. */
static int views_of(const job *j, int k, double figures[FIGURES], cap_view views[EACH])
{
  cap_stationary_point *p = &j->points[k];
  const cap_stationary_made *made = &j->made[k];
  int n = 0;
  views[n++] = (cap_view){"point", "SI", "key figures of the point", false, FIGURES, figures};
  views[n++] = (cap_view){"why", "1", "why it is not stationary", true, sizeof p->why / 8, p->why};
  if (p->end == CAP_STATIONARY_FAILED) return n;
  int64_t nmean = 4 * ((int64_t)p->nchannel + 1);
  views[n++] = (cap_view){"mean", "SI", "means, errors, smallest and largest values", false, nmean, p->mean};
  views[n++] = (cap_view){"power", "W", "mean powers", false, p->nmech, p->power};
  cap_data_views(made->m, made->d, views + n);
  n += CAP_DATA_NVIEW;
  return n + cap_observers_views(&made->observers, views + n);
}

static void figures_of(const job *j, int k, double figures[FIGURES])
{
  const cap_stationary_point *p = &j->points[k];
  const double of[FIGURES] = {
      [END] = p->end,       [SETTLED] = p->settled, [AVERAGED] = p->averaged, [RESIDUAL] = p->residual,
      [PASSED] = p->passed, [STEPS] = p->steps,     [BEGIN] = p->start,       [STARTED] = j->start[k],
      [ENDED] = p->ended,   [RATE] = p->rate};
  memcpy(figures, of, sizeof of);
}

static const cap_view *kept(const job *j, int k, const char *name)
{
  label full;
  snprintf(full, sizeof full, "%d.%s", k, name);
  return j->run->sink->kept ? j->run->sink->kept(j->run->sink, full) : NULL;
}

/* ---- finished ------------------------------------------------------------------------------------------ */

static cap_status checkpoint(job *j)
{
  size_t room = (size_t)j->nkept * EACH + 1;
  cap_view *views = calloc(room, sizeof *views);
  label *labels = calloc(room, sizeof *labels);
  double(*figures)[FIGURES] = calloc((size_t)j->nkept, sizeof *figures);
  double counts[] = {j->nkept, j->course};
  cap_status status = views && labels && figures
                          ? CAP_OK
                          : cap_status_fail(j->run->error, CAP_ERR_NOMEM, "out of memory");
  int n = 0;
  for (int k = 0; status == CAP_OK && k < j->nkept; k++) {
    figures_of(j, k, figures[k]);
    int to = n + views_of(j, k, figures[k], views + n);
    for (; n < to; n++) {
      snprintf(labels[n], sizeof labels[n], "%d.%s", k, views[n].name);
      views[n].name = labels[n];
    }
  }
  if (status == CAP_OK) {
    views[n++] = (cap_view){"points", "1", "number of finished points, and the time of the run",
                            false,    2,   counts};
    status = j->run->sink->checkpoint(j->run->sink, n, views);
  }
  free(figures);
  free(labels);
  free(views);
  return status;
}

cap_status cap_stationary_keep_point(job *j, int k, cap_error *error)
{
  pthread_mutex_lock(&j->lock);
  cap_status status = CAP_OK;
  int before = j->nkept;
  j->done[k] = true;
  while (status == CAP_OK && j->nkept < j->npoint && j->done[j->nkept]) {
    cap_stationary_point *p = &j->points[j->nkept];
    status = cap_stationary_output_course(j, j->nkept++);
    free(p->samples);
    p->samples = NULL;
    p->nsample = p->room = 0;
  }
  if (status == CAP_OK && j->nkept > before) status = checkpoint(j);
  if (status != CAP_OK && error != j->run->error) *error = *j->run->error;
  pthread_mutex_unlock(&j->lock);
  return status;
}

/* ---- taken up ------------------------------------------------------------------------------------------ */

static cap_status damaged(const job *j, int k)
{
  return cap_status_fail(j->run->error, CAP_ERR_INPUT,
                         "cannot resume 'stationary': the stored state of point %d is another one; expected "
                         "a state of this model; run without --resume",
                         k);
}

int cap_stationary_keep_count(job *j)
{
  const cap_view *view = j->run->sink->kept ? j->run->sink->kept(j->run->sink, "points") : NULL;
  if (!view || view->count != 2) return 0;
  const double *counts = view->values;
  j->course = counts[1];
  return (int)fmin(fmax(counts[0], 0.0), j->npoint);
}

cap_stationary_point_end cap_stationary_keep_end(const job *j, int k)
{
  const cap_view *view = kept(j, k, "point");
  if (!view || view->count != FIGURES) return CAP_STATIONARY_FAILED;
  double end = ((const double *)view->values)[END];
  return (cap_stationary_point_end)capm_whole_between(end, CAP_STATIONARY_REACHED, CAP_STATIONARY_ENDS - 1);
}

cap_status cap_stationary_keep_fill(job *j, int k)
{
  cap_stationary_point *p = &j->points[k];
  cap_stationary_made *made = &j->made[k];
  cap_view views[EACH];
  double f[FIGURES];
  p->end = cap_stationary_keep_end(j, k);
  int n = views_of(j, k, f, views);
  for (int i = 0; i < n; i++) {
    const cap_view *from = kept(j, k, views[i].name);
    if (!from || from->integer != views[i].integer || from->count != views[i].count) return damaged(j, k);
    if (from->count) memcpy(views[i].values, from->values, (size_t)from->count * 8);
  }
  p->settled = f[SETTLED], p->averaged = f[AVERAGED], p->residual = f[RESIDUAL], p->passed = f[PASSED];
  p->steps = f[STEPS], p->start = f[BEGIN], p->ended = f[ENDED], p->rate = f[RATE];
  j->start[k] = (cap_stationary_start)capm_whole_between(f[STARTED], CAP_STATIONARY_AFRESH,
                                                         CAP_STATIONARY_STORED);
  if (made->d) cap_observers_resume(&made->observers, made->d);
  j->done[k] = true;
  j->nkept = k + 1;
  return CAP_OK;
}
