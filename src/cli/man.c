/* cli/man.c — see man.h. Pages are written for the macros "man" of groff and mandoc, in ASCII. */
#include "cli/man.h"
#include "base/outfile.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "version.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const VARIABLES[][2] = {
    {"CAPSTAN_ATLAS", "folder of the atlas's entries"},
    {"NO_COLOR", "when set and not empty, messages have no colour"},
    {"TERM", "with the value dumb, messages have no colour"},
};

/* Text of which nothing is a request. A line end in it is a blank, an empty line begins a paragraph. */
static void put(FILE *to, const char *text)
{
  for (const char *c = text; *c; c++) {
    if (c == text && (*c == '.' || *c == '\'')) fputs("\\&", to);
    if (*c == '\\') fputs("\\e", to);
    else if (*c == '"') fputs("\\(dq", to);
    else if (*c == '-') fputs("\\-", to);
    else if (strncmp(c, "\n\n", 2) == 0) fputs("\n.PP\n", to), c++;
    else fputc(*c == '\n' ? ' ' : *c, to);
  }
}

static void put_upper(FILE *to, const char *text)
{
  for (; *text; text++) fputc(toupper((unsigned char)*text), to);
}

/* "capstan-run 1" with its name and sentence. */
static void begin_page(FILE *to, const char *name, const char *doc)
{
  fputs(".\\\" written by capstan help --man\n.TH ", to);
  put_upper(to, name);
  fprintf(to, " 1 \"\" \"capstan %s\" \"Capstan\"\n.nh\n.ad l\n.SH NAME\n", CAPSTAN_VERSION);
  put(to, name);
  fputs(" \\- ", to);
  put(to, doc);
  fputs("\n", to);
}

static void put_options(FILE *to, const cap_option *options)
{
  char head[CAP_HELP_TOKEN];
  for (const cap_option *o = options; o && o->name; o++) {
    if (o->hidden) continue;
    cap_help_option(&(cap_option){.name = o->name, .also = o->also}, head);
    fputs(".TP\n.B ", to);
    put(to, head);
    if (o->argument) fputs(" \\fI", to), put(to, o->argument), fputs("\\fR", to);
    fputc('\n', to);
    put(to, o->doc);
    if (o->fallback) fputs(" (default: ", to), put(to, o->fallback), fputs(")", to);
    fputc('\n', to);
  }
}

static void put_exits(FILE *to, const cap_command *command)
{
  fputs(".SH EXIT STATUS\n", to);
#define ROW(name, code, text)                                                                                \
  if (!command || cap_help_ends(command, code)) {                                                            \
    fprintf(to, ".TP\n.B %d\n", code);                                                                       \
    put(to, text);                                                                                           \
    fputc('\n', to);                                                                                         \
  }
  CAP_CLI_EXITS(ROW)
#undef ROW
}

static void put_examples(FILE *to, const cap_example *examples)
{
  if (!examples) return;
  fputs(".SH EXAMPLES\n", to);
  for (const cap_example *e = examples; e->command; e++) {
    fputs(".TP\n.B ", to);
    put(to, e->command);
    fputc('\n', to);
    put(to, e->doc);
    fputc('\n', to);
  }
}

static void put_synopsis(FILE *to, const cap_command *command)
{
  char token[CAP_HELP_TOKEN];
  fprintf(to, ".SH SYNOPSIS\n.B capstan %s\n", command->name);
  for (int k = 0; cap_help_token(command, k, token); k++) {
    put(to, token);
    fputc('\n', to);
  }
}

static void put_command(FILE *to, const cap_command *command)
{
  char name[64];
  snprintf(name, sizeof name, "capstan-%s", command->name);
  begin_page(to, name, command->doc);
  put_synopsis(to, command);
  if (command->about) {
    fputs(".SH DESCRIPTION\n", to);
    put(to, command->about);
    fputc('\n', to);
  }
  if (command->arguments) fputs(".SH ARGUMENTS\n", to);
  for (const cap_argument *a = command->arguments; a && a->name; a++) {
    fputs(".TP\n.I ", to);
    put(to, a->name);
    fputc('\n', to);
    put(to, a->doc);
    fputc('\n', to);
  }
  fputs(".SH OPTIONS\n", to);
  put_options(to, command->options);
  put_options(to, cap_commands_common);
  put_exits(to, command);
  put_examples(to, command->examples);
  fputs(".SH SEE ALSO\n.BR capstan (1)\n", to);
}

static void put_program(FILE *to, const cap_command *none)
{
  begin_page(to, "capstan", "simulates belt drives");
  fputs(".SH SYNOPSIS\n.B capstan\n.I command\n[argument...]\n.br\n.B capstan\n", to);
  put(to, "[--help] [--version]");
  fputs("\n.SH DESCRIPTION\n", to);
  put(to, "Capstan computes models of belt drives from YAML files: accessory drives with their tensioners, "
          "pushbelt variators and their parts, oscillators with clearance, rolling and colliding bodies. "
          "Results are HDF5 files; of each, a self-contained page for the browser can be made.");
  fputs("\n.SH COMMANDS\n", to);
  for (int k = 0; cap_commands_all[k]; k++) {
    fprintf(to, ".TP\n.BR capstan\\-%s (1)\n", cap_commands_all[k]->name);
    put(to, cap_commands_all[k]->doc);
    fputc('\n', to);
  }
  fputs(".SH OPTIONS\n", to);
  put_options(to, cap_commands_program);
  put_exits(to, none);
  fputs(".SH ENVIRONMENT\n", to);
  for (size_t k = 0; k < sizeof VARIABLES / sizeof *VARIABLES; k++) {
    fprintf(to, ".TP\n.B %s\n", VARIABLES[k][0]);
    put(to, VARIABLES[k][1]);
    fputc('\n', to);
  }
  fputs(".SH SEE ALSO\n", to);
  for (int k = 0; cap_commands_all[k]; k++)
    fprintf(to, ".BR capstan\\-%s (1)%s\n", cap_commands_all[k]->name, cap_commands_all[k + 1] ? "," : "");
}

static cap_status write_page(const char *folder, const cap_command *command, cap_error *error)
{
  char path[4096];
  cap_outfile out;
  snprintf(path, sizeof path, "%s/capstan%s%s.1", folder, command ? "-" : "", command ? command->name : "");
  CAP_TRY(cap_outfile_open(&out, path, error));
  if (command) put_command(out.stream, command);
  else put_program(out.stream, NULL);
  return cap_outfile_commit(&out, error);
}

cap_status cap_man_write(const char *folder, cap_error *error)
{
  CAP_TRY(cap_outfile_folder(folder, error));
  CAP_TRY(write_page(folder, NULL, error));
  for (int k = 0; cap_commands_all[k]; k++) CAP_TRY(write_page(folder, cap_commands_all[k], error));
  return CAP_OK;
}
