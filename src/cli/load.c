/* cli/load.c — see load.h. */
#include "cli/load.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "io/execute.h"
#include "io/feed_file.h"

#include <stdlib.h>

static cap_status read_inputs(cap_load *load, const cap_load_inputs *inputs)
{
  cap_feed_source sources[CAP_FEED_SOURCES + 1]; /* one too many is refused there */
  int n = 0;
  if (!inputs) return CAP_OK;
  for (int k = 0; k < inputs->linear.n && n <= CAP_FEED_SOURCES; k++)
    sources[n++] = (cap_feed_source){inputs->linear.v[k], false};
  for (int k = 0; k < inputs->held.n && n <= CAP_FEED_SOURCES; k++)
    sources[n++] = (cap_feed_source){inputs->held.v[k], true};
  return cap_feed_file_read(load->file, load->model, n, sources, load->diag);
}

static int read_and_check(cap_load *load, const char *path, const cap_option_texts *settings,
                          const cap_load_inputs *inputs)
{
  cap_error *error = &load->error;
  cap_status status = cap_model_file_read(path, settings->n, settings->v, &load->file, load->diag);
  if (status == CAP_OK) status = cap_execute_check(load->file, &load->model, load->diag, error);
  if (status == CAP_OK) status = read_inputs(load, inputs);
  int code = cap_terminal_findings(load->diag);
  if (code != CAP_CLI_FINE || status == CAP_OK) return code;
  error->status = status;
  return cap_terminal_fail(error);
}

int cap_load_model(cap_load *load, const char *path, const cap_option_texts *settings,
                   const cap_load_inputs *inputs)
{
  *load = (cap_load){
      .diag = calloc(1, sizeof *load->diag)}; /* too large for the stack of a careful program */
  if (!load->diag) {
    load->error.status = cap_status_fail(&load->error, CAP_ERR_NOMEM, "out of memory");
    return cap_terminal_fail(&load->error);
  }
  int code = read_and_check(load, path, settings, inputs);
  if (code == CAP_CLI_FINE) return code;
  cap_model_free(load->model);
  cap_model_file_free(load->file);
  load->file = NULL;
  load->model = NULL;
  return code;
}

void cap_load_free(cap_load *load)
{
  cap_model_free(load->model);
  cap_model_file_free(load->file);
  if (load->diag) cap_diag_free(load->diag);
  free(load->diag);
  *load = (cap_load){0};
}
