/* cli/study.c — capstan study STUDY.yaml. */
#include "cli/study.h"
#include "base/clock.h"
#include "base/platform.h"
#include "cli/cli.h"
#include "cli/screen.h"
#include "study/study_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASONS_SHOWN = 5, MISSING_SHOWN = 10 };

typedef struct request {
  const char *output, *task;
  int workers, slurm, resume, force, optimise, list, quiet;
} request;

/* "studies/map.yaml" becomes "map" in the present folder. */
static char *default_folder(const char *path)
{
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  return dot && dot != name ? strndup(name, (size_t)(dot - name)) : NULL;
}

/* Cases as CSV, with units as a table of cases needs them: a list can be edited and be a design again. */

static void print_quoted(const char *text)
{
  bool plain = !strpbrk(text, ",\"\n");
  if (!plain) putchar('"');
  for (const char *c = text; *c; c++) {
    if (*c == '"') putchar('"');
    putchar(*c);
  }
  if (!plain) putchar('"');
}

/* As few digits as bring it back. */
static void print_number(double value)
{
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  fputs(text, stdout);
}

static void print_value(const cap_study_factor *factor, double value)
{
  putchar(',');
  if (factor->nlevel && value >= 1.0 && value <= factor->nlevel) print_quoted(factor->labels[(int)value - 1]);
  else print_number(value);
}

static int list_cases(const cap_study *study)
{
  fputs("case [-]", stdout);
  for (int i = 0; i < study->nfactor; i++) {
    const cap_study_factor *f = &study->factors[i];
    printf(",%s [%s]", f->name, f->unit[0] ? f->unit : "-");
  }
  fputs(study->replicates > 1 ? ",seed [-]\n" : "\n", stdout);
  for (int64_t k = 0; k < study->ncase; k++) {
    printf("%lld", (long long)k + 1);
    for (int i = 0; i < study->nfactor; i++)
      print_value(&study->factors[i], study->values[k * study->nfactor + i]);
    if (study->replicates > 1) printf(",%lld", (long long)study->model_seed + cap_study_replicate(study, k));
    putchar('\n');
  }
  return CAP_CLI_FINE; /* the end of the program looks at stdout */
}

/* What came of it */

/* Cases that failed for one reason, from case `first` on; how many there are. */
static int64_t tell_reason(const cap_collect *collect, int64_t first)
{
  char cases[128] = "";
  int shown = 0, length = 0;
  int64_t n = 0;
  for (int64_t k = first; k < collect->table.ncase; k++) {
    if (cap_collect_state(collect, k) != CAP_STUDY_FAILED ||
        strcmp(collect->reasons[k], collect->reasons[first]) != 0)
      continue;
    n++;
    if (++shown <= REASONS_SHOWN)
      length += snprintf(cases + length, sizeof cases - (size_t)length, "%s%lld", length ? ", " : "",
                         (long long)k + 1);
  }
  if (n == 1) cap_terminal_error("case %s failed: %s", cases, collect->reasons[first]);
  else
    cap_terminal_error("%lld cases (%s%s) failed: %s", (long long)n, cases, n > REASONS_SHOWN ? ", ..." : "",
                       collect->reasons[first]);
  return n;
}

static void tell_failed(const cap_collect *collect, const char *where)
{
  int64_t told[REASONS_SHOWN], left = cap_collect_count(collect, CAP_STUDY_FAILED);
  int ntold = 0;
  for (int64_t k = 0; k < collect->table.ncase && ntold < REASONS_SHOWN && left > 0; k++) {
    bool known = cap_collect_state(collect, k) != CAP_STUDY_FAILED;
    for (int i = 0; i < ntold && !known; i++)
      known = strcmp(collect->reasons[k], collect->reasons[told[i]]) == 0;
    if (known) continue;
    told[ntold++] = k;
    left -= tell_reason(collect, k);
  }
  if (left > 0)
    cap_screen_print("capstan: and %lld more; all reasons are in %s and its report\n", (long long)left,
                     where);
}

/* Cases that are fine but for something: a response without a value (not settled, not a number), an energy
 * balance that is open. */
static void tell_lacking(const cap_collect *collect, const char *where)
{
  int64_t n = 0, first = 0;
  for (int64_t k = 0; k < collect->table.ncase; k++)
    if (cap_collect_state(collect, k) == CAP_STUDY_FINE && collect->said[k] && n++ == 0) first = k;
  if (n > 0)
    cap_screen_print("capstan: %lld case%s with a remark, first case %lld: %s%s%s\n", (long long)n,
                     n == 1 ? "" : "s", (long long)first + 1, collect->reasons[first],
                     n > 1 ? "; all are in " : "", n > 1 ? where : "");
}

static void tell_missing(const cap_collect *collect, int64_t missing)
{
  int shown = 0;
  cap_screen_print("capstan: %lld case%s missing (", (long long)missing, missing == 1 ? " is" : "s are");
  for (int64_t k = 0; k < collect->table.ncase && shown < MISSING_SHOWN; k++)
    if (cap_collect_state(collect, k) == CAP_STUDY_MISSING)
      cap_screen_print("%s%lld", shown++ ? ", " : "", (long long)k + 1);
  cap_screen_print("%s); --resume computes what is missing\n", missing > shown ? ", ..." : "");
}

static int tell(const cap_study_job *job, const char *where, bool quiet)
{
  const cap_collect *collect = job->collect;
  int64_t missing = cap_collect_count(collect, CAP_STUDY_MISSING),
          failed = cap_collect_count(collect, CAP_STUDY_FAILED),
          fine = cap_collect_count(collect, CAP_STUDY_FINE);
  printf("%s\n", where);
  if (failed) tell_failed(collect, where);
  if (!quiet) tell_lacking(collect, where);
  if (cap_collect_machines(collect) > 1)
    cap_terminal_warning(
        "the cases were computed on %d kinds of machine, which may differ in the last digits; "
        "/meta of their results says which (processor, blas, libm)",
        cap_collect_machines(collect));
  if (job->outcome.given_up)
    cap_terminal_error("gave up after %d workers were lost in a row; the last was %s", job->outcome.ncrash,
                       job->outcome.how);
  if (missing) tell_missing(collect, missing);
  if (!quiet || failed || missing) {
    cap_screen_print("%lld case%s: %lld fine, %lld failed", (long long)collect->table.ncase,
                     collect->table.ncase == 1 ? "" : "s", (long long)fine, (long long)failed);
    if (missing) cap_screen_print(", %lld missing", (long long)missing);
    fputc('\n', stderr);
  }
  if (!quiet) cap_screen_print("capstan report %s makes a page of it\n", where);
  if (missing) return cap_terminal_stopped(); /* CAP_CLI_FAILED when no signal came */
  return failed == collect->table.ncase ? CAP_CLI_FAILED : CAP_CLI_FINE;
}

/* The work */

static cap_status compute(cap_study_job *job, bool look_only, cap_error *error)
{
  const cap_workers_options options = {.nworker = job->nworker,
                                       .look_only = look_only,
                                       .progress = &job->progress->progress,
                                       .watch = look_only ? NULL : cap_study_progress_watch,
                                       .self = job->progress};
  return cap_workers_run(job->study, job->folder, job->collect, &options, &job->outcome, error);
}

static cap_status work(cap_study_job *job, const request *r, cap_error *error)
{
  if (!r->slurm) {
    CAP_TRY(cap_study_slurm_absent(job, error));
    return compute(job, false, error);
  }
  if (job->begun) CAP_TRY(compute(job, true, error));
  CAP_TRY(cap_study_slurm_run(job, error));
  return compute(job, true, error);
}

static int fail(const cap_study_job *job, cap_status status, cap_error *error)
{
  error->status = status;
  int code = cap_terminal_fail(error);
  if (status == CAP_ERR_INPUT) return code; /* it would end there again: the error says what is to be done */
  if (status == CAP_ERR_IO || cap_collect_count(job->collect, CAP_STUDY_MISSING) < job->study->ncase)
    cap_screen_print("capstan: finished cases are kept in %s/runs; --resume continues\n", job->folder);
  return code;
}

/* The optimum, when it is asked for or was found before; the cases are written first, so that they are there
 * whatever becomes of it. */
static cap_status optimise(cap_study_job *job, const request *r, char *where, size_t size, cap_error *error)
{
  if (cap_collect_count(job->collect, CAP_STUDY_MISSING) > 0) return CAP_OK; /* its start would be another */
  if (r->optimise) {
    CAP_TRY(cap_collect_write(job->collect, job->folder, NULL, where, size, error));
    return cap_study_optimise_run(job, false, error);
  }
  cap_error quiet = {0};
  if (job->study->optimise && cap_study_optimise_begun(job) &&
      cap_study_optimise_run(job, true, &quiet) != CAP_OK && !r->quiet)
    cap_screen_print(
        "capstan: %s/optimise is incomplete or belongs to another optimisation: not in study.h5\n",
        job->folder);
  return CAP_OK;
}

static int run_study(cap_study_job *job, const request *r)
{
  cap_error error = {0};
  char where[4096];
  cap_study_progress progress;
  cap_study_progress_open(&progress, job->terminal);
  job->progress = &progress;
  if (job->study->time_limit > 0.0) progress.progress.deadline = cap_clock_wall() + job->study->time_limit;
  cap_status status = work(job, r, &error);
  cap_study_progress_close(&progress);
  if (status == CAP_STOPPED && r->slurm) return cap_terminal_stopped();
  if (status == CAP_OK) status = optimise(job, r, where, sizeof where, &error);
  if (status != CAP_OK && status != CAP_STOPPED) return fail(job, status, &error);
  cap_status written = cap_collect_write(job->collect, job->folder, &job->more, where, sizeof where, &error);
  if (written != CAP_OK) return fail(job, written, &error);
  int code = tell(job, where, r->quiet);
  if (!r->quiet) cap_study_optimise_tell(job);
  if (status == CAP_STOPPED) {
    code = cap_terminal_stopped();
    if (code == CAP_CLI_FAILED && cap_progress_late(&progress.progress)) code = CAP_CLI_LATE;
    cap_screen_print("capstan: %s; %s continues\n", code == CAP_CLI_LATE ? "time limit" : "interrupted",
                     r->optimise ? "--resume --optimize" : "--resume");
  }
  return code;
}

static int begin(const cap_study *study, const char *path, const request *r)
{
  cap_terminal terminal;
  cap_study_folder folder;
  cap_collect collect;
  cap_error error = {0};
  cap_terminal_open(&terminal, r->quiet);
  if (r->slurm && !r->resume)
    error.status = cap_study_slurm_ready(&error); /* before a folder is made for it */
  if (error.status != CAP_OK) return cap_terminal_fail(&error);
  const cap_study_folder_mode mode = r->resume  ? CAP_STUDY_FOLDER_RESUME
                                     : r->force ? CAP_STUDY_FOLDER_ANEW
                                                : CAP_STUDY_FOLDER_BEGIN;
  error.status = cap_study_folder_open(&folder, path, study, mode, &error);
  if (error.status != CAP_OK) return cap_terminal_fail(&error);
  cap_study_job job = {.study = study,
                       .folder = folder.path,
                       .begun = folder.begun,
                       .nworker = r->workers ? r->workers : cap_platform_cores(),
                       .terminal = &terminal,
                       .collect = &collect};
  error.status = cap_collect_create(&collect, study, &error);
  int code = error.status == CAP_OK ? run_study(&job, r) : cap_terminal_fail(&error);
  cap_study_optimise_free(&job);
  cap_collect_free(&collect);
  cap_study_folder_close(&folder);
  cap_terminal_close(&terminal);
  return code;
}

static int load(const char *path, cap_study **study)
{
  cap_diag *diag = calloc(1, sizeof *diag);
  *study = NULL;
  if (!diag) {
    cap_terminal_error("out of memory");
    return CAP_CLI_FAILED;
  }
  cap_error error = {0};
  error.status = cap_study_file_read(path, study, diag);
  int code = cap_terminal_findings(diag);
  if (code == CAP_CLI_FINE && error.status != CAP_OK) code = cap_terminal_fail(&error);
  cap_diag_free(diag);
  free(diag);
  return code;
}

/* What does not go together, or lacks something. */
static int check_request(const request *r)
{
  const cap_command *self = &cap_cli_study_command;
  if (r->slurm && r->workers)
    return cap_command_refuse(self, "-j (this machine) and --slurm (a cluster) exclude each other");
  if (r->force && r->resume)
    return cap_command_refuse(self, "--resume (continue) and --force (start over) exclude each other");
  return CAP_CLI_FINE;
}

static int serve(const char *path, const request *r, const cap_study *study)
{
  char *fallback = default_folder(path);
  const char *folder = r->output ? r->output : fallback;
  int code = CAP_CLI_USAGE;
  if (r->optimise && !study->optimise)
    cap_terminal_error("%s: --optimize requires the section \"optimise\", which states the objective", path);
  else if (r->list) code = list_cases(study);
  else if (folder) code = begin(study, folder, r);
  else cap_terminal_error("%s: a study file without an extension requires -o DIR", path);
  free(fallback);
  return code;
}

static int run(void *self, const cap_option_texts *arguments)
{
  const request *r = self;
  if (r->task) return cap_study_slurm_task(r->task);
  int code = check_request(r);
  if (code != CAP_CLI_FINE) return code;
  cap_study *study = NULL;
  code = load(arguments->v[0], &study);
  if (code == CAP_CLI_FINE) code = serve(arguments->v[0], r, study);
  cap_study_free(study);
  return code;
}

#define OPTION(name, kind, member, ...)                                                                      \
  {                                                                                                          \
    name, NULL, CAP_OPTION_##kind, offsetof(request, member), __VA_ARGS__                                    \
  }

const cap_command cap_cli_study_command = {
    .name = "study",
    .doc = "compute many cases of a model, as a study file describes them",
    .about =
        "Computes the cases of a study file, by worker processes or on a cluster, and collects their "
        "responses in "
        "DIR/study.h5, whose name is printed.\n\n"
        "After an interruption --resume computes only what is missing. A folder in which the study was begun "
        "is "
        "not used again without --resume or --force; --force removes its cases, for example after the study "
        "file was corrected.",
    .arguments = (const cap_argument[]){{"STUDY.yaml", false, false, "study file"}, {0}},
    .options =
        (const cap_option[]){
            OPTION("-o", TEXT, output, "DIR", NULL,
                   "folder of the study (default: the study file's name, in the current folder)", false),
            OPTION("-j", INT, workers, "N", NULL, "worker processes (default: one per core)", false),
            OPTION("--slurm", FLAG, slurm, NULL, NULL,
                   "compute the cases as a Slurm job array, and follow it", false),
            OPTION("--resume", FLAG, resume, NULL, NULL, "continue: compute only what is missing", false),
            OPTION("--force", FLAG, force, NULL, NULL,
                   "start over: remove the results of an earlier study there", false),
            OPTION("--optimize", FLAG, optimise, NULL, NULL,
                   "search for the best values of the factors afterwards", false),
            OPTION("--list", FLAG, list, NULL, NULL, "print the cases as CSV, compute nothing", false),
            OPTION("--quiet", FLAG, quiet, NULL, NULL, "no progress, no notes", false),
            OPTION("--task", TEXT, task, "DIR", NULL, "a task of a cluster's job array", true),
            {0}},
    .examples = (const cap_example[]){{"capstan study tolerances.yaml -j 8", "eight cases at a time"},
                                      {"capstan study tolerances.yaml --resume", "what is missing"},
                                      {0}},
    .exits = (const unsigned char[]){CAP_CLI_FAILED, CAP_CLI_LATE, CAP_CLI_INTERRUPTED, CAP_CLI_TERMINATED,
                                     0},
    .request_size = sizeof(request),
    .run = run,
};
