/* cli/load.c — see load.h. */
#include "cli/load.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "io/execute.h"

#include <stdio.h>
#include <stdlib.h>

static int read_and_check(const char *path, const cap_option_texts *settings, cap_model_file **file,
                          cap_model **model, cap_diag *diag)
{
  cap_error error = {0};
  cap_status status = cap_model_file_read(path, settings->n, settings->v, file, diag);
  if (status == CAP_OK) status = cap_execute_check(*file, model, diag, &error);
  int code = cap_terminal_findings(diag);
  if (code != CAP_CLI_FINE || status == CAP_OK) return code;
  error.status = status;
  return cap_terminal_fail(&error);
}

int cap_load_model(const char *path, const cap_option_texts *settings, cap_model_file **file,
                   cap_model **model)
{
  cap_diag *diag = calloc(1, sizeof *diag); /* too large for the stack of a careful program */
  *file = NULL;
  *model = NULL;
  if (!diag) {
    fputs("capstan: out of memory\n", stderr);
    return CAP_CLI_FAILED;
  }
  int code = read_and_check(path, settings, file, model, diag);
  if (code != CAP_CLI_FINE) {
    cap_model_free(*model);
    cap_model_file_free(*file);
    *file = NULL;
    *model = NULL;
  }
  cap_diag_free(diag);
  free(diag);
  return code;
}
