/* analysis/observe/pull.c — see pull.h. Contacts that part are watched by their law, not here. */
#include "analysis/observe/pull.h"
#include "model/data.h"

#include <math.h>

typedef struct pull {
  int contact; /* -1 = none pulled */
  double t;    /* s */
  double most; /* N, the largest pull */
  double push; /* N, the largest force of a contact that presses */
} pull;

static cap_status create(void *self, cap_run *run, const cap_observer_plan *plan)
{
  (void)run, (void)plan;
  ((pull *)self)->contact = -1;
  return CAP_OK;
}

/* The row's force resists lifting off, so that it is negative while the ground presses. */
static cap_status take(void *self, const cap_run *run, int64_t row, const double *forces)
{
  pull *p = self;
  const cap_model *m = run->model;
  (void)row;
  for (int i = 0; i < m->ncontactbatch; i++) {
    const cap_contact_batch *b = &m->contacts[i];
    for (int k = 0; b->type->normal && b->kind < CAP_LAW_SET_VALUED && k < b->n; k++) {
      double force = forces[b->output_adr + k * (2 * b->type->nrow + b->type->nmeasure)];
      p->push = fmax(p->push, -force);
      if (!(force > 1e-6 * p->push)) continue; /* rounding of none */
      if (p->contact < 0) p->contact = b->contact_adr + k, p->t = *run->data->t;
      p->most = fmax(p->most, force);
    }
  }
  return CAP_OK;
}

static void end(void *self, const cap_run *run)
{
  const pull *p = self;
  if (p->contact < 0) return;
  cap_progress_note(run->progress,
                    "transient: from t = %.6g s on, the contact %s temporarily carries tension, up to %.3g "
                    "N: a real body would lift off, but this bilateral contact cannot separate",
                    p->t, run->model->contact_name[p->contact], p->most);
}

static void destroy(void *self)
{
  (void)self; /* it has no memory of its own */
}

const cap_observer_type cap_pull_observer = {
    .name = "pull",
    .size = sizeof(pull),
    .create = create,
    .take = take,
    .end = end,
    .free = destroy,
};
