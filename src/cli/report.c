/* cli/report.c — capstan report OUT.h5... [-o OUT.html]. */
#include "report/report.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RESULTS = 50 };

/* "out/run.h5" and "out/run.h5.part" become "out/run.html", of several "out/run-comparison.html"; to be
 * freed. */
static char *page_name(const char *result, bool several)
{
  char *name = NULL;
  return asprintf(&name, "%.*s%s.html", (int)cap_report_stem(result), result, several ? "-comparison" : "") <
                 0
             ? NULL
             : name;
}

int cap_cli_report(int argc, char **argv)
{
  const char *page = NULL;
  cap_option_texts rest = {0};
  const cap_option options[] = {
      {"-o", CAP_OPTION_TEXT, &page, "OUT.html", "where to (otherwise the first result's name with .html)"},
      {0}};
  int code = cap_options_parse(argc, argv, "report OUT.h5 [MORE.h5 ...] [-o OUT.html]", options, &rest, 1,
                               MOST_RESULTS);
  if (code >= 0) return code;

  cap_error error = {0};
  char *name = page ? strdup(page) : page_name(rest.v[0], rest.n > 1);
  if (!name) error.status = cap_status_fail(&error, CAP_ERR_NOMEM, "out of memory");
  else if (rest.n > 1) error.status = cap_report_compare(rest.n, rest.v, name, &error);
  else error.status = cap_report_write(rest.v[0], name, &error);
  if (error.status == CAP_OK) printf("%s\n", name);
  else code = cap_terminal_fail(&error);
  free(name);
  return error.status == CAP_OK ? CAP_CLI_FINE : code;
}
