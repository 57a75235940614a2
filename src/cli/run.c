/* cli/run.c — capstan run MODEL.yaml: the command line around the public header, by which alone it reaches
 * the engine (scripts/check_includes.sh). */
#include "capstan/capstan.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/overwrite.h"
#include "cli/run_log.h"
#include "cli/seconds.h"
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>

typedef struct request {
  const char *output;
  cap_option_texts settings;
  cap_option_texts linear, held; /* files that feed inputs */
  const char *time_limit;
  int threads, resume, force, json, quiet;
  double seconds; /* of time_limit */
} request;

/* "models/drive.yaml" becomes "drive.h5" in the present folder. */
static char *default_output(const char *model)
{
  const char *slash = strrchr(model, '/'), *name = slash ? slash + 1 : model, *dot = strrchr(name, '.');
  int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
  char *output = NULL;
  return asprintf(&output, "%.*s.h5", length, name) < 0 ? NULL : output;
}

static void tell_where(const char *where, capstan_code code, bool complete)
{
  if (where[0] && code == CAPSTAN_STOPPED)
    fprintf(stderr, "capstan: what was computed so far is in %s; --resume continues from there\n", where);
  else if (where[0] && complete)
    fprintf(stderr, "capstan: the results are in %s, marked as unusable\n", where);
  else if (where[0])
    fprintf(stderr, "capstan: the results up to then are in %s, marked as incomplete\n", where);
}

/* A failure on standard error and in the log; the exit code. */
static int fail(cap_run_log *log, capstan_code code, const char *text)
{
  cap_error error = {.status = code == CAPSTAN_BAD_INPUT ? CAP_ERR_INPUT
                               : code == CAPSTAN_STOPPED ? CAP_STOPPED
                                                         : CAP_ERR_NUMERICS};
  snprintf(error.text, sizeof error.text, "%.*s", (int)strcspn(text, "\n"), text);
  snprintf(log->error, sizeof log->error, "%s", error.text);
  return cap_terminal_fail(&error);
}

typedef struct follower {
  cap_run_log *log;
  const cap_progress *to;
} follower;

static void report(void *self, const char *what, double done, double total, const char *unit)
{
  const follower *f = self;
  cap_progress_report(f->to, what, done, total, unit);
}

/* A note for which there is no memory is printed all the same. */
static void note(void *self, const char *text)
{
  const follower *f = self;
  cap_run_log_note(f->log, text);
  cap_progress_note(f->to, "%s", text);
}

static void warn(void *self, const char *text)
{
  const follower *f = self;
  cap_run_log_note(f->log, text);
  cap_progress_warn(f->to, "%s", text);
}

static void follow(void *self, const capstan_analysis_stage *stage)
{
  const follower *f = self;
  cap_terminal_deep(!stage->ended);
  cap_run_log_stage(f->log, stage);
}

/* Findings of the last call told and kept; the exit code when there is an error among them, else 0. */
static int tell_findings(const capstan_model *model, cap_run_log *log)
{
  const capstan_finding *findings;
  int n = capstan_findings(model, &findings);
  cap_terminal_tell(n, findings, capstan_message(model));
  cap_run_log_findings(log, n, findings);
  for (int k = 0; k < n; k++)
    if (!findings[k].warning) return CAP_CLI_USAGE;
  return CAP_CLI_FINE;
}

static int compute(capstan_model *model, const char *output, const request *r, cap_run_log *log)
{
  cap_terminal terminal;
  cap_terminal_open(&terminal, r->quiet);
  follower self = {log, &terminal.progress};
  const char *feeds[2 * CAP_COMMAND_TEXTS];
  int held[2 * CAP_COMMAND_TEXTS], nfeed = 0;
  for (int k = 0; k < r->linear.n; k++) feeds[nfeed] = r->linear.v[k], held[nfeed++] = 0;
  for (int k = 0; k < r->held.n; k++) feeds[nfeed] = r->held.v[k], held[nfeed++] = 1;
  const capstan_options options = {.size = sizeof options,
                                   .threads = r->threads,
                                   .resume = r->resume,
                                   .time_limit = r->seconds,
                                   .nfeed = nfeed,
                                   .feeds = feeds,
                                   .held = held,
                                   .progress = report,
                                   .note = note,
                                   .warn = warn,
                                   .stage = follow,
                                   .self = &self,
                                   .stop = terminal.progress.stop,
                                   .heard = terminal.progress.heard};
  capstan_code code = capstan_run(model, output, &options);
  cap_terminal_close(&terminal);
  int refused = tell_findings(model, log);
  if (refused) return refused;
  log->status = code == CAPSTAN_OK ? "complete" : code == CAPSTAN_STOPPED ? "interrupted" : "failed";
  log->where = capstan_result_path(model);
  if (code == CAPSTAN_OK) return CAP_CLI_FINE;
  int end = fail(log, code, capstan_message(model));
  tell_where(log->where, code, capstan_result_complete(model));
  return end;
}

static int load(const char *path, const request *r, cap_run_log *log, capstan_model **model)
{
  capstan_code code = capstan_open(path, r->settings.n, r->settings.v, model);
  int refused = tell_findings(*model, log);
  return refused || code == CAPSTAN_OK ? refused : fail(log, code, capstan_message(*model));
}

static int load_and_compute(const char *path, const request *r, cap_run_log *log, capstan_model **model)
{
  const char *const *analyses;
  char text[5000];
  int code = load(path, r, log, model);
  if (code != CAP_CLI_FINE) return code;
  if (capstan_analyses(*model, &analyses) == 0) {
    snprintf(text, sizeof text, "%s: nothing to compute: the list \"analyses\" is empty", path);
    return fail(log, CAPSTAN_BAD_INPUT, text);
  }
  char *fallback = default_output(path);
  const char *output = r->output ? r->output : fallback;
  cap_error error = {0};
  if (!output) code = fail(log, CAPSTAN_FAILED, "out of memory");
  else if (!r->resume && cap_overwrite_result(output, r->force, &error) != CAP_OK)
    code = fail(log, CAPSTAN_BAD_INPUT, error.text);
  else code = compute(*model, output, r, log);
  free(fallback);
  return code;
}

static void answer(const char *path, const request *r, int code, const cap_run_log *log)
{
  cap_answer_begin(stdout, cap_cli_run_command.name, path, &r->settings);
  cap_answer_outcome(stdout, log->status, code, log->error, log->nfinding, log->findings);
  cap_run_log_answer(log, stdout);
  cap_answer_end(stdout);
}

static int run(void *self, const cap_option_texts *arguments)
{
  request *r = self;
  capstan_model *model = NULL;
  if (r->time_limit && !cap_seconds_read(r->time_limit, &r->seconds)) {
    cap_terminal_error("--time-limit: expected a time above 0 such as \"90 s\", got \"%.80s\"",
                       r->time_limit);
    return CAP_CLI_USAGE;
  }
  cap_run_log *log = cap_run_log_create();
  if (!log) {
    cap_terminal_error("out of memory");
    return CAP_CLI_FAILED;
  }
  int code = load_and_compute(arguments->v[0], r, log, &model);
  if (r->json) answer(arguments->v[0], r, code, log);
  else if (code == CAP_CLI_FINE) printf("%s\n", log->where);
  cap_run_log_free(log);
  capstan_close(model);
  return code;
}

#define OPTION(name, kind, member, ...)                                                                      \
  {                                                                                                          \
    name, NULL, CAP_OPTION_##kind, offsetof(request, member), __VA_ARGS__                                    \
  }

const cap_command cap_cli_run_command = {
    .name = "run",
    .doc = "compute a model",
    .about =
        "Computes the analyses of a model file in their order, writes one HDF5 file and prints its name. "
        "Messages, notes and progress go to standard error.\n\n"
        "An interrupted run (Ctrl-C, SIGTERM, a failure) leaves a result that is marked as incomplete; "
        "--resume continues it, and the finished file has the same bytes as one that was never interrupted. "
        "A second signal changes nothing while the result is being written. If the reader of a pipe exits "
        "early, the run "
        "continues.\n\n"
        "An older result is not overwritten without --force.",
    .arguments = (const cap_argument[]){{"MODEL.yaml", false, false, "model file"}, {0}},
    .options =
        (const cap_option[]){
            OPTION("-o", TEXT, output, "OUT.h5", NULL,
                   "result file (default: the model's name with .h5, in the current folder)", false),
            OPTION("--set", TEXTS, settings, "PATH=VALUE", NULL,
                   "change a key of the model, \"load.amplitude=13 N\"; may be repeated", false),
            OPTION(
                "--input", TEXTS, linear, "FILE.csv", NULL,
                "feed inputs of the model from columns of their names over the column time, linear between "
                "the rows; may be repeated",
                false),
            OPTION("--input-held", TEXTS, held, "FILE.csv", NULL,
                   "the same with values that are held until the next row; may be repeated", false),
            OPTION("--time-limit", TEXT, time_limit, "TIME", NULL,
                   "end the run after TIME by the clock on the wall, \"90 s\" or \"10 min\", with what was "
                   "computed kept; a number alone is seconds",
                   false),
            OPTION("--threads", INT, threads, "N", "1", "threads; results do not depend on it", false),
            OPTION("--resume", FLAG, resume, NULL, NULL, "continue an interrupted run", false),
            OPTION("--force", FLAG, force, NULL, NULL, "overwrite an older result", false),
            OPTION("--json", FLAG, json, NULL, NULL, "print one JSON object in place of the file's name",
                   false),
            OPTION("--quiet", FLAG, quiet, NULL, NULL, "no progress, no notes; warnings stay", false),
            {0}},
    .examples = (const cap_example[]){{"capstan run drive.yaml", "compute drive.yaml into drive.h5"},
                                      {"capstan run drive.yaml -o soft.h5 --set \"belt.EA=400 kN\"",
                                       "a variant of it"},
                                      {"capstan run drive.yaml --input speed.csv",
                                       "with its inputs as measured in speed.csv"},
                                      {"capstan run drive.yaml --resume", "continue after an interruption"},
                                      {0}},
    .exits = (const unsigned char[]){CAP_CLI_FAILED, CAP_CLI_LATE, CAP_CLI_INTERRUPTED, CAP_CLI_TERMINATED,
                                     0},
    .request_size = sizeof(request),
    .run = run,
};
