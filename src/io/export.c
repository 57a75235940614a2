/* io/export.c — see export.h. */
#include "io/export.h"
#include "base/markup.h"
#include "base/outfile.h"
#include "io/results_read.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_AT_ONCE = 1024 };

typedef struct exporter {
  cap_results_file *file;
  const char *folder;
  cap_error *error;
} exporter;

static cap_status no_memory(const exporter *e)
{
  return cap_status_fail(e->error, CAP_ERR_NOMEM, "out of memory to export into '%s'", e->folder);
}

/* DIR/<group>[.<part>].<ending>; characters that a file name should not have become "_". */
static cap_status begin(const exporter *e, const char *group, const char *part, const char *ending,
                        cap_outfile *out)
{
  size_t head = strlen(e->folder) + 1;
  size_t size = head + strlen(group) + (part ? strlen(part) : 0) + strlen(ending) + 8;
  char *path = malloc(size);
  if (!path) return no_memory(e);
  snprintf(path, size, "%s/%s%s%s.%s", e->folder, group, part ? "." : "", part ? part : "", ending);
  for (char *c = path + head; *c; c++)
    if (!isalnum((unsigned char)*c) && !strchr("._-+=", *c)) *c = '_';
  cap_status status = cap_outfile_open(out, path, e->error);
  free(path);
  return status;
}

static cap_status end(const exporter *e, cap_outfile *out, cap_status status)
{
  if (status == CAP_OK) return cap_outfile_commit(out, e->error);
  cap_outfile_abandon(out);
  return status;
}

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

static cap_status block_read(const exporter *e, const cap_results_group *group, const cap_results_dataset *d,
                             block *b)
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

/* CSV */

static void csv_text(FILE *out, const char *text)
{
  if (!strpbrk(text, ",\"\r\n")) {
    fputs(text, out);
    return;
  }
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"') fputc('"', out);
    fputc(*text, out);
  }
  fputc('"', out);
}

static char *heading(const char *name, const char *unit)
{
  size_t size = strlen(name) + strlen(unit) + 4;
  char *text = malloc(size);
  if (text) snprintf(text, size, unit[0] ? "%s [%s]" : "%s", name, unit);
  return text;
}

static cap_status csv_heading(const exporter *e, FILE *out, const char *name, const char *unit, char after)
{
  char *text = heading(name, unit);
  if (!text) return no_memory(e);
  csv_text(out, text);
  fputc(after, out);
  free(text);
  return CAP_OK;
}

static void csv_rows(FILE *out, int ncolumn, int64_t nrow, const double *values)
{
  for (int64_t row = 0; row < nrow; row++)
    for (int c = 0; c < ncolumn; c++)
      fprintf(out, "%.17g%c", values[(int64_t)c * ROWS_AT_ONCE + row], c + 1 < ncolumn ? ',' : '\n');
}

static cap_status csv_table(const exporter *e, const cap_results_group *group, FILE *out)
{
  double *values = malloc((size_t)group->ncolumn * ROWS_AT_ONCE * sizeof *values);
  if (!values) return no_memory(e);
  cap_status status = CAP_OK;
  for (int c = 0; status == CAP_OK && c < group->ncolumn; c++)
    status = csv_heading(e, out, group->columns[c].name, group->columns[c].unit,
                         c + 1 < group->ncolumn ? ',' : '\n');
  for (int64_t first = 0; status == CAP_OK && first < group->nrow; first += ROWS_AT_ONCE) {
    int64_t n = group->nrow - first < ROWS_AT_ONCE ? group->nrow - first : ROWS_AT_ONCE;
    for (int c = 0; status == CAP_OK && c < group->ncolumn; c++)
      status = cap_results_read_part(e->file, group, &group->columns[c], first, 1, n,
                                     values + c * ROWS_AT_ONCE, e->error);
    if (status == CAP_OK) csv_rows(out, group->ncolumn, n, values);
  }
  free(values);
  return status;
}

static cap_status csv_block(const exporter *e, const block *b, FILE *out)
{
  const cap_results_dataset *d = b->dataset;
  for (int i = 0; i < d->rank; i++) {
    char index[24];
    snprintf(index, sizeof index, "index_%d", i);
    CAP_TRY(
        csv_heading(e, out, b->axes[i] ? b->axes[i]->name : index, b->axes[i] ? b->axes[i]->unit : "", ','));
  }
  CAP_TRY(csv_heading(e, out, d->name, d->unit, '\n'));
  int64_t at[CAP_RESULTS_RANK] = {0}, count = cap_results_tree_count(d);
  for (int64_t k = 0; k < count; k++) {
    for (int i = 0; i < d->rank; i++)
      if (b->axes[i]) fprintf(out, "%.17g,", b->axis_values[i][at[i]]);
      else fprintf(out, "%" PRId64 ",", at[i]);
    fprintf(out, "%.17g\n", b->values[k]);
    for (int i = d->rank - 1; i >= 0 && ++at[i] == d->dims[i]; i--) at[i] = 0;
  }
  return CAP_OK;
}

static cap_status csv_array(const exporter *e, const cap_results_group *group, const cap_results_dataset *d)
{
  block b;
  cap_outfile out;
  CAP_TRY(block_read(e, group, d, &b));
  cap_status status = begin(e, group->name, d->name, "csv", &out);
  if (status == CAP_OK) status = end(e, &out, csv_block(e, &b, out.stream));
  block_free(&b);
  return status;
}

/* Numbers and texts of a group. */
static cap_status csv_values(const exporter *e, const cap_results_group *group)
{
  cap_outfile out;
  bool any = false;
  for (int i = 0; i < group->nitem; i++) any = any || group->items[i].role != CAP_RESULTS_ARRAY;
  if (!any) return CAP_OK;
  CAP_TRY(begin(e, group->name, "values", "csv", &out));
  fputs("name,value,unit,long_name\n", out.stream);
  for (int i = 0; i < group->nitem; i++) {
    const cap_results_dataset *d = &group->items[i];
    if (d->role == CAP_RESULTS_ARRAY) continue;
    csv_text(out.stream, d->name);
    fputc(',', out.stream);
    if (d->role == CAP_RESULTS_NUMBER) fprintf(out.stream, "%.17g", d->number);
    else csv_text(out.stream, d->text);
    fputc(',', out.stream);
    csv_text(out.stream, d->unit);
    fputc(',', out.stream);
    csv_text(out.stream, d->long_name);
    fputc('\n', out.stream);
  }
  return end(e, &out, CAP_OK);
}

static cap_status csv_audit(const exporter *e, const cap_results_group *group)
{
  const cap_results_balance *b = &group->balance;
  cap_outfile out;
  if (b->nline == 0) return CAP_OK;
  CAP_TRY(begin(e, group->name, "audit", "csv", &out));
  fputs("name,kind,energy [J]\n", out.stream);
  bool stated = false;
  for (int i = 0; i < b->nline; i++) {
    csv_text(out.stream, b->lines[i].name);
    fputc(',', out.stream);
    csv_text(out.stream, b->lines[i].kind);
    fprintf(out.stream, ",%.17g\n", b->lines[i].energy);
    stated = stated || strcmp(b->lines[i].kind, "residual") == 0;
  }
  if (!stated) fprintf(out.stream, "residual,residual,%.17g\n", b->residual);
  return end(e, &out, CAP_OK);
}

static cap_status csv_group(const exporter *e, const cap_results_group *group)
{
  cap_outfile out;
  if (group->ncolumn > 0) {
    CAP_TRY(begin(e, group->name, NULL, "csv", &out));
    CAP_TRY(end(e, &out, csv_table(e, group, out.stream)));
  }
  for (int i = 0; i < group->nitem; i++)
    if (group->items[i].role == CAP_RESULTS_ARRAY) CAP_TRY(csv_array(e, group, &group->items[i]));
  CAP_TRY(csv_values(e, group));
  return csv_audit(e, group);
}

/* VTK */

/* Base64 of a length in bytes followed by the values, as VTK wants inline binary data. Text numbers would be
 * readable, but VTK does not read NaN from text. */
static cap_status vtk_values(const exporter *e, FILE *out, int64_t count, const double *values)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  uint64_t length = (uint64_t)count * 8;
  size_t size = (size_t)length + sizeof length;
  unsigned char *bytes = malloc(size + 3);
  if (!bytes) return no_memory(e);
  memcpy(bytes, &length, sizeof length);
  if (count) memcpy(bytes + sizeof length, values, (size_t)length);
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

static cap_status vtk_array(const exporter *e, FILE *out, const char *name, const char *unit, int64_t count,
                            const double *values)
{
  char *text = heading(name, unit);
  if (!text) return no_memory(e);
  fputs("<DataArray type=\"Float64\" Name=\"", out);
  cap_markup_put(out, text);
  fputs("\" format=\"binary\">\n", out);
  free(text);
  CAP_TRY(vtk_values(e, out, count, values));
  fputs("\n</DataArray>\n", out);
  return CAP_OK;
}

static void vtk_head(FILE *out, const char *type)
{
  fprintf(out,
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" "
          "header_type=\"UInt64\">\n",
          type, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "LittleEndian" : "BigEndian");
}

static void vtk_table_head(FILE *out, int ncolumn, int64_t nrow)
{
  vtk_head(out, "Table");
  fprintf(out, "<Table>\n<Piece NumberOfCols=\"%d\" NumberOfRows=\"%" PRId64 "\">\n<RowData>\n", ncolumn,
          nrow);
}

static void vtk_table_tail(FILE *out)
{
  fputs("</RowData>\n</Piece>\n</Table>\n</VTKFile>\n", out);
}

static cap_status vtk_columns(const exporter *e, const cap_results_group *group, FILE *out)
{
  vtk_table_head(out, group->ncolumn, group->nrow);
  for (int i = 0; i < group->ncolumn; i++) {
    double *values;
    const cap_results_dataset *d = &group->columns[i];
    CAP_TRY(cap_results_read_all(e->file, group, d, &values, NULL, e->error));
    cap_status status = vtk_array(e, out, d->name, d->unit, group->nrow, values);
    free(values);
    CAP_TRY(status);
  }
  vtk_table_tail(out);
  return CAP_OK;
}

/* Values along dimension `dim`: the axis, or 0, 1, 2, ... */
static cap_status vtk_axis(const exporter *e, FILE *out, const block *b, int dim)
{
  int64_t n = b->dataset->dims[dim];
  if (b->axes[dim]) return vtk_array(e, out, b->axes[dim]->name, b->axes[dim]->unit, n, b->axis_values[dim]);
  double *index = malloc((size_t)n * sizeof *index + sizeof *index);
  if (!index) return no_memory(e);
  for (int64_t i = 0; i < n; i++) index[i] = (double)i;
  cap_status status = vtk_array(e, out, "index", "", n, index);
  free(index);
  return status;
}

static cap_status vtk_curve(const exporter *e, const block *b, FILE *out)
{
  const cap_results_dataset *d = b->dataset;
  vtk_table_head(out, 2, d->dims[0]);
  CAP_TRY(vtk_axis(e, out, b, 0));
  CAP_TRY(vtk_array(e, out, d->name, d->unit, d->dims[0], b->values));
  vtk_table_tail(out);
  return CAP_OK;
}

/* VTK's first index runs fastest, ours the last: x is our last dimension. */
static cap_status vtk_grid(const exporter *e, const block *b, FILE *out)
{
  const cap_results_dataset *d = b->dataset;
  int64_t last[3] = {0};
  for (int i = 0; i < d->rank; i++) last[i] = d->dims[d->rank - 1 - i] - 1;
  char extent[128];
  snprintf(extent, sizeof extent, "0 %" PRId64 " 0 %" PRId64 " 0 %" PRId64, last[0], last[1], last[2]);
  vtk_head(out, "RectilinearGrid");
  fprintf(out, "<RectilinearGrid WholeExtent=\"%s\">\n<Piece Extent=\"%s\">\n<PointData>\n", extent, extent);
  CAP_TRY(vtk_array(e, out, d->name, d->unit, cap_results_tree_count(d), b->values));
  fputs("</PointData>\n<Coordinates>\n", out);
  for (int i = 0; i < d->rank; i++) CAP_TRY(vtk_axis(e, out, b, d->rank - 1 - i));
  for (int i = d->rank; i < 3; i++) CAP_TRY(vtk_array(e, out, "flat", "", 1, (double[]){0}));
  fputs("</Coordinates>\n</Piece>\n</RectilinearGrid>\n</VTKFile>\n", out);
  return CAP_OK;
}

static cap_status vtk_item(const exporter *e, const cap_results_group *group, const cap_results_dataset *d)
{
  block b;
  cap_outfile out;
  if (d->role != CAP_RESULTS_ARRAY || d->rank > 3 || cap_results_tree_count(d) == 0) return CAP_OK;
  CAP_TRY(block_read(e, group, d, &b));
  cap_status status = begin(e, group->name, d->name, d->rank == 1 ? "vtt" : "vtr", &out);
  if (status == CAP_OK)
    status = end(e, &out, d->rank == 1 ? vtk_curve(e, &b, out.stream) : vtk_grid(e, &b, out.stream));
  block_free(&b);
  return status;
}

static cap_status vtk_group(const exporter *e, const cap_results_group *group)
{
  cap_outfile out;
  if (group->ncolumn > 0) {
    CAP_TRY(begin(e, group->name, NULL, "vtt", &out));
    CAP_TRY(end(e, &out, vtk_columns(e, group, out.stream)));
  }
  for (int i = 0; i < group->nitem; i++) CAP_TRY(vtk_item(e, group, &group->items[i]));
  return CAP_OK;
}

static cap_status export_groups(const char *h5, const char *folder,
                                cap_status (*put)(const exporter *, const cap_results_group *),
                                cap_error *error)
{
  exporter e = {.folder = folder, .error = error};
  CAP_TRY(cap_results_read_open(h5, &e.file, error));
  cap_status status = cap_outfile_folder(folder, error);
  const cap_results_tree *tree = cap_results_read_tree(e.file);
  for (int i = 0; status == CAP_OK && i < tree->ngroup; i++) status = put(&e, tree->groups[i]);
  cap_results_read_close(e.file);
  return status;
}

cap_status cap_export_csv(const char *h5, const char *folder, cap_error *error)
{
  return export_groups(h5, folder, csv_group, error);
}

cap_status cap_export_vtk(const char *h5, const char *folder, cap_error *error)
{
  return export_groups(h5, folder, vtk_group, error);
}
