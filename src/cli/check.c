/* cli/check.c — capstan check MODEL.yaml: validate, and say what the drive is and what would be run. */
#include "base/json.h"
#include "base/outfile.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/load.h"
#include "cli/overwrite.h"
#include "cli/terminal.h"
#include "io/drawing_svg.h"
#include "io/preview.h"

#include <stdio.h>

static void print_model(const cap_model_file *file, const cap_summary *summary, bool verbose)
{
  cap_preview_print(file, summary, verbose, stdout);
  if (!verbose) printf("\nequations, time stepper and channels: capstan check --verbose %s\n", file->path);
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

static cap_status draw_model(const cap_model_file *file, const cap_model *model, const char *path,
                             cap_error *error)
{
  cap_drawing drawing;
  cap_status status = cap_preview_draw(file, model, &drawing);
  if (status != CAP_OK) cap_status_fail(error, status, "out of memory");
  else if (cap_drawing_empty(&drawing))
    status = cap_status_fail(error, CAP_ERR_INPUT,
                             "check: --picture: expected a drive that has a picture, got \"%s\"",
                             file->drive->name);
  else status = write_picture(file, &drawing, path, error);
  cap_drawing_free(&drawing);
  return status;
}

/* ---- --json ---- */

static void put_quantity(const cap_summary_quantity *q)
{
  fputs("{\"item\": ", stdout);
  if (q->item) cap_json_text(stdout, q->item);
  else fputs("null", stdout);
  fputs(", \"name\": ", stdout);
  cap_json_text(stdout, q->name);
  fputs(", \"value\": ", stdout);
  if (q->text) cap_json_text(stdout, q->text);
  else cap_json_number(stdout, q->value);
  fputs(", \"unit\": ", stdout);
  if (q->text) fputs("null", stdout);
  else cap_json_text(stdout, q->unit);
  fputc('}', stdout);
}

static void put_summary(const cap_summary *summary)
{
  cap_answer_key(stdout, "summary");
  fputc('[', stdout);
  for (const cap_summary_section *s = summary->first; s; s = s->next) {
    fputs(s == summary->first ? "\n    {\"section\": " : ",\n    {\"section\": ", stdout);
    cap_json_text(stdout, s->name);
    fprintf(stdout, ", \"detail\": %s, \"quantities\": [", s->detail ? "true" : "false");
    for (const cap_summary_quantity *q = s->first; q; q = q->next) {
      fputs(q == s->first ? "\n      " : ",\n      ", stdout);
      put_quantity(q);
    }
    fputs("]}", stdout);
  }
  fputs("\n  ]", stdout);
}

static void put_analyses(const cap_model_file *file)
{
  cap_answer_key(stdout, "analyses");
  fputc('[', stdout);
  for (int k = 0; k < file->analyses.n; k++) {
    const void *spec = (const char *)file->analyses.items + (size_t)k * cap_registry_largest_spec();
    if (k) fputs(", ", stdout);
    cap_json_text(stdout, cap_registry_analyses[*(const int *)spec]->name);
  }
  fputc(']', stdout);
}

static void put_channels(const cap_model *m)
{
  cap_answer_key(stdout, "channels");
  fputc('[', stdout);
  for (int c = 0; c < m->nchannel; c++) {
    fputs(c ? ",\n    {\"name\": " : "\n    {\"name\": ", stdout);
    cap_json_text(stdout, m->channels[c].column.name);
    fputs(", \"unit\": ", stdout);
    cap_json_text(stdout, m->channels[c].column.unit);
    fputs(", \"meaning\": ", stdout);
    cap_json_text(stdout, m->channels[c].column.long_name);
    fputc('}', stdout);
  }
  fputs("\n  ]", stdout);
}

static void answer(const cap_load *load, const char *path, const cap_option_texts *settings, int code,
                   const cap_summary *summary)
{
  cap_answer_begin(stdout, cap_cli_check_command.name, path, settings);
  capstan_finding findings[CAP_DIAG_MOST];
  int n = load->diag ? cap_terminal_sorted(load->diag, findings) : 0;
  cap_answer_outcome(stdout, code == CAP_CLI_FINE ? "valid" : "refused", code, load->error.text, n, findings);
  if (code == CAP_CLI_FINE) {
    cap_answer_text(stdout, "name", load->file->name);
    cap_answer_text(stdout, "drive", load->file->drive->name);
    put_analyses(load->file);
    put_summary(summary);
    put_channels(load->model);
  }
  cap_answer_end(stdout);
}

/* ---- the subcommand ---- */

typedef struct request {
  cap_option_texts settings;
  cap_load_inputs inputs;
  const char *picture;
  int verbose, json;
} request;

static int preview(cap_load *load, const char *path, const request *r, cap_summary *summary)
{
  int code = cap_load_model(load, path, &r->settings, &r->inputs);
  if (code != CAP_CLI_FINE) return code;
  cap_error *error = &load->error;
  if (r->picture) error->status = cap_overwrite_picture(r->picture, error);
  if (r->picture && error->status == CAP_OK)
    error->status = draw_model(load->file, load->model, r->picture, error);
  if (error->status == CAP_OK && cap_preview_make(load->file, load->model, summary) != CAP_OK)
    error->status = cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  return error->status == CAP_OK ? CAP_CLI_FINE : cap_terminal_fail(error);
}

static int check(void *self, const cap_option_texts *arguments)
{
  const request *r = self;
  const char *path = arguments->v[0];
  cap_load load;
  cap_summary summary = {0};
  int code = preview(&load, path, r, &summary);
  if (r->json) answer(&load, path, &r->settings, code, &summary);
  else if (code == CAP_CLI_FINE) print_model(load.file, &summary, r->verbose);
  cap_summary_free(&summary);
  cap_load_free(&load);
  return code;
}

#define OPTION(name, also, kind, member, ...)                                                                \
  {                                                                                                          \
    name, also, CAP_OPTION_##kind, offsetof(request, member), __VA_ARGS__                                    \
  }

const cap_command cap_cli_check_command = {
    .name = "check",
    .doc = "validate a model file and summarise what would be computed",
    .about = "Reads a model file and builds its system; nothing is computed. All findings are reported at "
             "once, each "
             "with file, line, column and key.",
    .arguments = (const cap_argument[]){{"MODEL.yaml", false, false, "model file"}, {0}},
    .options =
        (const cap_option[]){
            OPTION("--set", NULL, TEXTS, settings, "PATH=VALUE", NULL,
                   "change a key of the model; may be repeated", false),
            OPTION(
                "--input", NULL, TEXTS, inputs.linear, "FILE.csv", NULL,
                "feed inputs of the model from columns of their names over the column time, linear between "
                "the rows; may be repeated",
                false),
            OPTION("--input-held", NULL, TEXTS, inputs.held, "FILE.csv", NULL,
                   "the same with values that are held until the next row; may be repeated", false),
            OPTION("--picture", NULL, TEXT, picture, "OUT.svg", NULL, "draw the drive from its description",
                   false),
            OPTION("--verbose", "-v", FLAG, verbose, NULL, NULL,
                   "print equations, time stepper and channels, too", false),
            OPTION("--json", NULL, FLAG, json, NULL, NULL, "print one JSON object in place of the text",
                   false),
            {0}},
    .exits = (const unsigned char[]){CAP_CLI_FAILED, 0},
    .request_size = sizeof(request),
    .run = check,
};
