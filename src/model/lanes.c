/* model/lanes.c — see lanes.h. */
#include "model/lanes.h"

#include <stdlib.h>
#include <string.h>

void cap_lanes_spread(int count, int from_lanes, int lane, const double *from, int nlane, double *par)
{
  for (int p = 0; p < count; p++)
    for (int l = 0; l < nlane; l++) par[p * nlane + l] = from[p * from_lanes + lane];
}

static double *spread(cap_model *to, const cap_model *from, int lane, int count, const double *values)
{
  double *copy = CAP_ARENA_NEW(&to->arena, double, ((size_t)count * (size_t)to->nlane));
  if (copy) cap_lanes_spread(count, from->nlane, lane, values, to->nlane, copy);
  return copy;
}

static cap_status copy_batches(cap_model *to, const cap_model *m, int lane)
{
  to->batches = CAP_ARENA_NEW(&to->arena, cap_batch, m->nbatch);
  if (!to->batches) return CAP_ERR_NOMEM;
  for (int b = 0; b < m->nbatch; b++) {
    to->batches[b] = m->batches[b];
    to->batches[b].nlane = to->nlane;
    to->batches[b].par = spread(to, m, lane, m->batches[b].n * m->batches[b].type->nparam, m->batches[b].par);
    if (!to->batches[b].par) return CAP_ERR_NOMEM;
  }
  return CAP_OK;
}

static cap_status copy_channels(cap_model *to, const cap_model *m, int lane)
{
  to->channels = CAP_ARENA_NEW(&to->arena, cap_channel, m->nchannel);
  if (!to->channels) return CAP_ERR_NOMEM;
  for (int c = 0; c < m->nchannel; c++) {
    int nterm = m->channels[c].nterm;
    to->channels[c] = m->channels[c];
    to->channels[c].factors = spread(to, m, lane, nterm, m->channels[c].factors);
    to->channels[c].terms = CAP_ARENA_NEW(&to->arena, cap_term, nterm);
    if (!to->channels[c].factors || !to->channels[c].terms) return CAP_ERR_NOMEM;
    if (nterm) memcpy(to->channels[c].terms, m->channels[c].terms, sizeof(cap_term) * (size_t)nterm);
    for (int t = 0; t < m->channels[c].nterm; t++)
      to->channels[c].terms[t].factor = m->channels[c].factors[t * m->nlane + lane];
  }
  return CAP_OK;
}

static cap_status copy_parts(cap_model *to, const cap_model *m, int lane)
{
  to->mass = spread(to, m, lane, m->nv, m->mass);
  to->inverse_mass = spread(to, m, lane, m->nv, m->inverse_mass);
  to->base = spread(to, m, lane, m->nv, m->base);
  to->slider_k = spread(to, m, lane, m->nslider, m->slider_k);
  to->slider_limit = spread(to, m, lane, m->nslider, m->slider_limit);
  to->initial = spread(to, m, lane, m->nstate, m->initial);
  to->period = spread(to, m, lane, 1, m->period);
  to->motions = CAP_ARENA_NEW(&to->arena, cap_motion, (size_t)m->nmotion * (size_t)to->nlane);
  if (!to->mass || !to->inverse_mass || !to->base || !to->slider_k || !to->slider_limit || !to->initial ||
      !to->period || !to->motions)
    return CAP_ERR_NOMEM;
  for (int k = 0; k < m->nmotion; k++)
    for (int l = 0; l < to->nlane; l++) to->motions[k * to->nlane + l] = m->motions[k * m->nlane + lane];
  CAP_TRY(copy_batches(to, m, lane));
  return copy_channels(to, m, lane);
}

cap_status cap_lanes_copy(const cap_model *m, int lane, int nlane, cap_model **copy)
{
  cap_model *to = malloc(sizeof *to);
  *copy = NULL;
  if (!to) return CAP_ERR_NOMEM;
  *to = *m; /* counts, names and indices */
  to->arena = (cap_arena){0};
  to->nlane = nlane;
  if (copy_parts(to, m, lane) != CAP_OK) {
    cap_model_free(to);
    return CAP_ERR_NOMEM;
  }
  *copy = to;
  return CAP_OK;
}
