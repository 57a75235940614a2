/* cli/migrate.c — capstan migrate FILE.yaml: model files, study files and entries of the atlas in the names
 * of the present format version. */
#include "io/migrate.h"
#include "atlas/entry.h"
#include "base/outfile.h"
#include "cli/cli.h"
#include "cli/screen.h"
#include "cli/terminal.h"
#include "io/model_parse.h"
#include "io/text_file.h"
#include "study/study_fields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DRIVES = 12 };

typedef struct request {
  const char *output;
  int in_place, check;
} request;

/* What a file is and what it refers to. */
typedef struct migration {
  const char *path;
  cap_arena arena;
  cap_model_parse_tables tables; /* of the model, or of all drives alike */
  const cap_field *paths[MOST_DRIVES + 3];
  const cap_field *keys[3];
  cap_migrate_kind kind;
} migration;

static const cap_yaml_node *find_text(const cap_yaml_node *map, const char *key)
{
  const cap_yaml_node *node = cap_yaml_find(map, key);
  return node && node->kind == CAP_YAML_SCALAR ? node : NULL;
}

static const cap_drive *drive_of(const cap_yaml_node *root)
{
  const cap_yaml_node *name = find_text(root, "drive");
  return name ? cap_registry_drive(name->text) : NULL;
}

/* The drive of a model file that another file names; NULL when that cannot be read. */
static const cap_drive *drive_of_file(migration *m, const char *name)
{
  const char *slash = strrchr(m->path, '/');
  int folder = slash && *name != '/' ? (int)(slash + 1 - m->path) : 0;
  char *path = cap_arena_format(&m->arena, "%.*s%s", folder, m->path, name), *text;
  size_t size;
  cap_yaml_node *root;
  cap_diag *silent = calloc(1, sizeof *silent);
  bool read = path && silent &&
              cap_text_file_read(path, CAP_TEXT_FILE_MOST, &m->arena, silent, &text, &size) == CAP_OK &&
              cap_yaml_parse(text, size, NULL, &m->arena, silent, &root) == CAP_OK;
  cap_diag_free(silent);
  free(silent);
  return read ? drive_of(root) : NULL;
}

static void add_path(migration *m, const cap_field *fields)
{
  int n = 0;
  for (; m->paths[n]; n++)
    if (m->paths[n] == fields) return;
  if (n < MOST_DRIVES + 2) m->paths[n] = fields;
}

/* Paths lead into the drives of these models; into all where one is not known. */
static void add_drive(migration *m, const cap_drive *drive)
{
  if (drive) add_path(m, drive->fields);
  for (int i = 0; !drive && cap_registry_drives[i]; i++) add_path(m, cap_registry_drives[i]->fields);
}

static void find_models(migration *m, const cap_yaml_node *root)
{
  const cap_yaml_node *model = find_text(root, "model"), *runs = cap_yaml_find(root, "runs");
  if (model) add_drive(m, drive_of_file(m, model->text));
  for (int i = 0; runs && runs->kind == CAP_YAML_LIST && i < runs->n; i++) {
    model = find_text(runs->items[i], "model");
    if (model) add_drive(m, drive_of_file(m, model->text));
  }
}

/* False: it is none of the files that have names to change. */
static bool find_kind(migration *m, const cap_yaml_node *root)
{
  cap_model_parse_registry registry = cap_model_file_registry();
  bool model = cap_yaml_find(root, "drive"), study = !model && cap_yaml_find(root, "study");
  if (!model && !study && !cap_yaml_find(root, "claims")) return false;
  cap_model_parse_tables_of(&registry, model ? drive_of(root) : NULL, &m->tables);
  if (model) memcpy(m->keys, m->tables.all, sizeof m->keys);
  else m->keys[0] = study ? cap_study_fields_table : cap_entry_fields;
  if (model) add_drive(m, drive_of(root));
  else find_models(m, root);
  add_path(m, m->tables.common);
  m->kind = (cap_migrate_kind){.tables = m->keys, .paths = m->paths, .versioned = model || study};
  return true;
}

static cap_status migrate(migration *m, const char **text, const char **out, int *nchange, cap_diag *diag)
{
  char *source;
  size_t size;
  cap_yaml_node *root;
  CAP_TRY(cap_text_file_read(m->path, CAP_TEXT_FILE_MOST, &m->arena, diag, &source, &size));
  CAP_TRY(cap_text_file_check(source, size, diag));
  CAP_TRY(cap_yaml_parse(source, size, NULL, &m->arena, diag, &root));
  *text = source;
  if (root->kind == CAP_YAML_MAP && find_kind(m, root))
    return cap_migrate_text(source, &m->kind, &m->arena, diag, out, nchange);
  cap_diag_add(diag, 0, 0, NULL,
               "expected a model file (with the key \"drive\"), a study (\"study\") or an entry of the atlas "
               "(\"claims\")");
  return CAP_ERR_INPUT;
}

static int write_file(const char *path, const char *text)
{
  cap_error error = {0};
  cap_outfile out;
  cap_status status = cap_outfile_open(&out, path, &error);
  if (status == CAP_OK) {
    fputs(text, out.stream);
    status = cap_outfile_commit(&out, &error);
  }
  cap_outfile_abandon(&out);
  error.status = status;
  return status == CAP_OK ? CAP_CLI_FINE : cap_terminal_fail(&error);
}

static int put(const migration *m, const char *text, const char *out, int nchange, const request *to)
{
  if (to->check) {
    if (nchange) printf("%s: %d place%s to be rewritten\n", m->path, nchange, nchange == 1 ? "" : "s");
    return nchange ? CAP_CLI_FAILED : CAP_CLI_FINE;
  }
  if (to->in_place) return strcmp(text, out) == 0 ? CAP_CLI_FINE : write_file(m->path, out);
  if (to->output) return write_file(to->output, out);
  if (cap_screen_file(out) == 0) return CAP_CLI_FINE;
  cap_terminal_error("cannot write to standard output: %s", strerror(errno));
  return CAP_CLI_USAGE;
}

static int rewrite(migration *m, cap_diag *diag, const request *to)
{
  const char *text = NULL, *out = NULL;
  int nchange = 0;
  cap_diag_init(diag, m->path);
  cap_status status = migrate(m, &text, &out, &nchange, diag);
  int code = cap_terminal_findings(diag);
  if (status != CAP_OK || code != CAP_CLI_FINE) return code == CAP_CLI_FINE ? CAP_CLI_FAILED : code;
  return put(m, text, out, nchange, to);
}

static int run(void *self, const cap_option_texts *arguments)
{
  const request *to = self;
  if ((to->output != NULL) + to->in_place + to->check > 1)
    return cap_command_refuse(&cap_cli_migrate_command, "expected one of -o, --in-place and --check");
  migration *m = calloc(1, sizeof *m);
  cap_diag *diag = calloc(1, sizeof *diag);
  int code = CAP_CLI_FAILED;
  if (m && diag) {
    m->path = arguments->v[0];
    code = rewrite(m, diag, to);
    cap_diag_free(diag);
    cap_arena_free(&m->arena);
  } else {
    fputs("capstan: out of memory\n", stderr);
  }
  free(diag);
  free(m);
  return code;
}

const cap_command cap_cli_migrate_command = {
    .name = "migrate",
    .doc = "rewrite a file of an earlier format version with the present names of keys and channels",
    .arguments = (const cap_argument[]){{"FILE.yaml", false, false,
                                         "model file, study file or entry of the atlas"},
                                        {0}},
    .options = (const cap_option[]){{"-o", NULL, CAP_OPTION_TEXT, offsetof(request, output), "OUT.yaml", NULL,
                                     "where to write it; default: to the terminal", false},
                                    {"--in-place", NULL, CAP_OPTION_FLAG, offsetof(request, in_place), NULL,
                                     NULL, "rewrite the file itself", false},
                                    {"--check", NULL, CAP_OPTION_FLAG, offsetof(request, check), NULL, NULL,
                                     "write nothing; exit code 1 if there is something to rewrite", false},
                                    {0}},
    .exits = (const unsigned char[]){CAP_CLI_FAILED, 0},
    .request_size = sizeof(request),
    .run = run,
};
