/* analysis/observe/motion_rows.h — what the channels do over a period, as columns of a table.
 *
 * Each channel has its mean, rms about the mean, rms, smallest and largest value, and the amplitudes of its
 * first `orders` harmonics (of the forcing's period).
 */
#pragma once
#include "analysis/analysis.h"
#include "analysis/observe/channels.h"
#include "hb/hb.h"

typedef struct cap_motion_rows {
  cap_channels channels;
  int orders;
  cap_arena arena;
} cap_motion_rows;

/* The channels that the user asked for. */
cap_status cap_motion_rows_open(cap_run *run, int orders, cap_motion_rows *rows);
void cap_motion_rows_close(cap_motion_rows *rows);

/* Columns of all channels together. */
int cap_motion_rows_width(const cap_motion_rows *rows);
/* Declare a table of the fixed columns and these. */
cap_status cap_motion_rows_declare(cap_motion_rows *rows, int nfixed, const cap_column *fixed, cap_run *run);
/* row[width] from samples waves[channel][nsample] over `sub` periods of the forcing. */
void cap_motion_rows_values(const cap_motion_rows *rows, int nsample, const double *waves, int sub,
                            double *row);
/* row[width] at the solution x. */
cap_status cap_motion_rows_fill(const cap_motion_rows *rows, cap_hb *hb, const double *x,
                                double angular_frequency, double *row, cap_error *error);
