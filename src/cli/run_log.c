/* cli/run_log.c — see run_log.h. */
#include "cli/run_log.h"
#include "base/clock.h"
#include "base/json.h"
#include "cli/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cap_run_log *cap_run_log_create(void)
{
  cap_run_log *log = calloc(1, sizeof *log);
  if (!log) return NULL;
  pthread_mutex_init(&log->lock, NULL);
  log->status = "refused";
  log->where = "";
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
  free(log->findings);
  cap_arena_free(&log->arena);
  free(log);
}

/* ---- what happens ---- */

void cap_run_log_findings(cap_run_log *log, int n, const capstan_finding *findings)
{
  size_t all = (size_t)log->nfinding + (size_t)n;
  capstan_finding *copies = realloc(log->findings, (all + 1) * sizeof *copies);
  if (!copies) return;
  log->findings = copies;
  for (int k = 0; k < n; k++) {
    capstan_finding *copy = &copies[log->nfinding];
    *copy = findings[k];
    copy->file = cap_arena_copy_text(&log->arena, findings[k].file);
    copy->path = cap_arena_copy_text(&log->arena, findings[k].path);
    copy->text = cap_arena_copy_text(&log->arena, findings[k].text);
    if (copy->file && copy->path && copy->text) log->nfinding++;
  }
}

void cap_run_log_note(cap_run_log *log, const char *text)
{
  pthread_mutex_lock(&log->lock);
  const char **notes = realloc(log->notes, ((size_t)log->nnote + 1) * sizeof *notes);
  if (notes) {
    log->notes = notes;
    if ((notes[log->nnote] = cap_arena_copy_text(&log->arena, text))) log->nnote++;
  }
  pthread_mutex_unlock(&log->lock);
}

/* Groups that were opened since the last time are the analysis's. */
static void take_groups(cap_run_log *log, cap_run_log_analysis *a, const capstan_analysis_stage *stage)
{
  for (int k = log->nseen; k < stage->ngroup; k++) {
    const char **groups = realloc(a->groups, ((size_t)a->ngroup + 1) * sizeof *groups);
    if (!groups) return;
    a->groups = groups;
    if ((groups[a->ngroup] = cap_arena_copy_text(&log->arena, stage->groups[k]))) a->ngroup++;
  }
  log->nseen = stage->ngroup;
}

static void begin_analysis(cap_run_log *log, const capstan_analysis_stage *stage)
{
  log->nseen = stage->ngroup; /* what was there before it, such as the layout */
  cap_run_log_analysis *all = realloc(log->analyses, ((size_t)log->nanalysis + 1) * sizeof *all);
  if (!all) return;
  log->analyses = all;
  all[log->nanalysis++] = (cap_run_log_analysis){.name = stage->analysis,
                                                 .status = "running",
                                                 .wall = cap_clock_wall(),
                                                 .processor = cap_clock_processor()};
}

void cap_run_log_stage(cap_run_log *log, const capstan_analysis_stage *stage)
{
  if (!stage->ended) {
    begin_analysis(log, stage);
    return;
  }
  cap_run_log_analysis *a = log->nanalysis ? &log->analyses[log->nanalysis - 1] : NULL;
  if (!a || strcmp(a->status, "running") != 0) return;
  a->status = stage->code == CAPSTAN_OK        ? "complete"
              : stage->code == CAPSTAN_STOPPED ? "interrupted"
                                               : "failed";
  a->wall = cap_clock_wall() - a->wall;
  a->processor = cap_clock_processor() - a->processor;
  take_groups(log, a, stage);
}

/* ---- what is told of it ---- */

static void put_member(FILE *to, const char *key, const char *text)
{
  fprintf(to, "\"%s\": ", key);
  cap_json_text(to, text);
}

/* The index of a group; -1: there is none. */
static int group_of(capstan_results *results, const char *prefix, const char *name,
                    const capstan_group **groups)
{
  size_t n = strlen(prefix);
  int count = capstan_results_groups(results, groups);
  for (int k = 0; k < count; k++)
    if (strncmp((*groups)[k].name, prefix, n) == 0 && strcmp((*groups)[k].name + n, name) == 0) return k;
  return -1;
}

/* How far the balance of a group is from closing; NaN: it has none. */
static double residual_of(capstan_results *results, const char *name)
{
  const capstan_group *groups;
  int g = group_of(results, "audit/", name, &groups);
  for (int k = 0; g >= 0 && k < groups[g].narray; k++) {
    if (strcmp(groups[g].arrays[k].name, "relative") != 0) continue;
    const double *value = capstan_results_values(results, g, k);
    return value ? fabs(*value) : NAN;
  }
  return NAN;
}

static void put_channels(FILE *to, const capstan_group *group)
{
  fputs("\"channels\": [", to);
  for (int k = 0, n = 0; k < group->narray; k++) {
    if (!group->arrays[k].column) continue;
    fputs(n++ ? ", {" : "{", to);
    put_member(to, "name", group->arrays[k].name);
    fputs(", ", to);
    put_member(to, "unit", group->arrays[k].unit);
    fputc('}', to);
  }
  fputc(']', to);
}

static void put_group(FILE *to, capstan_results *results, const capstan_group *group)
{
  size_t nrow = 0;
  for (int k = 0; k < group->narray; k++)
    if (group->arrays[k].column) nrow = group->arrays[k].count;
  fputs("\n       {", to);
  put_member(to, "name", group->name);
  fprintf(to, ", \"rows\": %zu, \"energy_residual\": ", nrow);
  cap_json_number(to, residual_of(results, group->name));
  fputs(", ", to);
  put_channels(to, group);
  fputc('}', to);
}

static void put_analysis(FILE *to, const cap_run_log_analysis *a, capstan_results *results)
{
  const capstan_group *groups;
  double worst = NAN; /* of its groups; fmax leaves out what is not a number */
  fputs("\n    {", to);
  put_member(to, "name", a->name);
  fputs(", ", to);
  put_member(to, "status", a->status);
  for (int k = 0; k < a->ngroup; k++) worst = fmax(worst, residual_of(results, a->groups[k]));
  fprintf(to, ", \"wall_time\": %.6f, \"processor_time\": %.6f, \"energy_residual\": ", a->wall,
          a->processor);
  cap_json_number(to, worst);
  fputs(",\n     \"groups\": [", to);
  for (int k = 0, nput = 0; k < a->ngroup; k++) {
    int g = group_of(results, "", a->groups[k], &groups);
    if (g < 0) continue;
    if (nput++) fputc(',', to);
    put_group(to, results, &groups[g]);
  }
  fputs("]}", to);
}

void cap_run_log_answer(const cap_run_log *log, FILE *to)
{
  capstan_results *results = NULL;
  if (log->where[0]) capstan_results_open(log->where, &results); /* without it there are no groups */
  cap_answer_text(to, "result", log->where[0] ? log->where : NULL);
  cap_answer_key(to, "wall_time");
  fprintf(to, "%.6f", cap_clock_wall() - log->wall);
  cap_answer_key(to, "processor_time");
  fprintf(to, "%.6f", cap_clock_processor() - log->processor);
  cap_answer_key(to, "analyses");
  fputc('[', to);
  for (int k = 0; k < log->nanalysis; k++) {
    if (k) fputc(',', to);
    put_analysis(to, &log->analyses[k], results);
  }
  fputc(']', to);
  cap_answer_key(to, "notes");
  fputc('[', to);
  for (int k = 0; k < log->nnote; k++) {
    fputs(k ? ",\n    " : "\n    ", to);
    cap_json_text(to, log->notes[k]);
  }
  fputc(']', to);
  capstan_results_close(results);
}
