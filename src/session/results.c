/* session/results.c — the public calls on results, include/capstan/capstan.h: a result file's groups under
 * one form, whatever they are in the file, and their values, read once. */
#include "session/results.h"
#include "io/results_part.h"
#include "io/results_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the values of a group come from. */
typedef struct source {
  const cap_results_group *group;       /* NULL: they are in `values` from the start */
  const cap_results_dataset **datasets; /* [narray] */
  double **values;                      /* [narray] NULL: not yet read. Of the group NULL: in the arena */
} source;

struct capstan_results {
  cap_results_file *file; /* NULL: could not be read */
  cap_arena arena;
  int ngroup;
  capstan_group *groups;
  source *sources;
  cap_error error;
  char sentence[sizeof(((cap_error *)0)->text) + 2];
  const char *message;
};

static capstan_code fail(capstan_results *r, cap_status status, const char *text)
{
  snprintf(r->sentence, sizeof r->sentence, "%s\n", text && *text ? text : cap_status_text(status));
  r->message = r->sentence;
  return cap_session_code(status);
}

/* ---- groups -------------------------------------------------------------------------------------------- */

/* A group that is being described: its parts are counted first, then filled in. */
typedef struct part {
  capstan_results *r;
  capstan_group *group;
  source *from;
  capstan_array *arrays;
  capstan_text *texts;
} part;

static bool open_part(part *p, capstan_results *r, const char *name, const char *analysis, const char *title,
                      bool complete, int narray, int ntext)
{
  cap_arena *arena = &r->arena;
  *p = (part){.r = r, .group = &r->groups[r->ngroup], .from = &r->sources[r->ngroup]};
  p->arrays = CAP_ARENA_NEW(arena, capstan_array, narray + 1);
  p->texts = CAP_ARENA_NEW(arena, capstan_text, ntext + 1);
  p->from->values = CAP_ARENA_NEW(arena, double *, narray + 1);
  p->from->datasets = CAP_ARENA_NEW(arena, const cap_results_dataset *, narray + 1);
  if (!name || !p->arrays || !p->texts || !p->from->values || !p->from->datasets) return false;
  *p->group = (capstan_group){.name = name,
                              .analysis = analysis,
                              .title = title,
                              .complete = complete,
                              .arrays = p->arrays,
                              .texts = p->texts};
  r->ngroup++;
  return true;
}

static void put_text(part *p, const char *name, const char *text)
{
  p->texts[p->group->ntext++] = (capstan_text){name, text ? text : ""};
}

static void put_dataset(part *p, const cap_results_dataset *d)
{
  capstan_array *a = &p->arrays[p->group->narray];
  *a = (capstan_array){.name = d->name,
                       .unit = d->unit,
                       .text = d->long_name,
                       .axes = d->axes,
                       .column = d->role == CAP_RESULTS_COLUMN,
                       .rank = d->rank,
                       .count = (size_t)cap_results_tree_count(d)};
  for (int i = 0; i < d->rank; i++) a->dims[i] = (size_t)d->dims[i];
  p->from->datasets[p->group->narray++] = d;
}

/* Values that are known already: `n` of them along one dimension, or one number (n = 0). */
static bool put_values(part *p, const char *name, const char *unit, const char *text, int n,
                       const double *values)
{
  int k = p->group->narray++, count = n ? n : 1;
  p->arrays[k] = (capstan_array){.name = name,
                                 .unit = unit,
                                 .text = text,
                                 .axes = "",
                                 .rank = n > 0,
                                 .dims = {(size_t)n},
                                 .count = (size_t)count};
  double *copy = p->from->values[k] = CAP_ARENA_NEW(&p->r->arena, double, count);
  if (copy) memcpy(copy, values, (size_t)count * sizeof *values);
  return copy != NULL;
}

static bool add_group(capstan_results *r, const cap_results_group *g)
{
  part p;
  if (!open_part(&p, r, g->name, g->kind, g->title, g->complete, g->ncolumn + g->nitem, g->nitem))
    return false;
  p.from->group = g;
  for (int k = 0; k < g->ncolumn; k++) put_dataset(&p, &g->columns[k]);
  for (int k = 0; k < g->nitem; k++)
    if (g->items[k].role == CAP_RESULTS_TEXT) put_text(&p, g->items[k].name, g->items[k].text);
    else put_dataset(&p, &g->items[k]);
  return true;
}

/* "audit/transient": the lines of a balance, their names and kinds as texts name[0], kind[0], ... */
static bool add_balance(capstan_results *r, const cap_results_group *g)
{
  part p;
  cap_arena *arena = &r->arena;
  const cap_results_balance *b = &g->balance;
  const char *name = cap_arena_format(arena, "audit/%s", g->name);
  double *energies = CAP_ARENA_NEW(arena, double, b->nline + 1);
  if (!energies || !open_part(&p, r, name, g->kind, "energy balance", g->complete, 4, 2 * b->nline))
    return false;
  for (int k = 0; k < b->nline; k++) {
    const char *names = cap_arena_format(arena, "name[%d]", k),
               *kinds = cap_arena_format(arena, "kind[%d]", k);
    if (!names || !kinds) return false;
    put_text(&p, names, b->lines[k].name);
    put_text(&p, kinds, b->lines[k].kind);
    energies[k] = b->lines[k].energy;
  }
  return put_values(&p, "energy", "J", "energy of each line, into the system", b->nline, energies) &&
         put_values(&p, "residual", "J", "what is not accounted for", 0, &b->residual) &&
         put_values(&p, "scale", "J", "energy that the residual is compared with", 0, &b->scale) &&
         put_values(&p, "relative", "", "residual over scale", 0, &b->relative);
}

static bool add_meta(capstan_results *r, const cap_results_tree *tree)
{
  enum { TEXTS = 40 }; /* more than there are, but for the settings */
  part p;
  const cap_results_meta *m = &tree->meta;
  const double seed = (double)m->seed, format = tree->format;
  if (!open_part(&p, r, "meta", "", m->name, tree->complete, 2, TEXTS + m->nsetting)) return false;
#define CAP_SESSION_META(member, attribute) put_text(&p, attribute, m->member);
  CAP_RESULTS_META_TEXTS(CAP_SESSION_META)
  CAP_RESULTS_META_MACHINE(CAP_SESSION_META)
  CAP_SESSION_META(fed_by, "fed_by")
#undef CAP_SESSION_META
#define CAP_SESSION_TITLE(member, label, example, doc)                                                       \
  if (m->title.member && *m->title.member) put_text(&p, "title_block." #member, m->title.member);
  CAP_TITLE_BLOCK(CAP_SESSION_TITLE)
#undef CAP_SESSION_TITLE
  put_text(&p, "model", m->model);
  for (int k = 0; k < m->nsetting; k++) {
    const char *name = cap_arena_format(&r->arena, "settings[%d]", k);
    if (!name) return false;
    put_text(&p, name, m->settings[k]);
  }
  return put_values(&p, "seed", "", "seed of random numbers", 0, &seed) &&
         put_values(&p, "format", "", "format of the file", 0, &format);
}

static bool add_groups(capstan_results *r)
{
  const cap_results_tree *tree = cap_results_read_tree(r->file);
  r->groups = CAP_ARENA_NEW(&r->arena, capstan_group, 2 * tree->ngroup + 1);
  r->sources = CAP_ARENA_NEW(&r->arena, source, 2 * tree->ngroup + 1);
  bool fine = r->groups && r->sources;
  for (int k = 0; fine && k < tree->ngroup; k++) fine = add_group(r, tree->groups[k]);
  for (int k = 0; fine && k < tree->ngroup; k++)
    if (tree->groups[k]->balance.nline > 0) fine = add_balance(r, tree->groups[k]);
  return fine && add_meta(r, tree);
}

/* ---- life ---------------------------------------------------------------------------------------------- */

/* What was opened becomes results. */
static capstan_code take(capstan_results *r, cap_status status)
{
  if (status == CAP_OK && !add_groups(r)) {
    r->ngroup = 0;
    status = cap_status_fail(&r->error, CAP_ERR_NOMEM, "out of memory to read results");
  }
  return status == CAP_OK ? CAPSTAN_OK : fail(r, status, r->error.text);
}

static capstan_results *create(void)
{
  capstan_results *r = calloc(1, sizeof *r);
  if (r) r->message = "";
  return r;
}

/* Of a folder of a study, the file of its results. */
static const char *file_of(const char *path, char *buffer, size_t size)
{
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) return path;
  return snprintf(buffer, size, "%s/study.h5", path) < (int)size ? buffer : path;
}

capstan_code capstan_results_open(const char *path, capstan_results **results)
{
  char inside[4096];
  if (!results) return CAPSTAN_BAD_INPUT;
  capstan_results *r = *results = create();
  if (!r) return CAPSTAN_FAILED;
  if (!path || !*path) return fail(r, CAP_ERR_INPUT, "path: expected the name of a result file, got none");
  cap_session_language l = cap_session_speak_plainly();
  capstan_code code = take(r,
                           cap_results_read_open(file_of(path, inside, sizeof inside), &r->file, &r->error));
  cap_session_speak_as_before(&l);
  return code;
}

capstan_code cap_session_results_hold(int fd, capstan_results **results)
{
  capstan_results *r = *results = create();
  if (r) return take(r, cap_results_read_descriptor(fd, "the results in memory", &r->file, &r->error));
  close(fd);
  return CAPSTAN_FAILED;
}

void capstan_results_close(capstan_results *results)
{
  if (!results) return;
  for (int g = 0; g < results->ngroup; g++)
    for (int k = 0; results->sources[g].group && k < results->groups[g].narray; k++)
      free(results->sources[g].values[k]);
  cap_results_read_close(results->file);
  cap_arena_free(&results->arena);
  free(results);
}

/* ---- what is in them ----------------------------------------------------------------------------------- */

int capstan_results_groups(capstan_results *results, const capstan_group **groups)
{
  if (groups) *groups = NULL;
  if (!results || !groups) return 0;
  *groups = results->groups;
  return results->ngroup;
}

const double *capstan_results_values(capstan_results *results, int group, int array)
{
  if (!results) return NULL;
  results->message = "";
  if (group < 0 || group >= results->ngroup || array < 0 || array >= results->groups[group].narray) {
    cap_status_fail(&results->error, CAP_ERR_INPUT,
                    "expected an array of a group by their indices, got array %d of group %d", array, group);
    fail(results, CAP_ERR_INPUT, results->error.text);
    return NULL;
  }
  source *from = &results->sources[group];
  if (!from->values[array]) {
    cap_session_language l = cap_session_speak_plainly();
    cap_status status = cap_results_read_all(results->file, from->group, from->datasets[array],
                                             &from->values[array], NULL, &results->error);
    cap_session_speak_as_before(&l);
    if (status != CAP_OK) fail(results, status, results->error.text);
  }
  return from->values[array];
}

capstan_code capstan_results_save(capstan_results *results, const char *path)
{
  if (!results) return CAPSTAN_BAD_INPUT;
  results->message = "";
  if (!results->file) return fail(results, CAP_ERR_INPUT, "there are no results to be saved");
  if (!path || !*path) return fail(results, CAP_ERR_INPUT, "path: expected the name of a file, got none");
  cap_session_language l = cap_session_speak_plainly();
  cap_status status = cap_results_part_save(cap_results_read_bytes(results->file), path, &results->error);
  cap_session_speak_as_before(&l);
  return status == CAP_OK ? CAPSTAN_OK : fail(results, status, results->error.text);
}

const char *capstan_results_message(const capstan_results *results)
{
  return results ? results->message : "out of memory\n";
}
