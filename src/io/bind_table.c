/* io/bind_table.c — tables of named columns from CSV files. See bind_inner.h. */
#include "base/nearest.h"
#include "io/bind_inner.h"
#include "io/csv.h"

#include <string.h>
#include <strings.h>

typedef struct keys {
  const char *file;
} keys;

const cap_field cap_bind_table_fields[] = {{.key = "file",
                                            .kind = CAP_FIELD_TEXT,
                                            .offset = offsetof(keys, file),
                                            .required = true,
                                            .example = "sheave.csv",
                                            .doc = "CSV file with units in its header"},
                                           {0}};

static bool is_known(const cap_field *field, const char *name)
{
  for (const cap_table_column *c = field->columns; c->name; c++)
    if (strcasecmp(c->name, name) == 0) return true;
  return false;
}

static void report_missing(cap_bind *bind, const cap_bind_spot *spot, const cap_yaml_node *node,
                           const cap_field *field, const cap_table_column *column, const cap_csv *csv)
{
  cap_nearest nearest;
  cap_nearest_start(&nearest, column->name);
  for (int i = 0; i < csv->ncolumn; i++)
    if (!is_known(field, csv->names[i])) cap_nearest_offer(&nearest, csv->names[i]);
  cap_bind_inner_report(bind, spot, node, "the file has no column \"%s\"%s%s%s", column->name,
                        nearest.best ? "; is it \"" : "", nearest.best ? nearest.best : "",
                        nearest.best ? "\"?" : "");
}

static const double *column_of(cap_bind *bind, const cap_bind_spot *spot, const cap_yaml_node *node,
                               const cap_field *field, const cap_table_column *column, const cap_csv *csv)
{
  int index = cap_csv_find(csv, column->name);
  if (index < 0) {
    if (column->required) report_missing(bind, spot, node, field, column, csv);
    return NULL;
  }
  const char *got = csv->units[index];
  if (*column->unit ? cap_units_alike(bind->units, got, column->unit) : !*got) return csv->values[index];
  cap_bind_inner_report(bind, spot, node, "expected the column \"%s\" in %s, got it in %s", column->name,
                        *column->unit ? column->unit : "no unit", *got ? got : "no unit");
  return NULL;
}

static void pick_columns(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, cap_table *place,
                         const cap_yaml_node *node, const char *path, const cap_csv *csv)
{
  int count = 0;
  while (field->columns[count].name) count++;
  const double **columns = cap_bind_inner_array(bind, count, sizeof *columns);
  if (!columns) return;
  for (int c = 0; c < count; c++) {
    const double *from = column_of(bind, spot, node, field, &field->columns[c], csv);
    double *to = from ? cap_bind_inner_array(bind, csv->nrow, sizeof *to) : NULL;
    if (to) memcpy(to, from, (size_t)csv->nrow * sizeof *to);
    columns[c] = to;
  }
  *place = (cap_table){.n = csv->nrow, .columns = columns, .file = path};
}

void cap_bind_table_field(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, cap_table *place,
                          const cap_yaml_node *node)
{
  keys k = {0};
  int before = bind->diag->nerror;
  if (node->kind != CAP_YAML_MAP) {
    cap_bind_inner_expected(bind, spot, node, field, "");
    return;
  }
  cap_bind_inner_section(bind, spot, cap_bind_table_fields, &k, node);
  if (bind->diag->nerror > before || bind->exhausted) return;
  char *path = cap_arena_format(bind->arena, "%s%s", k.file[0] == '/' ? "" : bind->folder, k.file);
  if (!path) {
    bind->exhausted = true;
    return;
  }
  cap_field rows = *field;
  if (!rows.most) rows.most = CAP_CSV_ROWS;
  cap_bind_spot file = {.up = spot, .key = "file"};
  const cap_yaml_node *at = cap_yaml_find(node, "file");
  cap_csv csv;
  cap_status status = cap_csv_read(path, bind->units, bind->arena, bind->diag, &csv);
  if (status == CAP_ERR_NOMEM) bind->exhausted = true;
  if (status != CAP_OK) cap_bind_inner_report(bind, &file, at, "the file \"%.120s\" cannot be used", path);
  else if (cap_bind_inner_count(bind, &file, &rows, at, csv.nrow))
    pick_columns(bind, &file, field, place, at, path, &csv);
}
