/* analysis/observe/film.h — the motion of a result in a limited number of frames: what pictures are drawn
 * from.
 *
 * Reads:   the channels that the drive has marked (cap_builder_film), whatever outputs.channels says.
 * Writes:  film.time and an array for each family of channels: docs/results.md, "Films".
 *
 * Frames are rows of the analysis: every so many, and always the first and the last. The forces are those
 * that the row has computed, so that a film costs no evaluation of its own. What was gathered is part of the
 * checkpoints.
 */
#pragma once
#include "analysis/observe/observers.h"
#include "base/arena.h"

/* Channels "element.0.x", "element.1.x", ... that are marked as members are the family "element.*.x" with the
 * members 0, 1, ...: what stands between the first and the last dot. Others are alone. */
typedef struct cap_film_family {
  cap_column what;     /* with * in the place of the member */
  const char *kind;    /* "element"; "" = alone */
  const char *last;    /* "x" */
  const char *members; /* "0,1,2"; "" = alone */
  bool numbers;        /* the members are 0, 1, ... n-1 */
  int n;
  int64_t at;  /* of its values: frame by frame, [n] each */
  int *number; /* [n] of its channels in the model */
} cap_film_family;

typedef struct cap_film {
  cap_arena arena;
  int nfamily;
  cap_film_family *families;
  int n;                        /* channels in all; 0: there is no film */
  int64_t nrow, stride, nframe; /* rows of the analysis; from frame to frame; frames */
  double *values;               /* [nframe (n + 1)]: the times, then family by family */
} cap_film;

/* A film of nrow rows of run->model; a model without marks, or outputs.film: 0, has none. Free it; after
 * a failure there is nothing to free. */
cap_status cap_film_create(cap_run *run, int64_t nrow, cap_film *film);
void cap_film_free(cap_film *film);

cap_view cap_film_view(const cap_film *film);

/* Take row number `row` from run->data with the forces that were computed there (cap_channels.force), if it
 * is a frame. */
void cap_film_take(cap_film *film, const cap_run *run, int64_t row, const double *force);
/* The same with forces that are computed for it. */
cap_status cap_film_take_state(cap_film *film, cap_run *run, int64_t row);

/* The modes of small motions about run->data: rest, and by how much each film channel changes with each of
 * the lowest modes, as arrays swing.* into the open group. shape[n * nmode]: of the n free coordinates (row)
 * by mode (column). */
cap_status cap_film_put_swing(cap_run *run, int n, int nmode, const double *shape);

/* Arrays film.* and texts film.members.* into the open group. */
cap_status cap_film_put(const cap_film *film, cap_run *run);
/* The same of a run that ends early with `status`, after so many rows; returns that. */
cap_status cap_film_put_part(const cap_film *film, cap_run *run, int64_t rows, cap_status status);

extern const cap_observer_type cap_film_observer;
