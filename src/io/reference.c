/* io/reference.c — see reference.h. */
#include "io/reference.h"
#include "base/units.h"
#include "io/bind_inner.h"
#include "io/csv.h"
#include "io/text_file.h"
#include "io/yaml.h"

#include <math.h>
#include <string.h>

enum { LONGEST_PATH = 200, MOST_SEEN = 32 };

/* Text within a table: "|" would end the cell. */
static void write_cell(FILE *out, const char *text)
{
  for (; *text; text++) {
    if (*text == '|') fputc('\\', out);
    fputc(*text == '\n' ? ' ' : *text, out);
  }
}

static void write_quantity(FILE *out, const char *unit)
{
  const char *noun = cap_units_noun(unit);
  if (!*unit) fputs("a number", out);
  else if (noun) fprintf(out, "%s [%s]", noun, unit);
  else fprintf(out, "a quantity [%s]", unit);
}

static void write_range(FILE *out, const cap_field *field)
{
  char text[64];
  const char *unit = field->unit ? field->unit : "";
  if (field->low == 0.0 && field->high == 0.0) return;
  if (isfinite(field->low))
    fprintf(out, ", %s %s", field->low_open ? "above" : "at least",
            cap_units_format(text, sizeof text, field->low, unit));
  if (isfinite(field->high))
    fprintf(out, ", %s %s", field->high_open ? "below" : "at most",
            cap_units_format(text, sizeof text, field->high, unit));
}

static void write_counts(FILE *out, const cap_field *field)
{
  if (field->least && field->most) fprintf(out, ", %d to %d items", field->least, field->most);
  else if (field->least) fprintf(out, ", at least %d item%s", field->least, field->least == 1 ? "" : "s");
  else if (field->most) fprintf(out, ", at most %d items", field->most);
}

static void write_names(FILE *out, const cap_variant *variants)
{
  for (const cap_variant *v = variants; v->name; v++)
    fprintf(out, "%s `%s`", v == variants ? "" : ",", v->name);
}

/* What may stand behind the key. */
static void write_kind(FILE *out, const cap_field *field)
{
  const char *unit = field->unit ? field->unit : "";
  switch (field->kind) {
  case CAP_FIELD_REAL:
    write_quantity(out, unit);
    write_range(out, field);
    break;
  case CAP_FIELD_INT:
    fputs("a whole number", out);
    write_range(out, field);
    break;
  case CAP_FIELD_BOOL:
    fputs("`true` or `false`", out);
    break;
  case CAP_FIELD_TEXT:
    fputs("a text", out);
    break;
  case CAP_FIELD_CHOICE:
    for (int i = 0; field->choices[i]; i++) fprintf(out, "%s`%s`", i ? ", " : "", field->choices[i]);
    break;
  case CAP_FIELD_REALS:
    fputs("a list or a range `{from, to, count, spacing}`, each ", out);
    write_quantity(out, unit);
    write_range(out, field);
    write_counts(out, field);
    if (field->increasing) fputs(", increasing", out);
    break;
  case CAP_FIELD_TEXTS:
    fputs("a list of texts", out);
    write_counts(out, field);
    break;
  case CAP_FIELD_SERIES:
    fputs("pairs `[[x, y], ...]` or `{file: x.csv, x: column, y: column}`; x ", out);
    write_quantity(out, field->unit_x ? field->unit_x : "");
    fputs(field->increasing ? ", increasing; y " : "; y ", out);
    write_quantity(out, unit);
    write_range(out, field);
    break;
  case CAP_FIELD_SWEEP:
    fputs("`{parameter: path, values: [...]}` or `{parameter: path, from, to, count, spacing}`", out);
    write_counts(out, field);
    break;
  case CAP_FIELD_TABLE:
    fputs("the name of a CSV file with named columns", out);
    break;
  case CAP_FIELD_UNKNOWNS:
    fputs("a list of `{parameter: path, start, low, high, scale}`, scale `linear` or `log`", out);
    write_counts(out, field);
    break;
  case CAP_FIELD_NAMED:
    fputs("a list of texts, or a section of names with texts", out);
    write_counts(out, field);
    break;
  case CAP_FIELD_SECTION:
    if (field->short_key) fprintf(out, "a text, which is its `%s`, or ", field->short_key);
    fputs("a section, see below", out);
    break;
  case CAP_FIELD_LIST:
    fputs("a list of sections, see below", out);
    write_counts(out, field);
    break;
  case CAP_FIELD_VARIANT:
    fprintf(out, "a section with `%s`:", field->tag_key);
    write_names(out, field->variants);
    if (field->tag_default) fprintf(out, " (`%s` when not given)", field->tag_default);
    break;
  case CAP_FIELD_STEPS:
    fputs("a list; each item is one of", out);
    write_names(out, field->variants);
    break;
  case CAP_FIELD_MORE: /* has no value */
    break;
  }
}

static void write_row(FILE *out, const cap_field *field)
{
  fprintf(out, "| `%s` | ", field->key);
  write_kind(out, field);
  if (field->input) fputs("; or `{input: name, start: value}`", out);
  fputs(" | ", out);
  if (field->required) fputs("required", out);
  else if (field->fallback && *field->fallback) fprintf(out, "`%s`", field->fallback);
  fputs(" | ", out);
  if (field->doc) write_cell(out, field->doc);
  if (field->example) {
    fputs(field->doc ? "; such as `" : "such as `", out);
    write_cell(out, field->example);
    fputc('`', out);
  }
  fputs(" |\n", out);
  if (!field->hertz) return;
  cap_field frequency = cap_bind_value_hertz(field);
  fprintf(out, "| `%s` | ", frequency.key);
  write_kind(out, &frequency);
  fprintf(out, " |  | in place of `%s`: its frequency; such as `%s` |\n", field->key, frequency.example);
}

static void write_table(FILE *out, const cap_field *fields)
{
  if (!fields || !fields->key) {
    fputs("No keys.\n\n", out);
    return;
  }
  fputs("| key | value | default | meaning |\n|---|---|---|---|\n", out);
  for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w)) write_row(out, w.field);
  fputc('\n', out);
}

/* Where a set of variants was written already, so that the laws of all tensioners stand there once. */
typedef struct page {
  FILE *out;
  const char *owner;           /* the drive or analysis that is being written */
  const cap_variant *analyses; /* they have a chapter of their own */
  int nseen;
  struct {
    const cap_variant *variants;
    const char *owner;
    char path[LONGEST_PATH];
  } seen[MOST_SEEN];
} page;

static void write_inner(page *p, const char *path, const cap_field *fields);

static void write_section(page *p, const char *path, const char *name, const char *doc,
                          const cap_field *fields)
{
  fprintf(p->out, "**`%s`**%s%s%s%s\n\n", path, name ? ", " : "", name ? name : "", doc ? ": " : "",
          doc ? doc : "");
  write_table(p->out, fields);
  write_inner(p, path, fields);
}

static bool written_before(page *p, const char *path, const cap_variant *variants)
{
  for (int i = 0; i < p->nseen; i++) {
    if (p->seen[i].variants != variants) continue;
    fprintf(p->out, "**`%s`**: as `%s` of `%s`.\n\n", path, p->seen[i].path, p->seen[i].owner);
    return true;
  }
  if (p->nseen == MOST_SEEN) return false;
  p->seen[p->nseen].variants = variants;
  p->seen[p->nseen].owner = p->owner;
  snprintf(p->seen[p->nseen++].path, LONGEST_PATH, "%s", path);
  return false;
}

/* Whether fields are those of an analysis, which have their chapter. */
static bool of_analysis(const page *p, const cap_field *fields)
{
  for (const cap_variant *v = p->analyses; v && v->name; v++)
    if (v->fields == fields) return true;
  return false;
}

/* A list whose items are one of several: one table for each of them. */
static void write_steps(page *p, const char *path, const cap_variant *variants)
{
  for (const cap_variant *v = variants; v->name && variants != p->analyses; v++) {
    char inner[2 * LONGEST_PATH];
    if (of_analysis(p, v->fields)) continue;
    snprintf(inner, sizeof inner, "%s[].%s", path, v->name);
    write_section(p, inner, NULL, v->doc, v->fields);
  }
}

/* Tables of the sections within these fields. */
static void write_inner(page *p, const char *path, const cap_field *fields)
{
  for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w)) {
    const cap_field *field = w.field;
    char inner[LONGEST_PATH], name[LONGEST_PATH];
    snprintf(inner, sizeof inner, "%s%s%s%s", path, *path ? "." : "", field->key,
             field->kind == CAP_FIELD_LIST ? "[]" : "");
    if (field->kind == CAP_FIELD_SECTION || field->kind == CAP_FIELD_LIST)
      write_section(p, inner, NULL, field->doc, field->fields);
    if (field->kind == CAP_FIELD_STEPS) write_steps(p, inner, field->variants);
    if (field->kind != CAP_FIELD_VARIANT || written_before(p, inner, field->variants)) continue;
    for (const cap_variant *variant = field->variants; variant->name; variant++) {
      snprintf(name, sizeof name, "with `%s: %s`", field->tag_key, variant->name);
      write_section(p, inner, name, variant->doc, variant->fields);
    }
  }
}

static void write_units(FILE *out)
{
  fputs(
      "## Quantities and units\n\nA quantity is a number and a unit: `45 mm`, `2000 rpm`, `0.35 N m/deg`, "
      "`9.81 m/s2`. Units are joined\nby spaces, `*`, `.` or `/` (from left to right) and take exponents of "
      "one digit (`m2`, `m^2`, `s-1`).\nA number without a unit is an error unless the quantity has none; a "
      "pure number may carry `%`.\n\nAngles count: `rpm`, `rev/s` and `deg/s` are angular speeds, `Hz` is "
      "not; where an\n`angular_frequency` is accepted, a `frequency` in Hz is as well. A torsional stiffness "
      "is `N "
      "m/rad` or `N m/deg`, never `N m`.\n\n| unit | meaning | in SI | prefixes |\n|---|---|---|---|\n",
      out);
  for (const cap_units_entry *entry = cap_units_list; entry->symbol; entry++) {
    const char *definition = entry->definition ? entry->definition : entry->symbol;
    fprintf(out, "| `%s` | %s | %.10g %s | %s |\n", entry->symbol, entry->doc, entry->factor,
            strcmp(definition, "1") == 0 ? "" : definition, entry->prefixes ? "yes" : "");
  }
  fputs("\nPrefixes: T, G, M, k, h, da, d, c, m, u (or µ), n, p.\n\n", out);
}

static void write_values(FILE *out)
{
  fprintf(
      out,
      "## Lists, ranges, series, sweeps\n\n"
      "- A list of quantities is `[750 rpm, 2000 rpm]` or a range `{from: 10 rad/s, to: 125 rad/s, count: "
      "116}`\n  with both ends in it; `spacing: log` spaces it evenly in the logarithm.\n"
      "- A series is a list of pairs `[[0 s, 0 mm], [0.1 s, 2 mm]]` or two columns of a CSV file\n"
      "  `{file: loop.csv, x: time, y: deflection}`; the file is looked for next to the model file.\n"
      "- A sweep names a parameter of the drive by its path and gives its values:\n"
      "  `{parameter: load.angular_frequency, from: 10 rad/s, to: 125 rad/s, count: 116}`. A path with "
      "brackets "
      "stands in\n"
      "  quotes, since `{...}` would end there: `{parameter: \"tensioner.sliders[0].alpha\", ...}`.\n"
      "- CSV files have a header with names and units, `time [s], deflection [mm], force [N]`, or the names "
      "in\n"
      "  one line and the units in the next (`Zeit;Weg;Kraft`, then `s;mm;N` or `[s];[mm];[N]`); `-` is a "
      "pure\n"
      "  number. Separators are comma, semicolon or tab, as in the header or in a first line `sep=;`; with "
      "the\n"
      "  latter two, numbers may have a decimal comma. `#` starts a comment line. Lines of title above the\n"
      "  header are skipped, at most %d; a note says which line was read as the header. Text is UTF-8, "
      "UTF-16\n"
      "  with a byte order mark, or, when it is not UTF-8, Windows-1252 (a note says so). A file has at most "
      "%d\n"
      "  columns, %d million rows and %d MB.\n"
      "- `1/min` (`min-1`), in a CSV file or behind a number, is rpm where an angular speed is expected, and "
      "a\n"
      "  frequency where one is; `U/min` and `r/min` are rpm. `Hz` and `1/s` are never an angular speed.\n"
      "- Anchors, aliases and merge keys (`&a`, `*a`, `<<: *a`) work. A model file has at most %d MB,\n"
      "  %d values (aliases counted as often as they are used) and %d levels.\n\n",
      CAP_CSV_TITLES, CAP_CSV_COLUMNS, CAP_CSV_ROWS / 1000000, CAP_CSV_BYTES / (1024 * 1024),
      CAP_TEXT_FILE_MOST / (1024 * 1024), CAP_YAML_NODES, CAP_YAML_DEPTH);
}

static void write_owner(page *p, const char *name, const char *doc, const cap_field *fields, const char *path)
{
  p->owner = name;
  fprintf(p->out, "### `%s`\n\n%s\n\n", name, doc ? doc : "");
  write_table(p->out, fields);
  write_inner(p, path, fields);
}

cap_status cap_reference_table(const char *title, const char *intro, const cap_field *fields, FILE *out)
{
  page p = {.out = out, .owner = title};
  fprintf(out, "# %s\n\n%s\n\n", title, intro);
  write_table(out, fields);
  write_inner(&p, "", fields);
  return ferror(out) ? CAP_ERR_IO : CAP_OK;
}

cap_status cap_reference_markdown(const cap_model_parse_registry *registry, FILE *out)
{
  page p = {.out = out, .owner = "model", .analyses = registry->analyses};
  cap_field common[CAP_MODEL_PARSE_COMMON];
  cap_model_parse_common(registry, common);
  fputs(
      "# Model files\n\nA model file is YAML. It holds the keys of every model, the sections of its drive, "
      "and the analyses in\norder. `--set PATH=VALUE` changes any key from the command line: `--set "
      "load.amplitude='13 N'`,\n`--set 'analyses[0].transient.until=1 s'`, `--set 'tensioner={law: linear, "
      "k0: 2e5 N/m}'`. An item of a\nlist is addressed by its index from 0 or by its key `name`: `--set "
      "'pulleys[alternator].load.torque=8 N m'`,\nin quotes where the name has blanks or other characters: "
      "`pulleys['water pump'].inertia`. Sweeps, fits and\nstudies take the same paths.\n\n## Every model\n\n",
      out);
  write_table(out, common);
  write_inner(&p, "", common);
  write_units(out);
  write_values(out);
  fputs("## Drives\n\n", out);
  for (int i = 0; registry->drives[i]; i++) {
    const cap_drive *drive = registry->drives[i];
    write_owner(&p, drive->name, drive->doc, drive->fields, "");
  }
  fputs("## Analyses\n\n", out);
  for (const cap_variant *variant = registry->analyses; variant->name; variant++)
    write_owner(&p, variant->name, variant->doc, variant->fields, variant->name);
  return ferror(out) ? CAP_ERR_IO : CAP_OK;
}
