/* cli/report.c — capstan report OUT.h5 [-o OUT.html]. */
#include "report/report.h"
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: capstan report OUT.h5 [-o OUT.html]\n"
                            "\n"
                            "Write one self-contained page with the figures, plots and tables of a result.\n"
                            "  -o OUT.html   where to (otherwise the result's name with .html)\n";

static int refuse(const char *what, const char *value)
{
  fprintf(stderr, "capstan: report: %s%s\n%s", what, value, usage);
  return 2;
}

/* "out/run.h5" and "out/run.h5.part" become "out/run.html". */
static char *page_name(const char *result)
{
  size_t length = strlen(result);
  static const char *const endings[] = {".part", ".h5", ".hdf5"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t tail = strlen(endings[i]);
    if (length > tail && strncmp(result + length - tail, endings[i], tail) == 0 &&
        result[length - tail - 1] != '/')
      length -= tail;
  }
  char *name = NULL;
  return asprintf(&name, "%.*s.html", (int)length, result) < 0 ? NULL : name;
}

static int write_page(const char *result, const char *page)
{
  char *name = page ? strdup(page) : page_name(result);
  if (!name) {
    fprintf(stderr, "capstan: out of memory\n");
    return 1;
  }
  cap_error error = {0};
  cap_status status = cap_report_write(result, name, &error);
  if (status == CAP_OK) printf("%s\n", name);
  else fprintf(stderr, "capstan: %s\n", error.text);
  free(name);
  if (status == CAP_OK) return 0;
  return status == CAP_ERR_INPUT || status == CAP_ERR_IO ? 2 : 1;
}

int cap_cli_report(int argc, char **argv)
{
  const char *result = NULL, *page = NULL;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
      fputs(usage, stdout);
      return 0;
    }
    if (strcmp(argv[i], "-o") == 0) {
      if (++i == argc) return refuse("-o needs a file name", "");
      page = argv[i];
    } else if (argv[i][0] == '-' && argv[i][1]) {
      return refuse("unknown option ", argv[i]);
    } else if (result) {
      return refuse("one result at a time, not also ", argv[i]);
    } else {
      result = argv[i];
    }
  }
  if (!result) return refuse("which result?", "");
  return write_page(result, page);
}
