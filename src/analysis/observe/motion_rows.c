/* analysis/observe/motion_rows.c — see motion_rows.h. */
#include "analysis/observe/motion_rows.h"
#include "hb/hb_output.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

enum { QUANTITIES = 5 };
static const char *const quantity_name[QUANTITIES] = {"mean", "rms_ac", "rms_total", "min", "max"};
static const char *const quantity_text[QUANTITIES] = {"mean", "rms about the mean of", "rms of", "smallest",
                                                      "largest"};

cap_status cap_motion_rows_open(cap_run *run, int orders, cap_motion_rows *rows)
{
  *rows = (cap_motion_rows){.orders = orders};
  return cap_channels_select(&rows->channels, run->model, &run->outputs->channels, run->error);
}

void cap_motion_rows_close(cap_motion_rows *rows)
{
  cap_channels_free(&rows->channels);
  cap_arena_free(&rows->arena);
  *rows = (cap_motion_rows){0};
}

int cap_motion_rows_width(const cap_motion_rows *rows)
{
  return (QUANTITIES + rows->orders) * rows->channels.n;
}

static int describe_channel(cap_motion_rows *rows, int c, cap_column *columns)
{
  cap_arena *arena = &rows->arena;
  const cap_column *own = &rows->channels.columns[c];
  for (int k = 0; k < QUANTITIES; k++)
    columns[k] = (cap_column){cap_arena_format(arena, "%s.%s", own->name, quantity_name[k]), own->unit,
                              cap_arena_format(arena, "%s %s", quantity_text[k], own->long_name)};
  for (int h = 1; h <= rows->orders; h++)
    columns[QUANTITIES + h - 1] = (cap_column){
        cap_arena_format(arena, "%s.h%d", own->name, h), own->unit,
        cap_arena_format(arena, "amplitude of harmonic %d of %s", h, own->long_name)};
  return QUANTITIES + rows->orders;
}

cap_status cap_motion_rows_declare(cap_motion_rows *rows, int nfixed, const cap_column *fixed, cap_run *run)
{
  int n = nfixed + cap_motion_rows_width(rows), at = nfixed;
  cap_column *columns = CAP_ARENA_NEW(&rows->arena, cap_column, n);
  bool all = columns != NULL;
  if (all) memcpy(columns, fixed, sizeof *fixed * (size_t)nfixed);
  for (int c = 0; all && c < rows->channels.n; c++) at += describe_channel(rows, c, columns + at);
  for (int k = 0; all && k < n; k++) all = columns[k].name && columns[k].long_name;
  if (!all) return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  return run->sink->columns(run->sink, n, columns);
}

void cap_motion_rows_values(const cap_motion_rows *rows, int nsample, const double *waves, int sub,
                            double *row)
{
  double *at = row, phase;
  for (int c = 0; c < rows->channels.n; c++) {
    const double *values = waves + (size_t)c * (size_t)nsample;
    cap_hb_output out = cap_hb_output_of(nsample, values);
    *at++ = out.mean, *at++ = out.rms_ac, *at++ = out.rms_total, *at++ = out.low, *at++ = out.high;
    for (int h = 1; h <= rows->orders; h++, at++) {
      *at =
          NAN; /* samples tell no harmonic from one that is as far beyond half their number as it is before */
      if (2 * h * sub < nsample) cap_hb_output_harmonic(nsample, values, h * sub, at, &phase);
    }
  }
}

cap_status cap_motion_rows_fill(const cap_motion_rows *rows, cap_hb *hb, const double *x,
                                double angular_frequency, double *row, cap_error *error)
{
  cap_hb_wave wave = {0};
  cap_status status = cap_hb_output_wave(hb, x, angular_frequency, rows->channels.n, rows->channels.number,
                                         &wave, error);
  if (status == CAP_OK) cap_motion_rows_values(rows, wave.nsample, wave.values, hb->sub, row);
  cap_arena_free(&wave.arena);
  return status;
}
