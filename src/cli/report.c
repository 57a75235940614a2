/* cli/report.c — capstan report OUT.h5... [-o OUT.html]. */
#include "report/report.h"
#include "cli/cli.h"
#include "cli/overwrite.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

typedef struct request {
  const char *page;
} request;

static cap_status write_page(const cap_option_texts *results, const char *name, cap_error *error)
{
  CAP_TRY(cap_overwrite_page(name, error));
  for (int i = 0; i < results->n; i++) cap_terminal_warn_unchecked(results->v[i]);
  if (results->n > 1) return cap_report_compare(results->n, results->v, name, error);
  return cap_report_write(results->v[0], name, error);
}

/* A device or fifo, perhaps standard output itself, in which a name would be a part of the page. */
static bool is_stream(const char *name)
{
  struct stat about;
  return stat(name, &about) == 0 && !S_ISREG(about.st_mode);
}

static int report(void *self, const cap_option_texts *arguments)
{
  const request *r = self;
  cap_error error = {0};
  if (arguments->n > MOST_RESULTS)
    return cap_command_refuse(&cap_cli_report_command, "expected at most %d results, got %d", MOST_RESULTS,
                              arguments->n);
  char *name = r->page ? strdup(r->page) : page_name(arguments->v[0], arguments->n > 1);
  error.status = name ? write_page(arguments, name, &error)
                      : cap_status_fail(&error, CAP_ERR_NOMEM, "out of memory");
  int code = error.status == CAP_OK ? CAP_CLI_FINE : cap_terminal_fail(&error);
  if (code == CAP_CLI_FINE && !is_stream(name)) printf("%s\n", name);
  free(name);
  return code;
}

const cap_command cap_cli_report_command = {
    .name = "report",
    .doc = "make one self-contained page of a result, or a comparison of several",
    .about =
        "Writes an HTML page with the drive in motion, plots and tables, which opens in any browser without "
        "a "
        "network. Results of interrupted and of running computations can be shown, too.\n\n"
        "An existing page is overwritten, as it can be made again; a file that is not a page of "
        "capstan never is.",
    .arguments = (const cap_argument[]){{"OUT.h5", false, true, "results; of several, a comparison is made"},
                                        {0}},
    .options = (const cap_option[]){{"-o", NULL, CAP_OPTION_TEXT, offsetof(request, page), "OUT.html", NULL,
                                     "page (default: the name of the first result with .html, next to it)",
                                     false},
                                    {0}},
    .examples = (const cap_example[]){{"capstan report drive.h5", "drive.html"},
                                      {"capstan report drive.h5 soft.h5 -o both.html", "a comparison"},
                                      {0}},
    .exits = (const unsigned char[]){CAP_CLI_FAILED, 0},
    .request_size = sizeof(request),
    .run = report,
};
