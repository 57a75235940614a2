/* io/export_vtk.c — see export.h: tables and grids for VTK. */
#include "io/export_vtk.h"
#include "base/markup.h"
#include "io/export.h"
#include "io/export_frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An array with the values of its axes, NULL where there is only a number. */
typedef struct block {
  const cap_results_dataset *dataset, *axes[CAP_RESULTS_RANK];
  double *values, *axis_values[CAP_RESULTS_RANK];
} block;

static void block_free(block *b)
{
  free(b->values);
  for (int i = 0; i < CAP_RESULTS_RANK; i++) free(b->axis_values[i]);
}

static cap_status block_read(const cap_export *e, const cap_results_group *group,
                             const cap_results_dataset *d, block *b)
{
  *b = (block){.dataset = d};
  cap_status status = cap_results_read_all(e->file, group, d, &b->values, NULL, e->error);
  for (int i = 0; status == CAP_OK && i < d->rank; i++) {
    b->axes[i] = cap_results_tree_axis(group, d, i);
    if (b->axes[i])
      status = cap_results_read_all(e->file, group, b->axes[i], &b->axis_values[i], NULL, e->error);
  }
  if (status != CAP_OK) block_free(b);
  return status;
}

/* Base64 of a length in bytes followed by the values, as VTK wants inline binary data. Text numbers would be
 * readable, but VTK does not read NaN from text. */
cap_status cap_export_vtk_bytes(const cap_export *e, FILE *out, const void *data, size_t count)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  uint64_t length = count;
  size_t size = (size_t)length + sizeof length;
  unsigned char *bytes = malloc(size + 3);
  if (!bytes) return cap_export_no_memory(e);
  memcpy(bytes, &length, sizeof length);
  if (count) memcpy(bytes + sizeof length, data, count);
  memset(bytes + size, 0, 3);
  for (size_t i = 0; i < size; i += 3) {
    unsigned word = (unsigned)bytes[i] << 16 | (unsigned)bytes[i + 1] << 8 | bytes[i + 2];
    fputc(digits[word >> 18], out);
    fputc(digits[word >> 12 & 63], out);
    fputc(i + 1 < size ? digits[word >> 6 & 63] : '=', out);
    fputc(i + 2 < size ? digits[word & 63] : '=', out);
  }
  free(bytes);
  return CAP_OK;
}

cap_status cap_export_vtk_array(const cap_export *e, FILE *out, const char *name, const char *unit,
                                int64_t count, const double *values)
{
  char *text = cap_export_heading(name, unit);
  if (!text) return cap_export_no_memory(e);
  fputs("<DataArray type=\"Float64\" Name=\"", out);
  cap_markup_put(out, text);
  fputs("\" format=\"binary\">\n", out);
  free(text);
  CAP_TRY(cap_export_vtk_bytes(e, out, values, (size_t)count * sizeof *values));
  fputs("\n</DataArray>\n", out);
  return CAP_OK;
}

void cap_export_vtk_head(FILE *out, const char *type)
{
  fprintf(out,
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" "
          "header_type=\"UInt64\">\n",
          type, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "LittleEndian" : "BigEndian");
}

static void vtk_table_head(FILE *out, int ncolumn, int64_t nrow)
{
  cap_export_vtk_head(out, "Table");
  fprintf(out, "<Table>\n<Piece NumberOfCols=\"%d\" NumberOfRows=\"%" PRId64 "\">\n<RowData>\n", ncolumn,
          nrow);
}

static void vtk_table_tail(FILE *out)
{
  fputs("</RowData>\n</Piece>\n</Table>\n</VTKFile>\n", out);
}

static cap_status vtk_columns(const cap_export *e, const cap_results_group *group, FILE *out)
{
  vtk_table_head(out, group->ncolumn, group->nrow);
  for (int i = 0; i < group->ncolumn; i++) {
    double *values;
    const cap_results_dataset *d = &group->columns[i];
    CAP_TRY(cap_results_read_all(e->file, group, d, &values, NULL, e->error));
    cap_status status = cap_export_vtk_array(e, out, d->name, d->unit, group->nrow, values);
    free(values);
    CAP_TRY(status);
  }
  vtk_table_tail(out);
  return CAP_OK;
}

/* Values along dimension `dim`: the axis, or 0, 1, 2, ... */
static cap_status vtk_axis(const cap_export *e, FILE *out, const block *b, int dim)
{
  int64_t n = b->dataset->dims[dim];
  if (b->axes[dim])
    return cap_export_vtk_array(e, out, b->axes[dim]->name, b->axes[dim]->unit, n, b->axis_values[dim]);
  double *index = malloc((size_t)n * sizeof *index + sizeof *index);
  if (!index) return cap_export_no_memory(e);
  for (int64_t i = 0; i < n; i++) index[i] = (double)i;
  cap_status status = cap_export_vtk_array(e, out, "index", "", n, index);
  free(index);
  return status;
}

static cap_status vtk_curve(const cap_export *e, const block *b, FILE *out)
{
  const cap_results_dataset *d = b->dataset;
  vtk_table_head(out, 2, d->dims[0]);
  CAP_TRY(vtk_axis(e, out, b, 0));
  CAP_TRY(cap_export_vtk_array(e, out, d->name, d->unit, d->dims[0], b->values));
  vtk_table_tail(out);
  return CAP_OK;
}

/* VTK's first index runs fastest, ours the last: x is our last dimension. */
static cap_status vtk_grid(const cap_export *e, const block *b, FILE *out)
{
  const cap_results_dataset *d = b->dataset;
  int64_t last[3] = {0};
  for (int i = 0; i < d->rank; i++) last[i] = d->dims[d->rank - 1 - i] - 1;
  char extent[128];
  snprintf(extent, sizeof extent, "0 %" PRId64 " 0 %" PRId64 " 0 %" PRId64, last[0], last[1], last[2]);
  cap_export_vtk_head(out, "RectilinearGrid");
  fprintf(out, "<RectilinearGrid WholeExtent=\"%s\">\n<Piece Extent=\"%s\">\n<PointData>\n", extent, extent);
  CAP_TRY(cap_export_vtk_array(e, out, d->name, d->unit, cap_results_tree_count(d), b->values));
  fputs("</PointData>\n<Coordinates>\n", out);
  for (int i = 0; i < d->rank; i++) CAP_TRY(vtk_axis(e, out, b, d->rank - 1 - i));
  for (int i = d->rank; i < 3; i++) CAP_TRY(cap_export_vtk_array(e, out, "flat", "", 1, (double[]){0}));
  fputs("</Coordinates>\n</Piece>\n</RectilinearGrid>\n</VTKFile>\n", out);
  return CAP_OK;
}

static cap_status put_array(const cap_export *e, const cap_export_table *t, FILE *out)
{
  block b;
  CAP_TRY(block_read(e, t->group, t->arrays[0], &b));
  cap_status status = t->arrays[0]->rank == 1 ? vtk_curve(e, &b, out) : vtk_grid(e, &b, out);
  block_free(&b);
  return status;
}

static cap_status put_table(const cap_export *e, const cap_export_table *t)
{
  cap_outfile out;
  CAP_TRY(cap_export_create(e, t->file, &out));
  return cap_export_end(e, &out,
                        t->kind == CAP_EXPORT_COLUMNS ? vtk_columns(e, t->group, out.stream)
                                                      : put_array(e, t, out.stream));
}

static cap_status put(cap_export *e, int table)
{
  cap_export_kind kind = e->tables[table].kind;
  if (kind == CAP_EXPORT_FRAME) return CAP_OK; /* comes with its collection */
  return kind == CAP_EXPORT_COLLECTION ? cap_export_frames_write(e, table) : put_table(e, &e->tables[table]);
}

static cap_status plan_array(cap_export *e, const cap_results_group *group, const cap_results_dataset *d)
{
  if (d->role != CAP_RESULTS_ARRAY || d->rank > 3 || cap_results_tree_count(d) == 0) return CAP_OK;
  cap_export_table *t = cap_export_add(e, CAP_EXPORT_ARRAYS, group);
  if (t) t->arrays = CAP_ARENA_NEW(&e->arena, const cap_results_dataset *, 1);
  if (!t || !t->arrays) return cap_export_no_memory(e);
  t->arrays[t->narray++] = d;
  return cap_export_name(e, t, d->name, d->rank == 1 ? "vtt" : "vtr");
}

static cap_status plan_group(cap_export *e, const cap_results_group *group)
{
  if (group->ncolumn > 0) {
    cap_export_table *t = cap_export_add(e, CAP_EXPORT_COLUMNS, group);
    if (!t) return cap_export_no_memory(e);
    CAP_TRY(cap_export_name(e, t, NULL, "vtt"));
  }
  for (int i = 0; i < group->nitem; i++) CAP_TRY(plan_array(e, group, &group->items[i]));
  return cap_export_frames_plan(e, group);
}

static cap_status describe(const cap_export *e, const cap_export_table *t, FILE *out)
{
  (void)e;
  fprintf(out, "%s,,,\n", t->file);
  return CAP_OK;
}

cap_status cap_export_vtk(const char *h5, const char *folder, cap_error *error)
{
  cap_export e;
  cap_status status = cap_export_open(&e, h5, folder, error);
  const cap_results_tree *tree = status == CAP_OK ? cap_results_read_tree(e.file) : NULL;
  for (int i = 0; status == CAP_OK && i < tree->ngroup; i++) status = plan_group(&e, tree->groups[i]);
  if (status == CAP_OK) status = cap_export_begin(&e);
  if (status == CAP_OK) status = cap_export_list(&e, describe);
  for (int i = 0; status == CAP_OK && i < e.ntable; i++) status = put(&e, i);
  cap_export_close(&e);
  return status;
}
