/* cli/run.c — capstan run MODEL.yaml. */
#include "cli/cli.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "io/execute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
  const char *output;
  cap_option_texts settings;
  int threads, resume, quiet;
} request;

/* "models/drive.yaml" becomes "drive.h5" in the present folder. */
static char *default_output(const char *model)
{
  const char *slash = strrchr(model, '/'), *name = slash ? slash + 1 : model, *dot = strrchr(name, '.');
  int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
  char *output = NULL;
  return asprintf(&output, "%.*s.h5", length, name) < 0 ? NULL : output;
}

static int compute(cap_model_file *file, cap_model *model, const char *output, const request *r)
{
  cap_terminal terminal;
  cap_error error = {0};
  char where[4096];
  cap_terminal_open(&terminal, r->quiet);
  cap_execute_options options = {
      .model = model, .resume = r->resume, .threads = r->threads, .progress = &terminal.progress};
  cap_status status = cap_execute_file(file, output, &options, where, sizeof where, &error);
  cap_terminal_close(&terminal);
  if (status == CAP_OK) {
    printf("%s\n", where);
    return CAP_CLI_FINE;
  }
  error.status = status;
  int code = cap_terminal_fail(&error);
  if (where[0] && status == CAP_STOPPED)
    fprintf(stderr, "capstan: what was computed so far is in %s; --resume goes on from there\n", where);
  else if (where[0])
    fprintf(stderr, "capstan: what was computed until then is in %s, marked as not complete\n", where);
  return code;
}

int cap_cli_run(int argc, char **argv)
{
  request r = {.threads = 1};
  cap_option_texts rest = {0};
  const cap_option options[] = {
      {"-o", CAP_OPTION_TEXT, &r.output, "OUT.h5", "result file (otherwise the model's name, here)"},
      {"--set", CAP_OPTION_TEXTS, &r.settings, "PATH=VALUE",
       "change a key of the model, \"load.amplitude=13 N\""},
      {"--threads", CAP_OPTION_INT, &r.threads, "N", "threads to use (results do not depend on it)"},
      {"--resume", CAP_OPTION_FLAG, &r.resume, NULL, "go on with an interrupted run"},
      {"--quiet", CAP_OPTION_FLAG, &r.quiet, NULL, "no progress, no notes"},
      {0}};
  int code = cap_options_parse(argc, argv,
                               "run MODEL.yaml [-o OUT.h5] [--set PATH=VALUE]... [--resume] [--quiet]",
                               options, &rest, 1, 1);
  if (code >= 0) return code;
  cap_model_file *file = NULL;
  cap_model *model = NULL;
  code = cap_load_model(rest.v[0], &r.settings, &file, &model);
  if (code != CAP_CLI_FINE) return code;
  if (file->analyses.n == 0) {
    fprintf(stderr, "capstan: %s: nothing to compute: the list \"analyses\" is empty\n", rest.v[0]);
    cap_model_free(model);
    cap_model_file_free(file);
    return CAP_CLI_USAGE;
  }
  char *fallback = default_output(rest.v[0]);
  if (fallback) {
    code = compute(file, model, r.output ? r.output : fallback, &r);
  } else {
    cap_model_free(model);
    code = CAP_CLI_FAILED;
  }
  free(fallback);
  cap_model_file_free(file);
  return code;
}
