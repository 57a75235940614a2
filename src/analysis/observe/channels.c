/* analysis/observe/channels.c — see channels.h. */
#include "analysis/observe/channels.h"
#include "base/names.h"
#include "base/nearest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool wanted(const cap_texts *patterns, const cap_channel *channel)
{
  for (int p = 0; p < patterns->n; p++)
    if (cap_names_fit(patterns->v[p], channel->column.name)) return true;
  return patterns->n == 0 && !channel->detail;
}

/* The first pattern that no channel matches, or NULL. */
static const char *idle_pattern(const cap_model *m, const cap_texts *patterns)
{
  for (int p = 0; p < patterns->n; p++) {
    bool used = false;
    for (int c = 0; c < m->nchannel; c++)
      used = used || cap_names_fit(patterns->v[p], m->channels[c].column.name);
    if (!used) return patterns->v[p];
  }
  return NULL;
}

/* Channels from number c on that are no details. */
static int count_after(const cap_model *m, int c)
{
  int n = 0;
  for (; c < m->nchannel; c++) n += !m->channels[c].detail;
  return n;
}

static cap_status refuse(const cap_model *m, const char *pattern, cap_error *error)
{
  char list[800] = "";
  for (int c = 0; c < m->nchannel; c++) {
    const char *name = m->channels[c].column.name;
    size_t used = strlen(list);
    if (m->channels[c].detail) continue;
    if (used + strlen(name) + sizeof ", and 2147483647 more" > sizeof list) {
      snprintf(list + used, sizeof list - used, ", and %d more", count_after(m, c));
      break;
    }
    snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", name);
  }
  cap_nearest nearest;
  cap_nearest_start(&nearest, pattern);
  for (int c = 0; c < m->nchannel; c++) cap_nearest_offer(&nearest, m->channels[c].column.name);
  if (nearest.best)
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "unknown channel; expected a channel of this model, got \"%s\"; did you mean \"%s\"?", pattern,
        nearest.best);
  return cap_status_fail(error, CAP_ERR_INPUT,
                         "unknown channel; expected a channel of this model, got \"%s\"; the model has %s",
                         pattern, list);
}

cap_status cap_channels_select(cap_channels *channels, const cap_model *m, const cap_texts *patterns,
                               cap_error *error)
{
  *channels = (cap_channels){0};
  const char *idle = idle_pattern(m, patterns);
  if (idle) return refuse(m, idle, error);
  channels->number = calloc((size_t)m->nchannel + 1, sizeof *channels->number);
  channels->columns = calloc((size_t)m->nchannel + 1, sizeof *channels->columns);
  channels->force = calloc((size_t)(m->noutput * m->nlane) + 1, sizeof(double));
  channels->h = calloc((size_t)(m->nv * m->nlane) + 1, sizeof(double));
  channels->xdot = calloc((size_t)(m->nx * m->nlane) + 1, sizeof(double));
  channels->workspace = calloc((size_t)m->nworkspace + 1, sizeof(double));
  channels->hints = calloc((size_t)m->nhint + 1, sizeof(double));
  if (!channels->number || !channels->columns || !channels->force || !channels->h || !channels->xdot ||
      !channels->workspace || !channels->hints) {
    cap_channels_free(channels);
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  }
  for (int c = 0; c < m->nchannel; c++)
    if (wanted(patterns, &m->channels[c])) {
      channels->columns[channels->n] = m->channels[c].column;
      channels->number[channels->n++] = c;
    }
  return CAP_OK;
}

void cap_channels_free(cap_channels *channels)
{
  free(channels->number);
  free(channels->columns);
  free(channels->force);
  free(channels->h);
  free(channels->xdot);
  free(channels->workspace);
  free(channels->hints);
  *channels = (cap_channels){0};
}

cap_status cap_channels_put_columns(const cap_channels *channels, cap_sink *sink, cap_error *error)
{
  int n = channels->n;
  cap_column *columns = calloc((size_t)n + 1, sizeof *columns);
  if (!columns) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  columns[0] = (cap_column){"time", "s", "time"};
  memcpy(columns + 1, channels->columns, (size_t)n * sizeof *columns);
  cap_status status = sink->columns(sink, n + 1, columns);
  free(columns);
  return status;
}

void cap_channels_values(cap_channels *channels, const cap_model *m, const cap_data *d, double *values)
{
  cap_eval e = {.nlane = 1,
                .t = d->t,
                .input = d->input,
                .q = d->q,
                .v = d->v,
                .x = d->x,
                .h = channels->h,
                .xdot = channels->xdot,
                .force = channels->force,
                .workspace = channels->workspace,
                .hints = channels->hints};
  memset(channels->hints, 0, sizeof(double) * (size_t)m->nhint); /* what is seen does not depend on before */
  cap_model_outputs(m, &e);
  for (int c = 0; c < channels->n; c++)
    values[c] = cap_model_channel(&m->channels[channels->number[c]], 0, 1, d->q, d->v, d->x, channels->force);
}

cap_status cap_channels_check(const cap_channels *channels, const cap_model *m, double t,
                              const double *values, cap_error *error)
{
  for (int c = 0; c < channels->n; c++)
    if (!isfinite(values[c]))
      return cap_status_fail(error, CAP_ERR_NUMERICS, "at t = %.9g s the channel %s is not finite; %s", t,
                             channels->columns[c].name,
                             t > m->t0 ? "try a smaller step"
                                       : "check the values at the start: some are too large or too small");
  return CAP_OK;
}

cap_status cap_channels_put_row(cap_channels *channels, const cap_model *m, const cap_data *d, double *row,
                                cap_sink *sink, cap_error *error)
{
  row[0] = *d->t;
  cap_channels_values(channels, m, d, row + 1);
  CAP_TRY(cap_channels_check(channels, m, row[0], row + 1, error));
  return sink->rows(sink, 1, row);
}
