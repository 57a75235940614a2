/* cli/help.c — capstan help, capstan COMMAND --help, and the usage after an error. */
#include "cli/help.h"
#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/man.h"
#include "cli/terminal.h"
#include "version.h"

#include <string.h>

enum { WIDTH = 79, COLUMN = 26 };

/* ---- lines ---- */

/* A text as a paragraph between the columns `indent` and WIDTH, the first line continued at `at`; empty lines
 * part paragraphs. */
static void write_paragraphs(FILE *to, const char *text, int indent, int at)
{
  while (*text) {
    int word = (int)strcspn(text, " \n");
    if (at > indent && at + 1 + word > WIDTH) {
      fprintf(to, "\n%*s", indent, "");
      at = indent;
    } else if (at > indent) {
      fputc(' ', to);
      at++;
    }
    fprintf(to, "%.*s", word, text);
    at += word;
    text += word;
    bool parts = strncmp(text, "\n\n", 2) == 0;
    text += strspn(text, " \n");
    if (parts && *text) {
      fprintf(to, "\n\n%*s", indent, "");
      at = indent;
    }
  }
  fputc('\n', to);
}

void cap_help_row(FILE *to, const char *head, const char *text)
{
  int length = (int)strlen(head) + 2;
  fprintf(to, "  %s", head);
  if (length + 2 > COLUMN) fprintf(to, "\n%*s", COLUMN, "");
  else fprintf(to, "%*s", COLUMN - length, "");
  write_paragraphs(to, text, COLUMN, COLUMN);
}

/* ---- parts of a command ---- */

void cap_help_option(const cap_option *option, char text[CAP_HELP_TOKEN])
{
  snprintf(text, CAP_HELP_TOKEN, "%s%s%s%s%s", option->also ? option->also : "", option->also ? ", " : "",
           option->name, option->argument ? " " : "", option->argument ? option->argument : "");
}

static void write_argument(const cap_argument *a, char token[CAP_HELP_TOKEN])
{
  const char *many = a->many ? "..." : "";
  if (a->optional) snprintf(token, CAP_HELP_TOKEN, "[%s%s]", a->name, many);
  else snprintf(token, CAP_HELP_TOKEN, "%s%s", a->name, many);
}

bool cap_help_token(const cap_command *command, int k, char token[CAP_HELP_TOKEN])
{
  for (const cap_argument *a = command->arguments; a && a->name; a++) {
    if (k-- > 0) continue;
    write_argument(a, token);
    return true;
  }
  for (const cap_option *o = command->options; o && o->name; o++) {
    if (o->hidden || k-- > 0) continue;
    snprintf(token, CAP_HELP_TOKEN, "[%s%s%s]%s", o->name, o->argument ? " " : "",
             o->argument ? o->argument : "", o->kind == CAP_OPTION_TEXTS ? "..." : "");
    return true;
  }
  return false;
}

bool cap_help_ends(const cap_command *command, int code)
{
  for (const unsigned char *e = command->exits; e && *e; e++)
    if (*e == code) return true;
  return code == CAP_CLI_FINE || code == CAP_CLI_USAGE;
}

void cap_help_usage(FILE *to, const cap_command *command)
{
  char token[CAP_HELP_TOKEN];
  int at = fprintf(to, "usage: capstan %s", command->name), indent = at;
  for (int k = 0; cap_help_token(command, k, token); k++) {
    int length = (int)strlen(token);
    if (at + 1 + length > WIDTH) at = fprintf(to, "\n%*s", indent, "") - 1;
    at += fprintf(to, " %s", token);
  }
  fputc('\n', to);
}

static void write_options(FILE *to, const cap_option *options)
{
  char head[CAP_HELP_TOKEN], text[600];
  for (const cap_option *o = options; o && o->name; o++) {
    if (o->hidden) continue;
    cap_help_option(o, head);
    snprintf(text, sizeof text, "%s%s%s%s", o->doc, o->fallback ? " (default: " : "",
             o->fallback ? o->fallback : "", o->fallback ? ")" : "");
    cap_help_row(to, head, text);
  }
}

static void write_examples(FILE *to, const cap_example *examples)
{
  if (!examples) return;
  fputs("\nexamples:\n", to);
  for (const cap_example *e = examples; e->command; e++) {
    fprintf(to, "  %s\n      ", e->command);
    write_paragraphs(to, e->doc, 6, 6);
  }
}

static void write_exits(FILE *to, const cap_command *command)
{
  static const struct {
    int code;
    const char *text;
  } exits[] = {
#define ROW(name, code, text) {code, text},
      CAP_CLI_EXITS(ROW)
#undef ROW
  };
  char head[16];
  fputs("\nexit codes:\n", to);
  for (size_t k = 0; k < sizeof exits / sizeof *exits; k++) {
    if (!cap_help_ends(command, exits[k].code)) continue;
    snprintf(head, sizeof head, "%d", exits[k].code);
    cap_help_row(to, head, exits[k].text);
  }
}

void cap_help_command(FILE *to, const cap_command *command)
{
  int at = fprintf(to, "capstan %s:", command->name);
  write_paragraphs(to, command->doc, 0, at);
  fputc('\n', to);
  cap_help_usage(to, command);
  if (command->about) {
    fputc('\n', to);
    write_paragraphs(to, command->about, 0, 0);
  }
  if (command->arguments) fputs("\narguments:\n", to);
  for (const cap_argument *a = command->arguments; a && a->name; a++) cap_help_row(to, a->name, a->doc);
  fputs("\noptions:\n", to);
  write_options(to, command->options);
  write_options(to, cap_commands_common);
  write_examples(to, command->examples);
  write_exits(to, command);
}

void cap_help_program(FILE *to)
{
  fprintf(to, "capstan %s: simulates belt drives\n\nusage: capstan COMMAND ...\n\ncommands:\n",
          CAPSTAN_VERSION);
  for (int k = 0; cap_commands_all[k]; k++)
    cap_help_row(to, cap_commands_all[k]->name, cap_commands_all[k]->doc);
  fputs("\noptions:\n", to);
  write_options(to, cap_commands_program);
  fputs("\ncapstan help COMMAND explains a command; every command accepts --help.\n", to);
}

/* ---- the subcommand ---- */

typedef struct request {
  const char *pages, *shell, *words;
} request;

static int print_words(const cap_command *command, const char *argument)
{
  for (const cap_words *w = cap_commands_words; w->argument; w++) {
    if (strcmp(w->argument, argument) != 0) continue;
    w->print(stdout);
    return CAP_CLI_FINE;
  }
  return cap_command_refuse(command, "no words are known for \"%s\"", argument);
}

static int help(void *self, const cap_option_texts *arguments)
{
  const request *r = self;
  cap_error error = {0};
  if (r->words) return print_words(&cap_cli_help_command, r->words);
  if (r->pages) {
    error.status = cap_man_write(r->pages, &error);
    return error.status == CAP_OK ? CAP_CLI_FINE : cap_terminal_fail(&error);
  }
  if (r->shell) {
    cap_completion_write(stdout, r->shell);
    return CAP_CLI_FINE;
  }
  if (arguments->n == 0) {
    cap_help_program(stdout);
    return CAP_CLI_FINE;
  }
  const cap_command *command = cap_command_find(arguments->v[0]);
  if (!command) return cap_command_unknown(arguments->v[0]);
  cap_help_command(stdout, command);
  return CAP_CLI_FINE;
}

const cap_command cap_cli_help_command = {
    .name = "help",
    .doc = "explain a command; man pages and completion",
    .about = "make install puts the man pages and the completion of bash, zsh and fish in their places. "
             "Without an installation, source <(capstan help --completion bash) completes in the present "
             "shell.",
    .arguments = (const cap_argument[]){{"COMMAND", true, false, "command; without it, all are listed"}, {0}},
    .options = (const cap_option[]){{"--man", NULL, CAP_OPTION_TEXT, offsetof(request, pages), "DIR", NULL,
                                     "write the man pages into this folder", false},
                                    {"--completion", NULL, CAP_OPTION_TEXT, offsetof(request, shell),
                                     CAP_COMPLETION_SHELLS, NULL, "print the completion of this shell",
                                     false},
                                    {"--words", NULL, CAP_OPTION_TEXT, offsetof(request, words), "KIND", NULL,
                                     "print the words that complete an argument", true},
                                    {0}},
    .request_size = sizeof(request),
    .run = help,
};
