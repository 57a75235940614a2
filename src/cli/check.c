/* cli/check.c — capstan check MODEL.yaml: validate, and say what the drive is and what would be run. */
#include "base/outfile.h"
#include "cli/cli.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/summary_text.h"
#include "cli/terminal.h"
#include "io/drawing_svg.h"
#include "io/preview.h"

#include <stdio.h>

static int print_model(const cap_model_file *file, const cap_model *model, bool verbose)
{
  cap_summary summary;
  if (cap_preview_make(file, model, &summary) != CAP_OK) {
    cap_summary_free(&summary);
    fputs("capstan: out of memory\n", stderr);
    return CAP_CLI_FAILED;
  }
  printf("%s: valid\n  %s (%s)\n", file->path, file->name, file->drive->name);
  cap_summary_text_print(stdout, &summary, verbose);
  if (!verbose) printf("\nequations, time stepper and channels: capstan check --verbose %s\n", file->path);
  cap_summary_free(&summary);
  return CAP_CLI_FINE;
}

static cap_status write_picture(const cap_model_file *file, const cap_drawing *drawing, const char *path,
                                cap_error *error)
{
  cap_outfile out;
  char title[512];
  snprintf(title, sizeof title, "%s", *file->name ? file->name : file->drive->name);
  CAP_TRY(cap_outfile_open(&out, path, error));
  cap_status status = cap_drawing_svg_write(drawing, title, out.stream);
  if (status == CAP_ERR_NOMEM) cap_status_fail(error, status, "out of memory");
  if (status != CAP_ERR_NOMEM) status = cap_outfile_commit(&out, error);
  cap_outfile_abandon(&out);
  return status;
}

static int draw_model(const cap_model_file *file, const cap_model *model, const char *path)
{
  cap_drawing drawing;
  cap_error error = {0};
  cap_status status = cap_preview_draw(file, model, &drawing);
  int code = CAP_CLI_FINE;
  if (status != CAP_OK) cap_status_fail(&error, status, "out of memory");
  else if (cap_drawing_empty(&drawing)) {
    fprintf(stderr, "capstan: check: --picture: a drive \"%s\" has no picture\n", file->drive->name);
    code = CAP_CLI_USAGE;
  } else status = write_picture(file, &drawing, path, &error);
  if (status != CAP_OK) code = cap_terminal_fail(&error);
  cap_drawing_free(&drawing);
  return code;
}

int cap_cli_check(int argc, char **argv)
{
  cap_option_texts settings = {0}, rest = {0};
  int verbose = 0, briefly = 0;
  const char *picture = NULL;
  const cap_option options[] = {
      {"--set", CAP_OPTION_TEXTS, &settings, "PATH=VALUE", "change a key of the model"},
      {"--picture", CAP_OPTION_TEXT, &picture, "OUT.svg", "draw the drive from its description"},
      {"--verbose", CAP_OPTION_FLAG, &verbose, NULL, "print equations, time stepper and channels, too"},
      {"-v", CAP_OPTION_FLAG, &briefly, NULL, "the same"},
      {0}};
  int code = cap_options_parse(argc, argv,
                               "check MODEL.yaml [--set PATH=VALUE]... [--picture OUT.svg] [--verbose]",
                               options, &rest, 1, 1);
  if (code >= 0) return code;
  cap_model_file *file = NULL;
  cap_model *model = NULL;
  code = cap_load_model(rest.v[0], &settings, &file, &model);
  if (code == CAP_CLI_FINE && picture) code = draw_model(file, model, picture);
  if (code == CAP_CLI_FINE) code = print_model(file, model, verbose || briefly);
  cap_model_free(model);
  cap_model_file_free(file);
  return code;
}
