/* cli/export.c — capstan export OUT.h5 [--csv DIR [--animation]] [--vtk DIR]. */
#include "io/export.h"
#include "cli/cli.h"
#include "cli/terminal.h"

#include <stdio.h>

typedef struct request {
  const char *csv, *vtk;
  int animation, codes;
} request;

static cap_status write_files(const request *r, const char *result, cap_error *error)
{
  if (r->csv) CAP_TRY(cap_export_csv(result, r->csv, (cap_export_options){r->animation, r->codes}, error));
  return r->vtk ? cap_export_vtk(result, r->vtk, error) : CAP_OK;
}

static int export(void *self, const cap_option_texts *arguments)
{
  const request *r = self;
  cap_error error = {0};
  if (!r->csv && !r->vtk)
    return cap_command_refuse(&cap_cli_export_command, "expected --csv DIR or --vtk DIR");
  cap_terminal_warn_unchecked(arguments->v[0]);
  error.status = write_files(r, arguments->v[0], &error);
  if (error.status != CAP_OK) return cap_terminal_fail(&error);
  if (r->csv) printf("%s\n", r->csv);
  if (r->vtk) printf("%s\n", r->vtk);
  return CAP_CLI_FINE;
}

const cap_command cap_cli_export_command = {
    .name = "export",
    .doc = "write results as files for other programs",
    .about = "The file contents.csv of the folder lists what was written, with units and descriptions. Only "
             "files that "
             "it lists are overwritten.",
    .arguments = (const cap_argument[]){{"OUT.h5", false, false, "result"}, {0}},
    .options = (const cap_option[]){{"--csv", NULL, CAP_OPTION_TEXT, offsetof(request, csv), "DIR", NULL,
                                     "CSV files: a table for each group and shape", false},
                                    {"--animation", NULL, CAP_OPTION_FLAG, offsetof(request, animation), NULL,
                                     NULL, "with the animation frames as CSV, too", false},
                                    {"--codes", NULL, CAP_OPTION_FLAG, offsetof(request, codes), NULL, NULL,
                                     "codes as numbers in the CSV, not as names", false},
                                    {"--vtk", NULL, CAP_OPTION_TEXT, offsetof(request, vtk), "DIR", NULL,
                                     "VTK files for ParaView: tables, and what moves as polylines over time",
                                     false},
                                    {0}},
    .exits = (const unsigned char[]){CAP_CLI_FAILED, 0},
    .request_size = sizeof(request),
    .run = export,
};
