/* io/model_parse.c — see model_parse.h. */
#include "io/model_parse.h"
#include "base/nearest.h"
#include "io/bind.h"
#include "io/renames.h"
#include "io/text_file.h"
#include "io/tree_path.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the common keys fill. */
typedef struct head {
  int format, seed;
  double time_limit;
  const char *name, *description, *drive;
  cap_title_block title;
  cap_list analyses;
  cap_outputs outputs;
} head;

void cap_model_parse_common(const cap_model_parse_registry *registry, cap_field out[CAP_MODEL_PARSE_COMMON])
{
  const cap_field common[CAP_MODEL_PARSE_COMMON] = {
      {.key = "capstan",
       .kind = CAP_FIELD_INT,
       .offset = offsetof(head, format),
       .required = true,
       .low = CAP_MODEL_PARSE_FORMAT,
       .high = CAP_MODEL_PARSE_FORMAT,
       .example = "2",
       .doc = "format version of this file"},
      {.key = "name",
       .kind = CAP_FIELD_TEXT,
       .offset = offsetof(head, name),
       .fallback = "",
       .doc = "name of the model in results and reports"},
      {.key = "description",
       .kind = CAP_FIELD_TEXT,
       .offset = offsetof(head, description),
       .fallback = "",
       .doc = "free text about the model"},
      {.key = "title_block",
       .kind = CAP_FIELD_SECTION,
       .offset = offsetof(head, title),
       .fields = cap_title_block_fields,
       .doc = "title block of the report: customer, project, author and so on, all optional"},
      {.key = "drive",
       .kind = CAP_FIELD_TEXT,
       .offset = offsetof(head, drive),
       .required = true,
       .example = registry->drives[0] ? registry->drives[0]->name : NULL,
       .doc = "kind of drive; it determines the further sections"},
      {.key = "seed",
       .kind = CAP_FIELD_INT,
       .offset = offsetof(head, seed),
       .fallback = "1",
       .low = 0,
       .high = INFINITY,
       .doc = "seed of the random numbers of analyses that use any"},
      {.key = "time_limit",
       .kind = CAP_FIELD_REAL,
       .offset = offsetof(head, time_limit),
       .unit = "s",
       .fallback = "0 s",
       .low = 0,
       .high = INFINITY,
       .example = "10 min",
       .doc =
           "how long the run may take, by the clock on the wall; then it ends as if interrupted, with what "
           "was computed kept; 0 = as long as it needs"},
      {.key = "analyses",
       .kind = CAP_FIELD_STEPS,
       .offset = offsetof(head, analyses),
       .most = 1000,
       .variants = registry->analyses,
       .item_size = registry->largest_spec,
       .doc = "analyses in the order of computation; each starts from the final state of the previous one"},
      {.key = "outputs",
       .kind = CAP_FIELD_SECTION,
       .offset = offsetof(head, outputs),
       .fields = registry->outputs,
       .doc = "contents and sampling of the results"},
      {0}};
  memcpy(out, common, sizeof common);
}

/* ---------------------------------------------------------------------------------------------- the parts */

typedef struct parser {
  const cap_model_parse_registry *registry;
  cap_model_file *file;
  cap_diag *diag;
  cap_yaml_node *root;
  cap_bind bind;
} parser;

static cap_status no_memory(cap_diag *diag)
{
  cap_diag_add(diag, 0, 0, NULL, "out of memory");
  return CAP_ERR_NOMEM;
}

static bool locate(void *self, const char *path, int *line, int *column)
{
  const char *origin;
  return cap_tree_path_locate(self, path, line, column, &origin) && !origin;
}

static const char *written(void *self, const char *path)
{
  return cap_tree_path_written(self, path);
}

static const cap_drive *drive_of(const cap_model_parse_registry *registry, const cap_yaml_node *root)
{
  const cap_yaml_node *name = cap_yaml_find(root, "drive");
  for (int i = 0; name && name->kind == CAP_YAML_SCALAR && registry->drives[i]; i++)
    if (strcmp(registry->drives[i]->name, name->text) == 0) return registry->drives[i];
  return NULL;
}

void cap_model_parse_tables_of(const cap_model_parse_registry *registry, const cap_drive *drive,
                               cap_model_parse_tables *tables)
{
  cap_model_parse_common(registry, tables->common);
  int n = 0;
  if (drive) tables->all[n++] = drive->fields;
  tables->all[n++] = tables->common;
  if (n < 3) tables->all[n] = NULL;
}

int cap_model_parse_version(const cap_yaml_node *root)
{
  const cap_yaml_node *version = cap_yaml_find(root, "capstan");
  const char *text = version && version->kind == CAP_YAML_SCALAR ? version->text : "";
  return *text && !text[strspn(text, "0123456789")] && strlen(text) < 9 ? atoi(text) : 0;
}

/* Of an angular frequency and its frequency in Hz a setting replaces both. */
static cap_status drop_twin(cap_renames *r, const char *setting, cap_yaml_node **root)
{
  char twin[256];
  const char *equals = strchr(setting, '=');
  char *path = equals ? cap_arena_format(r->arena, "%.*s", (int)(equals - setting), setting) : NULL;
  if (!path || !cap_renames_twin(r, path, twin, sizeof twin)) return CAP_OK;
  return cap_tree_path_drop(root, twin, r->arena);
}

/* A setting that cannot be applied is a finding; what the file says is still checked. */
static cap_status apply_setting(cap_renames *r, const char *setting, cap_yaml_node **root)
{
  const char *present = cap_renames_setting(r, setting);
  if (!present) return CAP_ERR_NOMEM;
  CAP_TRY(drop_twin(r, present, root));
  cap_status status = cap_tree_path_set(root, present, r->arena, r->diag);
  return status == CAP_ERR_NOMEM ? status : CAP_OK;
}

cap_status cap_model_parse_tree(const cap_model_parse_registry *registry, int nsetting,
                                const char *const *settings, cap_arena *arena, cap_diag *diag,
                                cap_yaml_node **root)
{
  cap_model_parse_tables tables;
  cap_model_parse_tables_of(registry, drive_of(registry, *root), &tables);
  cap_renames r = {.arena = arena, .diag = diag, .warn = true};
  memcpy(r.paths, tables.all, sizeof tables.all);
  r.settings_only = cap_model_parse_version(*root) != CAP_MODEL_PARSE_FIRST;
  *root = cap_renames_map(&r, *root, tables.all);
  r.settings_only = true; /* what the file had is renamed by now */
  for (int i = 0; i < nsetting; i++) CAP_TRY(apply_setting(&r, settings[i], root));
  if (nsetting) *root = cap_renames_map(&r, *root, tables.all);
  return r.exhausted ? CAP_ERR_NOMEM : CAP_OK;
}

static cap_status read_tree(parser *p)
{
  const cap_model_file *file = p->file;
  CAP_TRY(cap_yaml_parse(file->source, strlen(file->source), NULL, &p->file->arena, p->diag, &p->root));
  if (p->root->kind != CAP_YAML_MAP) {
    cap_diag_add(p->diag, p->root->line, p->root->column, NULL,
                 "expected a model file, which is a section of keys, starting with \"capstan: %d\"",
                 CAP_MODEL_PARSE_FORMAT);
    return CAP_ERR_INPUT;
  }
  cap_status status = cap_model_parse_tree(p->registry, file->nsetting, file->settings, &p->file->arena,
                                           p->diag, &p->root);
  return status == CAP_ERR_NOMEM ? no_memory(p->diag) : status;
}

/* A finding about the value of a key at the top. */
__attribute__((format(printf, 3, 4))) static void report(parser *p, const char *key, const char *format, ...)
{
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  cap_text_file_clean(text);
  int line, column;
  const char *origin, *file = p->diag->file;
  cap_tree_path_locate(p->root, key, &line, &column, &origin);
  if (origin) p->diag->file = origin, line = column = 0;
  cap_diag_add(p->diag, line, column, origin ? NULL : key, "%s", text);
  p->diag->file = file;
}

static cap_status refuse_study(parser *p)
{
  if (!cap_yaml_find(p->root, "study") || cap_yaml_find(p->root, "drive")) return CAP_OK;
  cap_diag_add(p->diag, 0, 0, NULL,
               "this is a study file; expected a model file, which has the key \"drive\"; use capstan study");
  return CAP_ERR_INPUT;
}

/* A file of another version is not read further: its keys may mean something else. */
static cap_status check_version(parser *p)
{
  const cap_yaml_node *version = cap_yaml_find(p->root, "capstan");
  if (!version || version->kind != CAP_YAML_SCALAR) return CAP_OK; /* the table tells what is wrong */
  const char *text = version->text;
  if (!*text || text[strspn(text, "0123456789")]) return CAP_OK;
  int number = cap_model_parse_version(p->root);
  if (number == CAP_MODEL_PARSE_FIRST || number == CAP_MODEL_PARSE_FORMAT) return CAP_OK;
  report(p, "capstan", "unknown format version; expected %d or %d, got %.20s", CAP_MODEL_PARSE_FIRST,
         CAP_MODEL_PARSE_FORMAT, text);
  return CAP_ERR_INPUT;
}

static void report_drive(parser *p, const char *name)
{
  cap_nearest nearest;
  char known[300] = "";
  size_t n = 0;
  cap_nearest_start(&nearest, name);
  for (int i = 0; p->registry->drives[i]; i++) {
    const char *candidate = p->registry->drives[i]->name;
    cap_nearest_offer(&nearest, candidate);
    if (n < sizeof known)
      n += (size_t)snprintf(known + n, sizeof known - n, "%s \"%s\"", i ? "," : "", candidate);
  }
  if (nearest.best) report(p, "drive", "unknown drive \"%.60s\"; did you mean \"%s\"?", name, nearest.best);
  else report(p, "drive", "unknown drive \"%.60s\"; known are%s", name, known);
}

/* The drive that the file names; NULL after a finding,
 * or when the key is missing (the table reports that). */
static const cap_drive *find_drive(parser *p)
{
  const cap_yaml_node *name = cap_yaml_find(p->root, "drive");
  if (!name || name->kind != CAP_YAML_SCALAR) return NULL;
  for (int i = 0; p->registry->drives[i]; i++)
    if (strcmp(p->registry->drives[i]->name, name->text) == 0) return p->registry->drives[i];
  report_drive(p, name->text);
  return NULL;
}

/* The drive's own sections first: a sweep in an analysis refers to them. */
static cap_status bind_drive(parser *p, const cap_drive *drive, const cap_field *common)
{
  p->file->drive = drive;
  p->file->spec = cap_arena_alloc(&p->file->arena, drive->spec_size);
  if (!p->file->spec) return no_memory(p->diag);
  cap_bind_part parts[2] = {{.fields = drive->fields, .base = p->file->spec}, {.fields = common}};
  int before = p->diag->nerror;
  cap_bind_mapping(&p->bind, p->root, 2, parts);
  p->bind.parameters = drive->fields;
  p->bind.parameter_spec = p->file->spec;
  p->bind.parameters_sound = p->diag->nerror == before;
  return CAP_OK;
}

/* The files in the order of their reading. */
static cap_status list_inputs(parser *p)
{
  int n = 0;
  for (const cap_bind_file *file = p->bind.files; file; file = file->before) n++;
  cap_model_input *inputs = CAP_ARENA_NEW(&p->file->arena, cap_model_input, n + 1);
  if (!inputs) return no_memory(p->diag);
  p->file->ninput = n;
  p->file->inputs = inputs;
  for (const cap_bind_file *file = p->bind.files; file; file = file->before)
    inputs[--n] = (cap_model_input){.path = file->path, .hash = file->hash};
  return CAP_OK;
}

static cap_status bind_all(parser *p)
{
  const cap_drive *drive = find_drive(p);
  cap_field common[CAP_MODEL_PARSE_COMMON];
  cap_model_parse_common(p->registry, common);
  common[0].low = CAP_MODEL_PARSE_FIRST; /* "capstan" */
  if (drive) CAP_TRY(bind_drive(p, drive, common));
  head h = {0};
  cap_bind_part parts[2] = {{.fields = common, .base = &h}, {.fields = drive ? drive->fields : NULL}};
  cap_bind_unknown(&p->bind, p->root, 2, parts, !drive);
  cap_bind_mapping(&p->bind, p->root, 2, parts);
  if (p->bind.exhausted) return no_memory(p->diag);

  CAP_TRY(list_inputs(p));
  cap_model_file *file = p->file;
  file->format = h.format;
  file->seed = h.seed;
  file->time_limit = h.time_limit;
  file->name = h.name;
  file->description = h.description;
  file->title = h.title;
  file->analyses = h.analyses;
  file->outputs = h.outputs;
  return p->diag->nerror ? CAP_ERR_INPUT : CAP_OK;
}

/* Findings about what a setting brought are told under its name, as those of the tables are. */
static void name_settings(parser *p, int first)
{
  for (int i = first; i < p->diag->nitem; i++) {
    cap_diag_item *item = &p->diag->items[i];
    int line, column;
    const char *origin = NULL;
    if (!item->path || !cap_tree_path_locate(p->root, item->path, &line, &column, &origin) || !origin)
      continue;
    item->file = origin, item->line = item->column = 0;
    if (cap_bind_told(origin, item->path)) item->path = NULL;
  }
}

void cap_model_parse_check(const cap_drive *drive, const void *spec, cap_description *description,
                           cap_diag *diag)
{
  int before = diag->nerror;
  if (drive->check) drive->check(spec, diag);
  if (drive->describe && diag->nerror == before) drive->describe(spec, description, diag);
}

static cap_status check_drive(parser *p)
{
  const cap_drive *drive = p->file->drive;
  p->file->tree = p->root;
  if (!drive->check) return CAP_OK;
  p->file->described = CAP_ARENA_NEW(&p->file->arena, cap_description, 1);
  if (!p->file->described) return CAP_ERR_NOMEM;
  p->diag->locate = locate;
  p->diag->written = written;
  p->diag->locate_self = p->root;
  int before = p->diag->nitem;
  cap_model_parse_check(drive, p->file->spec, p->file->described, p->diag);
  name_settings(p, before);
  p->diag->locate = NULL; /* the tree may be freed before the diag */
  p->diag->written = NULL;
  p->diag->locate_self = NULL;
  return p->diag->nerror ? CAP_ERR_INPUT : CAP_OK;
}

/* ---------------------------------------------------------------------------------------------- the whole */

/* The folder of `path` with its "/". */
static char *folder_of(cap_arena *arena, const char *path)
{
  const char *slash = strrchr(path, '/');
  return cap_arena_format(arena, "%.*s", slash ? (int)(slash + 1 - path) : 0, path);
}

static cap_status start(cap_model_file *file, const char *path, const char *text, size_t size, int nsetting,
                        const char *const *settings)
{
  char *source = cap_arena_alloc(&file->arena, size + 1);
  const char **copies = CAP_ARENA_NEW(&file->arena, const char *, nsetting + 1);
  file->path = cap_arena_copy_text(&file->arena, path);
  if (!source || !copies || !file->path) return CAP_ERR_NOMEM;
  if (size) memcpy(source, text, size);
  for (int i = 0; i < nsetting; i++)
    if (!(copies[i] = cap_arena_copy_text(&file->arena, settings[i]))) return CAP_ERR_NOMEM;
  file->source = source;
  file->nsetting = nsetting;
  file->settings = copies;
  return CAP_OK;
}

static cap_status parse(parser *p, const char *path)
{
  CAP_TRY(read_tree(p));
  CAP_TRY(refuse_study(p));
  CAP_TRY(check_version(p));
  char *folder = folder_of(&p->file->arena, path);
  cap_units *units = cap_units_create();
  cap_status status = CAP_ERR_NOMEM;
  if (folder && units) {
    p->bind = (cap_bind){.arena = &p->file->arena, .units = units, .diag = p->diag, .folder = folder};
    status = bind_all(p);
    if (status == CAP_OK) status = check_drive(p);
  }
  cap_units_free(units);
  return status;
}

cap_status cap_model_parse_text(const cap_model_parse_registry *registry, const char *path, const char *text,
                                size_t size, int nsetting, const char *const *settings, cap_model_file **file,
                                cap_diag *diag)
{
  *file = NULL;
  cap_diag_init(diag, path);
  CAP_TRY(cap_text_file_check(text, size, diag));
  parser p = {.registry = registry, .diag = diag, .file = calloc(1, sizeof(cap_model_file))};
  if (!p.file) return no_memory(diag);
  cap_status status = start(p.file, path, text, size, nsetting, settings);
  if (status == CAP_OK) status = parse(&p, path);
  if (status == CAP_OK) {
    *file = p.file;
    return CAP_OK;
  }
  if (diag->nerror == 0) no_memory(diag);
  cap_model_parse_free(p.file);
  return status;
}

cap_status cap_model_parse_file(const cap_model_parse_registry *registry, const char *path, int nsetting,
                                const char *const *settings, cap_model_file **file, cap_diag *diag)
{
  *file = NULL;
  cap_diag_init(diag, path);
  cap_arena bytes = {0};
  char *text = NULL;
  size_t size = 0;
  cap_status status = cap_text_file_read(path, CAP_TEXT_FILE_MOST, &bytes, diag, &text, &size);
  if (status == CAP_OK) {
    cap_diag_free(diag);
    status = cap_model_parse_text(registry, path, text, size, nsetting, settings, file, diag);
  }
  cap_arena_free(&bytes);
  return status;
}

void cap_model_parse_free(cap_model_file *file)
{
  if (!file) return;
  if (file->described) cap_arena_free(&file->described->arena);
  cap_arena arena = file->arena;
  cap_arena_free(&arena);
  free(file);
}

cap_status cap_model_parse_defaults(const cap_field *fields, const char *text, cap_arena *arena, void *base,
                                    cap_error *error)
{
  cap_diag *diag = calloc(1, sizeof *diag);
  cap_bind bind = {.arena = arena, .units = cap_units_create(), .diag = diag, .folder = ""};
  cap_yaml_node *root = NULL;
  cap_status status = diag && bind.units ? CAP_OK : CAP_ERR_NOMEM;
  if (diag) cap_diag_init(diag, "defaults");
  if (status == CAP_OK) status = cap_yaml_parse(text, strlen(text), "defaults", arena, diag, &root);
  const cap_bind_part part = {.fields = fields, .base = base};
  if (status == CAP_OK) cap_bind_mapping(&bind, root, 1, &part);
  if (bind.exhausted) status = CAP_ERR_NOMEM;
  if (status == CAP_OK && diag->nerror) status = CAP_ERR_INPUT;
  if (status != CAP_OK)
    cap_status_fail(error, status, "%s", diag && diag->nitem ? diag->items[0].text : cap_status_text(status));
  cap_units_free(bind.units);
  if (diag) cap_diag_free(diag);
  free(diag);
  return status;
}
