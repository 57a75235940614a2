/* cli/run.c — capstan run MODEL.yaml. */
#include "base/units.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/load.h"
#include "cli/overwrite.h"
#include "cli/run_log.h"
#include "cli/terminal.h"
#include "io/execute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
  const char *output;
  cap_option_texts settings;
  cap_load_inputs inputs;
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

static void tell_where(const char *where, cap_status status, bool complete)
{
  if (where[0] && status == CAP_STOPPED)
    fprintf(stderr, "capstan: what was computed so far is in %s; --resume continues from there\n", where);
  else if (where[0] && complete)
    fprintf(stderr, "capstan: the results are in %s, marked as unusable\n", where);
  else if (where[0])
    fprintf(stderr, "capstan: the results up to then are in %s, marked as incomplete\n", where);
}

static void follow(void *self, const cap_execute_stage *stage)
{
  cap_terminal_deep(!stage->ended);
  cap_run_log_stage(self, stage);
}

/* Takes the model out of `load`. */
static int compute(cap_load *load, const char *output, const request *r, cap_run_log *log)
{
  cap_terminal terminal;
  cap_error *error = &load->error;
  cap_terminal_open(&terminal, r->quiet);
  cap_progress progress;
  cap_run_log_open(log, &terminal.progress, &progress);
  bool complete = false;
  cap_execute_options options = {.model = load->model,
                                 .resume = r->resume,
                                 .time_limit = r->seconds,
                                 .threads = r->threads,
                                 .progress = &progress,
                                 .stage = follow,
                                 .stage_self = log,
                                 .complete = &complete};
  load->model = NULL;
  cap_status status = cap_execute_file(load->file, output, &options, log->where, sizeof log->where, error);
  cap_terminal_close(&terminal);
  log->status = status == CAP_OK ? "complete" : status == CAP_STOPPED ? "interrupted" : "failed";
  if (status == CAP_OK) return CAP_CLI_FINE;
  error->status = status;
  int code = cap_terminal_fail(error);
  tell_where(log->where, status, complete);
  return code;
}

/* "90", "90 s", "10 min": s; above 0. */
static bool read_limit(const char *text, double *limit)
{
  char reason[CAP_UNITS_REASON], *end;
  *limit = 0.0;
  if (!text) return true;
  cap_units *units = cap_units_create();
  double plain = strtod(text, &end);
  bool fine = units && cap_units_parse(units, text, "s", limit, reason);
  if (!fine && end != text && !*end) *limit = plain, fine = true;
  cap_units_free(units);
  if (fine && *limit > 0.0 && isfinite(*limit)) return true;
  cap_terminal_error("--time-limit: expected a time above 0 such as \"90 s\", got \"%.80s\"", text);
  return false;
}

static int load_and_compute(cap_load *load, const char *model, const request *r, cap_run_log *log)
{
  int code = cap_load_model(load, model, &r->settings, &r->inputs);
  if (code != CAP_CLI_FINE) return code;
  if (load->file->analyses.n == 0) {
    load->error.status = cap_status_fail(&load->error, CAP_ERR_INPUT,
                                         "%s: nothing to compute: the list \"analyses\" is empty", model);
    return cap_terminal_fail(&load->error);
  }
  char *fallback = default_output(model);
  const char *output = r->output ? r->output : fallback;
  if (!output) load->error.status = cap_status_fail(&load->error, CAP_ERR_NOMEM, "out of memory");
  else if (!r->resume) load->error.status = cap_overwrite_result(output, r->force, &load->error);
  code = load->error.status == CAP_OK ? compute(load, output, r, log) : cap_terminal_fail(&load->error);
  free(fallback);
  return code;
}

static void answer(const char *model, const request *r, int code, const cap_load *load,
                   const cap_run_log *log)
{
  cap_answer_begin(stdout, cap_cli_run_command.name, model, &r->settings);
  cap_answer_outcome(stdout, log->status, code, &load->error, load->diag);
  cap_run_log_answer(log, stdout);
  cap_answer_end(stdout);
}

static int run(void *self, const cap_option_texts *arguments)
{
  request *r = self;
  cap_load load;
  if (!read_limit(r->time_limit, &r->seconds)) return CAP_CLI_USAGE;
  cap_run_log *log = cap_run_log_create();
  if (!log) {
    cap_terminal_error("out of memory");
    return CAP_CLI_FAILED;
  }
  int code = load_and_compute(&load, arguments->v[0], r, log);
  if (r->json) answer(arguments->v[0], r, code, &load, log);
  else if (code == CAP_CLI_FINE) printf("%s\n", log->where);
  cap_load_free(&load);
  cap_run_log_free(log);
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
                "--input", TEXTS, inputs.linear, "FILE.csv", NULL,
                "feed inputs of the model from columns of their names over the column time, linear between "
                "the rows; may be repeated",
                false),
            OPTION("--input-held", TEXTS, inputs.held, "FILE.csv", NULL,
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
