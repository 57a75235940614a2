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
  static const char *const endings[] = {".part", ".h5", ".hdf5"};
  size_t length = strlen(result);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t tail = strlen(endings[i]);
    if (length > tail && strncmp(result + length - tail, endings[i], tail) == 0 &&
        result[length - tail - 1] != '/')
      length -= tail;
  }
  char *name = NULL;
  return asprintf(&name, "%.*s%s.html", (int)length, result, several ? "-comparison" : "") < 0 ? NULL : name;
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
