/* cli/export.c — capstan export OUT.h5 --csv DIR | --vtk DIR. */
#include "io/export.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/terminal.h"

#include <stdio.h>

int cap_cli_export(int argc, char **argv)
{
  const char *csv = NULL, *vtk = NULL;
  cap_option_texts rest = {0};
  const cap_option options[] = {
      {"--csv", CAP_OPTION_TEXT, &csv, "DIR", "a CSV file for every table and array"},
      {"--vtk", CAP_OPTION_TEXT, &vtk, "DIR", "VTK files for ParaView"},
      {0}};
  int code = cap_options_parse(argc, argv, "export OUT.h5 --csv DIR | --vtk DIR", options, &rest, 1, 1);
  if (code >= 0) return code;
  if (!csv && !vtk) {
    fputs("capstan: export: say --csv DIR or --vtk DIR\n", stderr);
    return CAP_CLI_USAGE;
  }
  cap_error error = {0};
  cap_status status = csv ? cap_export_csv(rest.v[0], csv, &error) : CAP_OK;
  if (status == CAP_OK && vtk) status = cap_export_vtk(rest.v[0], vtk, &error);
  if (status == CAP_OK) {
    if (csv) printf("%s\n", csv);
    if (vtk) printf("%s\n", vtk);
    return CAP_CLI_FINE;
  }
  error.status = status;
  return cap_terminal_fail(&error);
}
