/* An observer as one adds one: counts the rows of a run and finds the largest kinetic energy in them (of
 * coordinates with a mass each). */
#include "analysis/observe/observers.h"
#include "model/data.h"

#include <math.h>

typedef struct toy {
  int64_t rows;
  double most; /* J */
} toy;

static cap_status create(void *self, cap_run *run, const cap_observer_plan *plan)
{
  (void)self, (void)run, (void)plan;
  return CAP_OK;
}

static cap_status take(void *self, const cap_run *run, int64_t row, const double *force)
{
  toy *t = self;
  double energy = 0.0;
  (void)row, (void)force;
  for (int i = 0; i < run->model->nv; i++)
    energy += run->model->mass[i] * run->data->v[i] * run->data->v[i] / 2.0;
  t->rows++;
  t->most = fmax(t->most, energy);
  return CAP_OK;
}

/* A view writes where a resumed run reads, so that it is no copy. */
static int views(const void *self, cap_view views_[CAP_OBSERVER_VIEWS])
{
  toy *t = (toy *)self;
  views_[0] = (cap_view){"toy.rows", "1", "rows that the toy has seen", true, 1, &t->rows};
  views_[1] = (cap_view){"toy.most", "J", "largest kinetic energy so far", false, 1, &t->most};
  return 2;
}

static cap_status put(void *self, cap_run *run, const char *what)
{
  const toy *t = self;
  cap_sink *sink = run->sink;
  int64_t one = 1;
  double rows = (double)t->rows;
  (void)what;
  CAP_TRY(sink->array(sink, (cap_column){"toy.rows", "1", "rows of the run"}, 1, &one, NULL, &rows));
  return sink->array(sink, (cap_column){"toy.kinetic", "J", "largest kinetic energy"}, 1, &one, NULL,
                     &t->most);
}

static void destroy(void *self)
{
  (void)self; /* it has no memory of its own */
}

const cap_observer_type cap_toy_observer = {
    .name = "toy",
    .size = sizeof(toy),
    .create = create,
    .take = take,
    .views = views,
    .put = put,
    .free = destroy,
};
