/* io/export.c — see export.h: names of files, and the folder. */
#include "io/export_inner.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { LONGEST = 200 /* bytes of a file's name */ };
static const char contents[] = "contents.csv";
static const char contents_head[] = "file,column,unit,long_name\n";

cap_status cap_export_no_memory(const cap_export *e)
{
  return cap_status_fail(e->error, CAP_ERR_NOMEM, "out of memory to export into '%s'", e->folder);
}

cap_status cap_export_open(cap_export *e, const char *h5, const char *folder, cap_error *error)
{
  *e = (cap_export){.folder = folder, .error = error};
  return cap_results_read_open(h5, &e->file, error);
}

void cap_export_close(cap_export *e)
{
  free(e->listed);
  free(e->tables);
  cap_arena_free(&e->arena);
  cap_results_read_close(e->file);
}

cap_export_table *cap_export_add(cap_export *e, cap_export_kind kind, const cap_results_group *group)
{
  if (e->ntable == e->room) {
    int room = 2 * e->room + 16;
    cap_export_table *tables = realloc(e->tables, (size_t)room * sizeof *tables);
    if (!tables) return NULL;
    e->tables = tables;
    e->room = room;
  }
  e->tables[e->ntable] = (cap_export_table){.kind = kind, .group = group};
  return &e->tables[e->ntable++];
}

static bool is_taken(const cap_export *e, const char *name)
{
  if (strcasecmp(name, contents) == 0) return true;
  for (int i = 0; i < e->ntable; i++)
    if (e->tables[i].file && strcasecmp(e->tables[i].file, name) == 0) return true;
  return false;
}

cap_status cap_export_name(cap_export *e, cap_export_table *table, const char *part, const char *ending)
{
  char *stem = cap_arena_format(&e->arena, "%s%s%s", table->group->name, part ? "." : "", part ? part : "");
  if (!stem) return cap_export_no_memory(e);
  if (strlen(stem) > LONGEST) stem[LONGEST] = '\0';
  for (char *c = stem; *c; c++)
    if (!isalnum((unsigned char)*c) && !strchr("._-+=", *c)) *c = '_';
  if (stem[0] == '.') stem[0] = '_'; /* neither hidden nor the folder above */
  const char *name = cap_arena_format(&e->arena, "%s.%s", stem, ending);
  for (int k = 2; name && is_taken(e, name); k++)
    name = cap_arena_format(&e->arena, "%s-%d.%s", stem, k, ending);
  table->file = name;
  return name ? CAP_OK : cap_export_no_memory(e);
}

static char *path_of(const cap_export *e, const char *file)
{
  char *path = NULL;
  return asprintf(&path, "%s/%s", e->folder, file) < 0 ? NULL : path;
}

static bool is_there(const char *path)
{
  struct stat info;
  return lstat(path, &info) == 0;
}

/* contents.csv of an earlier export; anything else under that name is refused. */
static cap_status read_contents(cap_export *e)
{
  char *path = path_of(e, contents);
  FILE *file = path ? fopen(path, "rbe") : NULL;
  size_t length = 0;
  struct stat info;
  bool plain = file && fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode);
  size_t size = plain ? (size_t)info.st_size : 0;
  e->listed = malloc(size + 1);
  if (e->listed && plain) length = fread(e->listed, 1, size, file);
  if (e->listed) e->listed[length] = '\0';
  if (file) fclose(file);
  cap_status status = path && e->listed ? CAP_OK : cap_export_no_memory(e);
  if (status == CAP_OK && is_there(path) &&
      (!plain || strncmp(e->listed, contents_head, sizeof contents_head - 1) != 0))
    status = cap_status_fail(
        e->error, CAP_ERR_INPUT,
        "%s: expected a list of capstan export, got another file, which is not overwritten; "
        "remove it, or select another folder",
        path);
  free(path);
  return status;
}

/* Whether an earlier export wrote the file. */
static bool is_listed(const char *listed, const char *file)
{
  size_t length = strlen(file);
  for (const char *line = listed; line; line = strchr(line, '\n')) {
    if (*line == '\n') line++;
    if (strncmp(line, file, length) == 0 && line[length] == ',') return true;
  }
  return false;
}

cap_status cap_export_begin(cap_export *e)
{
  CAP_TRY(read_contents(e));
  for (int i = 0; i < e->ntable; i++) {
    char *path = path_of(e, e->tables[i].file);
    if (!path) return cap_export_no_memory(e);
    bool foreign = is_there(path) && !is_listed(e->listed, e->tables[i].file);
    cap_status status =
        foreign ? cap_status_fail(
                      e->error, CAP_ERR_INPUT,
                      "%s: expected a file that %s/%s lists, got another, which is not overwritten; remove "
                      "it, or select another folder",
                      path, e->folder, contents)
                : CAP_OK;
    free(path);
    CAP_TRY(status);
  }
  return cap_outfile_folder(e->folder, e->error);
}

/* The folder of a file within the folder of the export. */
static cap_status make_inner(const cap_export *e, const char *file)
{
  const char *end = strchr(file, '/');
  char *path = NULL;
  if (!end) return CAP_OK;
  if (asprintf(&path, "%s/%.*s", e->folder, (int)(end - file), file) < 0) return cap_export_no_memory(e);
  cap_status status = cap_outfile_folder(path, e->error);
  free(path);
  return status;
}

cap_status cap_export_create(const cap_export *e, const char *file, cap_outfile *out)
{
  *out = (cap_outfile){0};
  CAP_TRY(make_inner(e, file));
  char *path = path_of(e, file);
  if (!path) return cap_export_no_memory(e);
  cap_status status = cap_outfile_open(out, path, e->error);
  out->hasty = true;
  free(path);
  return status;
}

cap_status cap_export_end(const cap_export *e, cap_outfile *out, cap_status status)
{
  if (status == CAP_OK) return cap_outfile_commit(out, e->error);
  cap_outfile_abandon(out);
  return status;
}

/* Lines of earlier exports about files that this one does not write. */
static void keep_listed(const cap_export *e, FILE *out)
{
  for (const char *line = strchr(e->listed, '\n'); line && line[1]; line = strchr(line, '\n')) {
    line++;
    size_t length = strcspn(line, "\n"), name = strcspn(line, ",\n");
    bool own = false;
    for (int i = 0; i < e->ntable && !own; i++)
      own = strlen(e->tables[i].file) == name && strncmp(e->tables[i].file, line, name) == 0;
    if (!own) fprintf(out, "%.*s\n", (int)length, line);
  }
}

cap_status cap_export_list(const cap_export *e,
                           cap_status (*describe)(const cap_export *, const cap_export_table *, FILE *))
{
  cap_outfile out;
  CAP_TRY(cap_export_create(e, contents, &out));
  fputs(contents_head, out.stream);
  cap_status status = CAP_OK;
  for (int i = 0; status == CAP_OK && i < e->ntable; i++) status = describe(e, &e->tables[i], out.stream);
  keep_listed(e, out.stream);
  return cap_export_end(e, &out, status);
}

char *cap_export_heading(const char *name, const char *unit)
{
  char *text = NULL;
  return asprintf(&text, unit[0] ? "%s [%s]" : "%s", name, unit) < 0 ? NULL : text;
}

void cap_export_cell(FILE *out, const char *text, size_t length)
{
  bool formula = length > 0 && strchr("=+-@\t\r", text[0]);
  bool quoted = false;
  for (size_t i = 0; i < length; i++) quoted = quoted || strchr(",\"\r\n", text[i]);
  if (quoted) fputc('"', out);
  if (formula) fputc('\'', out);
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '"') fputc('"', out);
    fputc(text[i], out);
  }
  if (quoted) fputc('"', out);
}
