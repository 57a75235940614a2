/* Fuzz the makers of pages and tables with results that no analysis would write: hostile names, texts,
 * numbers and shapes, in a file that is whole. Input: a list of groups, datasets and texts, cut by zero
 * bytes and told by the first byte of each; and the model file, in which the page looks for its settings.
 * Its length tells which of page, CSV and VTK is made, so that more inputs are tried in the same time;
 * replays make all. */
#include "io/export.h"
#include "io/results.h"
#include "report/report.h"
#include "target.h"

#include <math.h>

enum { MOST_PIECES = 40, MOST_VALUES = 64 };

typedef struct reader {
  const char *at, *end;
} reader;

static const char *next(reader *r)
{
  const char *piece = r->at;
  if (r->at < r->end) r->at += strlen(r->at) + 1;
  return piece < r->end ? piece : "";
}

/* A number of a few kinds, from one character of a text. */
static double number(const char *text, int k)
{
  static const double odd[] = {0, -0.0, NAN, INFINITY, -INFINITY, 1e308, -1e308, 5e-324, 1, -1};
  size_t n = strlen(text);
  unsigned char c = n ? (unsigned char)text[(size_t)k % n] : 0;
  return c < 128 ? (double)c + k : odd[c % (sizeof odd / sizeof *odd)];
}

static void put_array(cap_sink *sink, reader *r, cap_column what)
{
  const char *shape = next(r), *axes = next(r);
  int64_t dims[CAP_RESULTS_RANK], total = 1;
  int rank = 0;
  for (; shape[rank] && rank < CAP_RESULTS_RANK; rank++) {
    dims[rank] = (unsigned char)shape[rank] % 5;
    total *= dims[rank];
  }
  if (rank == 0 || total > MOST_VALUES) return;
  double values[MOST_VALUES];
  for (int k = 0; k < MOST_VALUES; k++) values[k] = number(what.name, k);
  sink->array(sink, what, rank, dims, *axes ? axes : NULL, values);
}

static void put_table(cap_sink *sink, reader *r)
{
  const char *a = next(r), *b = next(r), *rows = next(r);
  cap_column columns[] = {{a, next(r), "first"}, {b, next(r), next(r)}};
  if (sink->columns(sink, 2, columns) != CAP_OK) return;
  for (int k = 0; rows[k] && k < MOST_VALUES; k++)
    sink->rows(sink, 1, (double[]){number(rows, k), number(b, k)});
}

static void put_piece(cap_sink *sink, char kind, reader *r)
{
  const char *name = next(r);
  switch (kind) {
  case 'g':
    sink->open(sink, name, next(r), next(r));
    break;
  case 'c':
    sink->close(sink);
    break;
  case 't':
    sink->text(sink, name, next(r));
    break;
  case 'n':
    sink->number(sink, (cap_column){name, next(r), next(r)}, number(name, 0));
    break;
  case 'b':
    sink->balance(sink, 2, (cap_balance_line[]){{name, "input", number(name, 1)}, {next(r), "stored", 1}});
    break;
  case 'r':
    put_table(sink, r);
    break;
  default:
    put_array(sink, r, (cap_column){name, next(r), next(r)});
    break;
  }
}

/* The sink's calls have an order that its callers keep: one group at a time, and nothing outside of one. */
static void put_all(cap_results *results, reader *r)
{
  cap_sink *sink = cap_results_sink(results);
  bool open = false, columns = false;
  for (int k = 0; r->at < r->end && k < MOST_PIECES; k++) {
    char kind = *r->at++;
    if (kind == 'g' && open) sink->close(sink);
    if ((kind != 'g' && !open) || (kind == 'r' && columns)) {
      next(r);
      continue;
    }
    int before = cap_results_contents(results)->ngroup;
    put_piece(sink, kind, r);
    if (kind == 'g') open = cap_results_contents(results)->ngroup > before;
    if (kind == 'c') open = false;
    columns = kind == 'r' || (columns && kind != 'g');
  }
  if (open) sink->close(sink);
}

static void make(const char *path, size_t which)
{
  cap_error error = {0};
  if (which == 0) cap_report_write(path, target_path("r.html"), &error);
  if (which == 1) cap_export_csv(path, target_path("csv"), (cap_export_options){.animation = true}, &error);
  if (which == 2) cap_export_vtk(path, target_path("vtk"), &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = target_text(data, size);
  reader r = {text, text + size};
  const char *path = target_path("r.h5");
  cap_results_meta meta = {.drive = next(&r), .name = next(&r), .model = next(&r)};
  const char *setting = next(&r);
  meta.nsetting = *setting != 0;
  meta.settings = &setting;
  cap_results *results = NULL;
  cap_error error = {0};
  unlink(path);
  if (cap_results_create(path, &meta, (cap_results_options){.brief = true}, &results, &error) == CAP_OK) {
    put_all(results, &r);
    cap_status status = cap_results_finish(results, size / 3 % 2);
    cap_results_free(results);
#ifdef FUZZ_REPLAY
    for (size_t which = 0; which < 3 && status == CAP_OK; which++) make(path, which);
#else
    if (status == CAP_OK) make(path, size % 3);
#endif
  }
  free(text);
  return 0;
}
