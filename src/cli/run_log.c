/* cli/run_log.c — see run_log.h. */
#include "cli/run_log.h"
#include "base/clock.h"
#include "base/json.h"
#include "cli/answer.h"
#include "io/results_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cap_run_log *cap_run_log_create(void)
{
  cap_run_log *log = calloc(1, sizeof *log);
  if (!log) return NULL;
  pthread_mutex_init(&log->lock, NULL);
  log->status = "refused";
  log->wall = cap_clock_wall();
  log->processor = cap_clock_processor();
  return log;
}

void cap_run_log_free(cap_run_log *log)
{
  if (!log) return;
  pthread_mutex_destroy(&log->lock);
  for (int k = 0; k < log->nanalysis; k++) free(log->analyses[k].groups);
  free(log->analyses);
  free(log->notes);
  cap_arena_free(&log->arena);
  free(log);
}

/* ---- what happens ---- */

static void report(void *self, const char *what, double done, double total, const char *unit)
{
  const cap_run_log *log = self;
  cap_progress_report(log->to, what, done, total, unit);
}

static void keep_note(cap_run_log *log, const char *text)
{
  pthread_mutex_lock(&log->lock);
  const char **notes = realloc(log->notes, ((size_t)log->nnote + 1) * sizeof *notes);
  if (notes) {
    log->notes = notes;
    if ((notes[log->nnote] = cap_arena_copy_text(&log->arena, text))) log->nnote++;
  }
  pthread_mutex_unlock(&log->lock);
}

/* A note for which there is no memory is printed all the same. */
static void note(void *self, const char *text)
{
  cap_run_log *log = self;
  keep_note(log, text);
  cap_progress_note(log->to, "%s", text);
}

static void warn(void *self, const char *text)
{
  cap_run_log *log = self;
  keep_note(log, text);
  cap_progress_warn(log->to, "%s", text);
}

void cap_run_log_open(cap_run_log *log, const cap_progress *to, cap_progress *progress)
{
  log->to = to;
  *progress = cap_progress_silent(to);
  progress->report = report, progress->note = note, progress->warn = warn, progress->self = log;
}

/* Groups that were opened since the last time are the analysis's. */
static void take_groups(cap_run_log *log, cap_run_log_analysis *a, const cap_results_tree *tree)
{
  int nopened = 0;
  for (int k = 0; k < tree->ngroup; k++) {
    if (!tree->groups[k]->opened || nopened++ < log->nseen) continue;
    const char **groups = realloc(a->groups, ((size_t)a->ngroup + 1) * sizeof *groups);
    if (!groups) return;
    a->groups = groups;
    if ((groups[a->ngroup] = cap_arena_copy_text(&log->arena, tree->groups[k]->name))) a->ngroup++;
  }
  log->nseen = nopened;
}

static void begin_analysis(cap_run_log *log, const cap_execute_stage *stage)
{
  cap_run_log_analysis none = {0};
  take_groups(log, &none, stage->contents); /* what was there before it, such as the layout */
  free(none.groups);
  cap_run_log_analysis *all = realloc(log->analyses, ((size_t)log->nanalysis + 1) * sizeof *all);
  if (!all) return;
  log->analyses = all;
  all[log->nanalysis++] = (cap_run_log_analysis){.name = stage->analysis,
                                                 .status = "running",
                                                 .wall = cap_clock_wall(),
                                                 .processor = cap_clock_processor()};
}

void cap_run_log_stage(void *self, const cap_execute_stage *stage)
{
  cap_run_log *log = self;
  if (!stage->ended) {
    begin_analysis(log, stage);
    return;
  }
  cap_run_log_analysis *a = log->nanalysis ? &log->analyses[log->nanalysis - 1] : NULL;
  if (!a || strcmp(a->status, "running") != 0) return;
  a->status = stage->status == CAP_OK ? "complete" : stage->status == CAP_STOPPED ? "interrupted" : "failed";
  a->wall = cap_clock_wall() - a->wall;
  a->processor = cap_clock_processor() - a->processor;
  take_groups(log, a, stage->contents);
}

/* ---- what is told of it ---- */

static void put_member(FILE *to, const char *key, const char *text)
{
  fprintf(to, "\"%s\": ", key);
  cap_json_text(to, text);
}

static void put_channels(FILE *to, const cap_results_group *group)
{
  fputs("\"channels\": [", to);
  for (int c = 0; c < group->ncolumn; c++) {
    fputs(c ? ", {" : "{", to);
    put_member(to, "name", group->columns[c].name);
    fputs(", ", to);
    put_member(to, "unit", group->columns[c].unit);
    fputc('}', to);
  }
  fputc(']', to);
}

static double residual_of(const cap_results_group *group)
{
  return group->balance.nline > 0 ? fabs(group->balance.relative) : NAN;
}

static void put_group(FILE *to, const cap_results_group *group)
{
  fputs("\n       {", to);
  put_member(to, "name", group->name);
  fprintf(to, ", \"rows\": %lld, \"energy_residual\": ", (long long)group->nrow);
  cap_json_number(to, residual_of(group));
  fputs(", ", to);
  put_channels(to, group);
  fputc('}', to);
}

/* The largest of its groups; NaN: none has a balance. */
static double worst_residual(const cap_run_log_analysis *a, const cap_results_tree *tree)
{
  double worst = NAN;
  for (int k = 0; tree && k < a->ngroup; k++) {
    const cap_results_group *group = cap_results_tree_group(tree, a->groups[k]);
    if (group) worst = fmax(worst, residual_of(group)); /* fmax leaves out what is not a number */
  }
  return worst;
}

static void put_analysis(FILE *to, const cap_run_log_analysis *a, const cap_results_tree *tree)
{
  fputs("\n    {", to);
  put_member(to, "name", a->name);
  fputs(", ", to);
  put_member(to, "status", a->status);
  fprintf(to, ", \"wall_time\": %.6f, \"processor_time\": %.6f, \"energy_residual\": ", a->wall,
          a->processor);
  cap_json_number(to, worst_residual(a, tree));
  fputs(",\n     \"groups\": [", to);
  int nput = 0;
  for (int k = 0; tree && k < a->ngroup; k++) {
    const cap_results_group *group = cap_results_tree_group(tree, a->groups[k]);
    if (!group) continue;
    if (nput++) fputc(',', to);
    put_group(to, group);
  }
  fputs("]}", to);
}

void cap_run_log_answer(const cap_run_log *log, FILE *to)
{
  cap_results_file *file = NULL;
  cap_error error;
  if (log->where[0]) cap_results_read_open(log->where, &file, &error); /* without it there are no groups */
  const cap_results_tree *tree = file ? cap_results_read_tree(file) : NULL;
  cap_answer_text(to, "result", log->where[0] ? log->where : NULL);
  cap_answer_key(to, "wall_time");
  fprintf(to, "%.6f", cap_clock_wall() - log->wall);
  cap_answer_key(to, "processor_time");
  fprintf(to, "%.6f", cap_clock_processor() - log->processor);
  cap_answer_key(to, "analyses");
  fputc('[', to);
  for (int k = 0; k < log->nanalysis; k++) {
    if (k) fputc(',', to);
    put_analysis(to, &log->analyses[k], tree);
  }
  fputc(']', to);
  cap_answer_key(to, "notes");
  fputc('[', to);
  for (int k = 0; k < log->nnote; k++) {
    fputs(k ? ",\n    " : "\n    ", to);
    cap_json_text(to, log->notes[k]);
  }
  fputc(']', to);
  cap_results_read_close(file);
}
