/* cli/atlas.c — capstan atlas list | run ID... | run --all. */
#include "atlas/atlas.h"
#include "atlas/atlas_write.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/outfile.h"
#include "base/platform.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "io/execute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct request {
  int all, json, quick, quiet, threads;
  const char *pages, *folder;
  int nid;
  const char *const *ids;
} request;

/* Where the entries are: the first of the usual places that exists. */
static const char *find_folder(cap_arena *arena)
{
  const char *given = getenv("CAPSTAN_ATLAS");
  if (given && *given) return given;
  if (access("atlas", F_OK) == 0) return "atlas";
  char program[4096];
  if (!cap_platform_program(program, sizeof program)) return "atlas";
  *strrchr(program, '/') = '\0';
  static const char *const places[] = {"../share/capstan/atlas", "../../atlas"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const char *place = cap_arena_format(arena, "%s/%s", program, places[i]);
    if (place && access(place, F_OK) == 0) return place;
  }
  return "atlas";
}

/* An entry, or NULL after its findings were printed. */
static cap_entry *read_entry(const char *folder, const char *id)
{
  cap_arena arena = {0};
  cap_diag diag;
  cap_entry *entry = NULL;
  const char *path = cap_arena_format(&arena, "%s/%s", folder, id);
  if (path && cap_entry_read(path, &entry, &diag) != CAP_OK) fprintf(stderr, "%s", cap_diag_text(&diag));
  if (path) cap_diag_free(&diag);
  else cap_terminal_error("out of memory");
  cap_arena_free(&arena);
  return entry;
}

/* list */

static void count_tags(const cap_entry *entry, int counts[2])
{
  const cap_entry_claim *claims = entry->claims.items;
  counts[0] = counts[1] = 0;
  for (int i = 0; i < entry->claims.n; i++) counts[claims[i].tag]++;
}

static int list_entries(const request *r, int n, const char *const *ids)
{
  int code = 0, nprinted = 0;
  if (r->json) fputs("[", stdout);
  for (int i = 0; i < n; i++) {
    cap_entry *entry = read_entry(r->folder, ids[i]);
    if (!entry) {
      code = CAP_CLI_USAGE;
      continue;
    }
    int counts[2];
    count_tags(entry, counts);
    if (r->json) {
      fputs(nprinted++ ? ",\n {\"id\": " : "{\"id\": ", stdout);
      cap_json_text(stdout, entry->id);
      fputs(", \"title\": ", stdout);
      cap_json_text(stdout, entry->title);
      fputs(", \"source\": ", stdout);
      cap_json_text(stdout, entry->source);
      printf(", \"quick\": %d, \"long\": %d}", counts[0], counts[1]);
    } else {
      printf("%-24s %3d quick, %2d long   %s\n", entry->id, counts[0], counts[1], entry->title);
    }
    cap_entry_free(entry);
  }
  if (r->json) fputs("]\n", stdout);
  return code;
}

/* run */

static const char *verdict(const cap_atlas_claim *c)
{
  if (c->trouble) return "NO VALUE";
  if (c->changed) return c->holds ? "NOW HOLDS" : "FAILS";
  return c->holds ? "holds" : "known not";
}

static void print_outcome(const cap_atlas_outcome *o)
{
  printf("%s: %s (%s; %.1f s)\n", o->entry->id, o->entry->title, o->entry->source, o->wall_s);
  for (int i = 0; i < o->nclaim; i++) {
    const cap_atlas_claim *c = &o->claims[i];
    char value[64] = "-";
    if (!c->trouble)
      snprintf(value, sizeof value, "%.6g%s%s", c->value, c->claim->unit[0] ? " " : "", c->claim->unit);
    printf("  %-9s  %-28s %-18s expected %s\n", verdict(c), c->claim->id, value, c->claim->expected);
    if (c->trouble) printf("             %s\n", c->trouble);
    if (!c->holds && c->claim->note[0]) printf("             %s\n", c->claim->note);
    if (c->changed && c->holds)
      printf("             the entry says \"holds: false\": look why, then change it\n");
  }
  fflush(stdout);
}

static int held_claims(const cap_atlas_outcome *o)
{
  int held = 0;
  for (int i = 0; i < o->nclaim; i++) held += o->claims[i].holds;
  return held;
}

/* What the outcome means for the exit code. */
static int code_of(const cap_atlas_outcome *o)
{
  if (o->ntrouble > 0) {
    cap_terminal_error("%s: %s", o->entry->id, o->trouble);
    return o->trouble_status == CAP_ERR_INPUT ? CAP_CLI_USAGE : CAP_CLI_FAILED;
  }
  return o->nchanged > 0 ? CAP_CLI_CLAIM : CAP_CLI_FINE;
}

/* Bad input weighs more than a failure, a failure more than a claim. */
static int worse(int a, int b)
{
  static const int weight[] = {
      [CAP_CLI_FINE] = 0, [CAP_CLI_CLAIM] = 1, [CAP_CLI_FAILED] = 2, [CAP_CLI_USAGE] = 3};
  return weight[b] > weight[a] ? b : a;
}

typedef struct totals {
  int code, nentry, nclaim, nheld, nknown, nprinted;
  cap_atlas_write_line *lines;
  cap_arena arena;
} totals;

static cap_status count_outcome(const request *r, const cap_atlas_outcome *o, totals *t, cap_error *error)
{
  int held = held_claims(o);
  t->lines[t->nentry++] = (cap_atlas_write_line){.id = cap_arena_copy_text(&t->arena, o->entry->id),
                                                 .title = cap_arena_copy_text(&t->arena, o->entry->title),
                                                 .source = cap_arena_copy_text(&t->arena, o->entry->source),
                                                 .nclaim = o->nclaim,
                                                 .nheld = held,
                                                 .nchanged = o->nchanged,
                                                 .ntrouble = o->ntrouble};
  t->nclaim += o->nclaim;
  t->nheld += held;
  for (int i = 0; i < o->nclaim; i++)
    t->nknown += !o->claims[i].trouble && !o->claims[i].changed && !o->claims[i].holds;
  t->code = worse(t->code, code_of(o));
  if (r->json) {
    if (t->nprinted++) fputs(",\n", stdout);
    cap_atlas_write_json(stdout, o);
  } else {
    print_outcome(o);
  }
  return r->pages ? cap_atlas_write_entry(r->pages, o, error) : CAP_OK;
}

static cap_status run_one(const request *r, cap_atlas *atlas, const char *id, totals *t, cap_error *error)
{
  cap_entry *entry = read_entry(r->folder, id);
  if (!entry) {
    t->code = worse(t->code, CAP_CLI_USAGE);
    return CAP_OK;
  }
  cap_atlas_outcome *outcome = NULL;
  cap_status status = cap_atlas_run(atlas, entry, &outcome, error);
  if (status == CAP_OK) status = count_outcome(r, outcome, t, error);
  cap_atlas_free_outcome(outcome);
  cap_entry_free(entry);
  return status;
}

static cap_status run_all(const request *r, cap_atlas *atlas, int n, const char *const *ids, totals *t,
                          cap_error *error)
{
  bool many = r->all || n != 1;
  t->lines = CAP_ARENA_NEW(&t->arena, cap_atlas_write_line, n);
  if (!t->lines) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (r->pages) CAP_TRY(cap_outfile_folder(r->pages, error));
  if (r->json && many) fputs("[", stdout);
  for (int i = 0; i < n; i++) CAP_TRY(run_one(r, atlas, ids[i], t, error));
  if (r->json) fputs(many ? "]\n" : "\n", stdout);
  else {
    printf("%d of %d claims of %d entries hold", t->nheld, t->nclaim, t->nentry);
    if (t->nknown > 0) printf(", %d %s known not to", t->nknown, t->nknown == 1 ? "is" : "are");
    fputs("\n", stdout);
  }
  return r->pages ? cap_atlas_write_index(r->pages, t->nentry, t->lines, error) : CAP_OK;
}

/* A model as `capstan run` computes it; `self` is the terminal. */
typedef struct computer {
  cap_terminal *terminal;
  int threads;
} computer;

/* All findings in one text, without the last line end. */
static void tell_findings(cap_diag *diag, cap_status status, cap_error *error)
{
  const char *text = cap_diag_text(diag);
  size_t length = strlen(text);
  if (length > 0 && text[length - 1] == '\n') length--;
  cap_status_fail(error, status, "%.*s", (int)length, text);
}

static cap_status run_model(void *self, const char *model, int nsetting, const char *const *settings,
                            const char *h5, cap_error *error)
{
  const computer *c = self;
  cap_model_file *file = NULL;
  cap_diag *diag = calloc(1, sizeof *diag);
  if (!diag) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_status status = cap_model_file_read(model, nsetting, settings, &file, diag);
  if (status != CAP_OK) tell_findings(diag, status, error);
  cap_diag_free(diag);
  free(diag);
  CAP_TRY(status);
  cap_execute_options options = {.threads = c->threads, .progress = &c->terminal->progress};
  status = cap_execute_file(file, h5, &options, NULL, 0, error);
  cap_model_file_free(file);
  return status;
}

static int run_entries(const request *r, int n, const char *const *ids)
{
  cap_error error = {0};
  cap_terminal terminal;
  cap_atlas *atlas = NULL;
  totals t = {0};
  computer c = {.terminal = &terminal, .threads = r->threads};
  cap_terminal_open(&terminal, r->quiet);
  cap_status status = cap_atlas_create((cap_atlas_options){.run = run_model, .self = &c, .quick = r->quick},
                                       &atlas, &error);
  if (status == CAP_OK) status = run_all(r, atlas, n, ids, &t, &error);
  cap_atlas_free(atlas);
  cap_terminal_close(&terminal);
  cap_arena_free(&t.arena);
  if (status == CAP_OK) return t.code;
  error.status = status;
  return cap_terminal_fail(&error);
}

/* The command line */

static int check_ids(const request *r, int n, const char *const *known)
{
  for (int i = 0; i < r->nid; i++) {
    cap_nearest nearest;
    bool found = false;
    cap_nearest_start(&nearest, r->ids[i]);
    for (int k = 0; k < n; k++) {
      found = found || strcmp(known[k], r->ids[i]) == 0;
      cap_nearest_offer(&nearest, known[k]);
    }
    if (found) continue;
    cap_terminal_error("atlas: there is no entry \"%s\" in %s%s%s%s", r->ids[i], r->folder,
                       nearest.best ? "; did you mean \"" : "", nearest.best ? nearest.best : "",
                       nearest.best ? "\"?" : "");
    return CAP_CLI_USAGE;
  }
  return CAP_CLI_FINE;
}

static int serve(request *r, const char *verb, cap_arena *arena)
{
  int n;
  const char **known;
  cap_error error = {0};
  const cap_command *self = &cap_cli_atlas_command;
  bool list = strcmp(verb, "list") == 0;
  if (list && (r->all || r->quick || r->pages || r->nid > 0))
    return cap_command_refuse(self, "list takes no other option than --json");
  if (!list && r->all && r->nid > 0) return cap_command_refuse(self, "expected --all or entries, got both");
  if (!list && !r->all && r->nid == 0)
    return cap_command_refuse(self, "no entry is named; --all takes all of them");
  if (!r->folder) r->folder = find_folder(arena);
  cap_status status = cap_atlas_list(r->folder, arena, &n, &known, &error);
  if (status != CAP_OK) return cap_terminal_fail(&error);
  if (list) return list_entries(r, n, known);
  if (r->all) return run_entries(r, n, known);
  int code = check_ids(r, n, known);
  return code != CAP_CLI_FINE ? code : run_entries(r, r->nid, r->ids);
}

static int atlas(void *self, const cap_option_texts *arguments)
{
  request *r = self;
  cap_arena arena = {0};
  r->nid = arguments->n - 1;
  r->ids = arguments->v + 1;
  int code = serve(r, arguments->v[0], &arena);
  cap_arena_free(&arena);
  return code;
}

void cap_cli_atlas_ids(FILE *to)
{
  cap_arena arena = {0};
  cap_error error;
  int n = 0;
  const char **ids;
  if (cap_atlas_list(find_folder(&arena), &arena, &n, &ids, &error) != CAP_OK) n = 0;
  for (int k = 0; k < n; k++) fprintf(to, "%s\n", ids[k]);
  cap_arena_free(&arena);
}

#define OPTION(name, kind, member, ...)                                                                      \
  {                                                                                                          \
    name, NULL, CAP_OPTION_##kind, offsetof(request, member), __VA_ARGS__                                    \
  }

const cap_command cap_cli_atlas_command = {
    .name = "atlas",
    .doc = "compute figures and tables of the literature, and check the claims about them",
    .about =
        "list prints the entries; run computes those that are named, or all of them, and says of each claim "
        "whether it holds.",
    .arguments = (const cap_argument[]){{"list|run", false, false, "list or compute entries"},
                                        {"ID", true, true, "entries to compute"},
                                        {0}},
    .options =
        (const cap_option[]){
            OPTION("--all", FLAG, all, NULL, NULL, "all entries", false),
            OPTION("--quick", FLAG, quick, NULL, NULL, "leave out the claims that take long", false),
            OPTION("-o", TEXT, pages, "DIR", NULL,
                   "write a page and a JSON file for each entry, and an index", false),
            OPTION("--from", TEXT, folder, "DIR", NULL,
                   "folder of the entries (default: $CAPSTAN_ATLAS, ./atlas, or the program's own)", false),
            OPTION("--threads", INT, threads, "N", "1", "threads; results do not depend on it", false),
            OPTION("--json", FLAG, json, NULL, NULL, "print JSON: one object, or a list of them", false),
            OPTION("--quiet", FLAG, quiet, NULL, NULL, "no progress, no notes", false),
            {0}},
    .examples = (const cap_example[]){{"capstan atlas run kim-fig2 -o pages", "one figure, as a page"}, {0}},
    .exits = (const unsigned char[]){CAP_CLI_FAILED, CAP_CLI_CLAIM, CAP_CLI_INTERRUPTED, CAP_CLI_TERMINATED,
                                     0},
    .request_size = sizeof(request),
    .run = atlas,
};
