/* report/rows.c — see rows.h. */
#include "report/rows.h"
#include "report/thin.h"

#include <stdlib.h>
#include <string.h>

enum {
  WHOLE_ROWS = 20000, /* tables up to this length are kept as they are */
  MOST_SLOTS = 4000,  /* more than a screen has pixels */
  TAIL_ROWS = 20000,
  PIECE_ROWS = 1 << 17, /* read at a time: a megabyte */
};

typedef enum thinning { WHOLE, BY_ROWS, BY_COLUMNS } thinning;

/* How a table goes into the page. */
typedef struct plan {
  thinning how;
  bool exact;              /* 64 bits */
  capm_thin_grid grid;     /* rows of the result, and slots */
  int64_t kept, tail;      /* rows in the page */
  uint64_t *bits;          /* rows that are kept, BY_ROWS */
  capm_thin_range *ranges; /* of the columns, BY_ROWS: known from the marking */
  double *piece;           /* as long as a piece may be */
  double *values;          /* of a column, as many as are kept */
} plan;

static void free_plan(plan *p)
{
  free(p->bits);
  free(p->ranges);
  free(p->piece);
  free(p->values);
}

static cap_status read_rows(cap_writer *w, const cap_results_group *group, int column, int64_t first,
                            int64_t n, double *values)
{
  return cap_results_read_part(w->file, group, &group->columns[column], first, 1, n, values, w->error);
}

/* Rows that fit into so many bytes: the abscissa has 64 bits, all others 32. */
static int64_t rows_in(int64_t bytes, const cap_results_group *group)
{
  return bytes / (4 * ((int64_t)group->ncolumn + 1));
}

/* ----------------------------------------------------------------------------------------------- planning */

/* Mark the rows in which a channel has a peak, until they are too many (*fits = false). */
static cap_status mark_rows(cap_writer *w, const cap_results_group *group, plan *p, bool *fits)
{
  int64_t most = rows_in(w->budget.table, group);
  p->bits = calloc((size_t)(p->grid.rows / 64 + 1), sizeof *p->bits);
  p->ranges = calloc((size_t)group->ncolumn, sizeof *p->ranges);
  if (!p->bits || !p->ranges) return cap_writer_no_memory(w);
  for (int c = 0; c < group->ncolumn && p->kept <= most; c++)
    for (int64_t from = 0, to; from < p->grid.slots && p->kept <= most; from = to) {
      to = capm_thin_piece(&p->grid, from, PIECE_ROWS);
      int64_t first = capm_thin_begin(&p->grid, from), n = capm_thin_begin(&p->grid, to) - first;
      CAP_TRY(read_rows(w, group, c, first, n, p->piece));
      capm_thin_describe(&p->ranges[c], n, p->piece);
      if (c > 0) p->kept += capm_thin_mark(&p->grid, from, to, p->piece, p->bits);
    }
  *fits = p->kept <= most;
  return CAP_OK;
}

/* Mark so many rows, evenly spread, with both ends. */
static cap_status mark_cases(cap_writer *w, const cap_results_group *group, plan *p)
{
  const int64_t rows = p->grid.rows, most = rows_in(w->budget.table, group);
  p->kept = most < 2 ? 2 : most;
  p->bits = calloc((size_t)(rows / 64 + 1), sizeof *p->bits);
  p->ranges = calloc((size_t)group->ncolumn, sizeof *p->ranges);
  if (!p->bits || !p->ranges) return cap_writer_no_memory(w);
  for (int64_t i = 0; i < p->kept; i++) {
    int64_t row = (int64_t)((double)i * (double)(rows - 1) / (double)(p->kept - 1));
    p->bits[row / 64] |= UINT64_C(1) << (row % 64);
  }
  for (int c = 0; c < group->ncolumn; c++)
    for (int64_t from = 0, to; from < p->grid.slots; from = to) {
      to = capm_thin_piece(&p->grid, from, PIECE_ROWS);
      int64_t first = capm_thin_begin(&p->grid, from), n = capm_thin_begin(&p->grid, to) - first;
      CAP_TRY(read_rows(w, group, c, first, n, p->piece));
      capm_thin_describe(&p->ranges[c], n, p->piece);
    }
  return CAP_OK;
}

static void divide_columns(cap_writer *w, const cap_results_group *group, plan *p)
{
  p->how = BY_COLUMNS;
  /* A fifth is for the tail. */
  int64_t most = rows_in(w->budget.table / 5 * 4, group) / 2;
  if (p->grid.slots > most) p->grid.slots = most > 0 ? most : 1;
  p->kept = 2 * p->grid.slots;
  p->tail = rows_in(w->budget.table / 5, group);
  if (p->tail > TAIL_ROWS) p->tail = TAIL_ROWS;
  if (p->tail > p->grid.rows) p->tail = p->grid.rows;
}

static cap_status make_plan(cap_writer *w, const cap_results_group *group, plan *p)
{
  int64_t rows = group->nrow, values = rows * group->ncolumn;
  *p = (plan){.how = WHOLE, .grid = {rows, rows}, .kept = rows};
  p->exact = values <= w->budget.exact && 8 * values <= w->budget.table;
  bool cases = cap_budget_is_cases(group);
  bool whole = (rows <= WHOLE_ROWS || cases) && rows <= rows_in(w->budget.table, group);
  if (p->exact || whole) {
    if (rows > 0) p->values = malloc((size_t)rows * sizeof *p->values);
    return rows == 0 || p->values ? CAP_OK : cap_writer_no_memory(w);
  }
  p->grid.slots = rows < MOST_SLOTS ? rows : MOST_SLOTS;
  p->piece = malloc((size_t)capm_thin_longest(&p->grid, PIECE_ROWS) * sizeof *p->piece);
  if (!p->piece) return cap_writer_no_memory(w);
  /* At least one row of a slot is kept: whether all channels can share their rows is seldom worth a look. */
  bool fits = p->grid.slots <= rows_in(w->budget.table, group);
  p->how = BY_ROWS;
  p->kept = 0;
  if (cases) CAP_TRY(mark_cases(w, group, p));
  else if (fits) CAP_TRY(mark_rows(w, group, p, &fits));
  if (!cases && !fits) divide_columns(w, group, p);
  int64_t longest = capm_thin_longest(&p->grid, PIECE_ROWS), room = p->kept > p->tail ? p->kept : p->tail;
  free(p->piece);
  p->piece = malloc((size_t)longest * sizeof *p->piece);
  p->values = malloc((size_t)(room + 1) * sizeof *p->values);
  return p->piece && p->values ? CAP_OK : cap_writer_no_memory(w);
}

/* -------------------------------------------------------------------------------------------- the columns */

static void put_range(cap_page *page, const capm_thin_range *range)
{
  const struct {
    const char *key;
    double value;
  } members[] = {{"{\"min\":", range->min},
                 {",\"max\":", range->max},
                 {",\"mean\":", range->mean},
                 {",\"first\":", range->first},
                 {",\"last\":", range->last}};
  cap_page_put(page, "\"bad\":%lld,", (long long)range->bad);
  if (range->good == 0) return;
  cap_page_put(page, "\"stats\":");
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    cap_page_put(page, "%s", members[i].key);
    cap_page_number(page, members[i].value);
  }
  cap_page_put(page, "},");
}

static void put_column(cap_page *page, const cap_results_group *group, int column,
                       const capm_thin_range *range, bool exact, int64_t n, const double *values)
{
  cap_block_form form = {.row = 1};
  /* Rows of the abscissa must stay distinct. */
  if (!exact && column > 0) form.single = capm_thin_single(range, &form.base);
  cap_page_put(page, column > 0 ? ",{" : "{");
  cap_writer_quantity(page, &group->columns[column]);
  put_range(page, range);
  cap_page_put(page, "\"data\":");
  cap_page_values(page, n, values, form);
  cap_page_put(page, "}");
}

static void put_head(cap_page *page, int64_t rows, int64_t kept, thinning how, int64_t slots)
{
  static const char *const names[] = {"no", "rows", "columns"};
  cap_page_put(page, "{\"rows\":%lld,\"kept\":%lld,\"thinned\":\"%s\",\"slots\":%lld,\"columns\":[",
               (long long)rows, (long long)kept, names[how], (long long)slots);
}

/* The values of a column that the plan leaves, in p->values. */
static cap_status thin_column(cap_writer *w, const cap_results_group *group, int column, plan *p,
                              capm_thin_range *range)
{
  int64_t kept = 0;
  for (int64_t from = 0, to; from < p->grid.slots; from = to) {
    to = capm_thin_piece(&p->grid, from, PIECE_ROWS);
    int64_t first = capm_thin_begin(&p->grid, from), n = capm_thin_begin(&p->grid, to) - first;
    CAP_TRY(read_rows(w, group, column, first, n, p->piece));
    if (p->how == BY_ROWS) {
      kept += capm_thin_gather(p->bits, first, n, p->piece, p->values + kept);
      continue;
    }
    capm_thin_describe(range, n, p->piece);
    if (column == 0) capm_thin_abscissa(&p->grid, from, to, p->piece, p->values + 2 * from);
    else capm_thin_slots(&p->grid, from, to, p->piece, p->values + 2 * from);
  }
  if (p->how == BY_ROWS) *range = p->ranges[column];
  return CAP_OK;
}

static cap_status put_columns(cap_writer *w, const cap_results_group *group, plan *p)
{
  put_head(w->page, p->grid.rows, p->kept, p->how, p->how == WHOLE ? 0 : p->grid.slots);
  for (int c = 0; c < group->ncolumn; c++) {
    capm_thin_range range = {0};
    if (p->how == WHOLE) {
      CAP_TRY(read_rows(w, group, c, 0, p->grid.rows, p->values));
      capm_thin_describe(&range, p->grid.rows, p->values);
    } else {
      CAP_TRY(thin_column(w, group, c, p, &range));
    }
    put_column(w->page, group, c, &range, p->exact, p->kept, p->values);
  }
  cap_page_put(w->page, "]");
  return CAP_OK;
}

/* The last rows in full. */
static cap_status put_tail(cap_writer *w, const cap_results_group *group, const plan *p)
{
  cap_page_put(w->page, ",\"tail\":");
  put_head(w->page, p->tail, p->tail, WHOLE, 0);
  for (int c = 0; c < group->ncolumn; c++) {
    capm_thin_range range = {0};
    CAP_TRY(read_rows(w, group, c, p->grid.rows - p->tail, p->tail, p->values));
    capm_thin_describe(&range, p->tail, p->values);
    put_column(w->page, group, c, &range, false, p->tail, p->values);
  }
  cap_page_put(w->page, "]}");
  return CAP_OK;
}

static cap_status note_thinning(cap_writer *w, const cap_results_group *group, const plan *p)
{
  if (p->how == BY_ROWS && cap_budget_is_cases(group))
    return cap_writer_note(w, "%s: of %lld cases the page contains %lld, evenly spaced.", group->name,
                           (long long)p->grid.rows, (long long)p->kept);
  if (p->how == BY_ROWS)
    return cap_writer_note(w,
                           "%s: of %lld rows the page contains %lld, those with the smallest or largest "
                           "value of a channel within each of %lld intervals.",
                           group->name, (long long)p->grid.rows, (long long)p->kept,
                           (long long)p->grid.slots);
  if (p->how == BY_COLUMNS)
    return cap_writer_note(w,
                           "%s: of %lld rows the page contains the smallest and the largest value of each "
                           "channel within each of %lld intervals, and the last %lld rows in full.",
                           group->name, (long long)p->grid.rows, (long long)p->grid.slots,
                           (long long)p->tail);
  return CAP_OK;
}

cap_status cap_rows_put(cap_writer *writer, const cap_results_group *group)
{
  plan p;
  cap_page_put(writer->page, "\"table\":");
  cap_status status = make_plan(writer, group, &p);
  if (status == CAP_OK) status = put_columns(writer, group, &p);
  if (status == CAP_OK && p.how == BY_COLUMNS) status = put_tail(writer, group, &p);
  if (status == CAP_OK) status = note_thinning(writer, group, &p);
  cap_page_put(writer->page, "},");
  free_plan(&p);
  return status;
}
