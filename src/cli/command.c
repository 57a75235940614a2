/* cli/command.c — see command.h. */
#include "cli/command.h"
#include "base/nearest.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/terminal.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const cap_command *cap_command_find(const char *name)
{
  for (int k = 0; cap_commands_all[k]; k++)
    if (strcmp(cap_commands_all[k]->name, name) == 0) return cap_commands_all[k];
  return NULL;
}

int cap_command_unknown(const char *name)
{
  cap_nearest nearest;
  cap_nearest_start(&nearest, name);
  for (int k = 0; cap_commands_all[k]; k++) cap_nearest_offer(&nearest, cap_commands_all[k]->name);
  if (nearest.best) cap_terminal_error("unknown command \"%s\"; did you mean \"%s\"?", name, nearest.best);
  else cap_terminal_error("unknown command \"%s\"", name);
  fputs("capstan help lists the commands\n", stderr);
  return CAP_CLI_USAGE;
}

int cap_command_refuse(const cap_command *command, const char *format, ...)
{
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  cap_terminal_error("%s: %s", command->name, text);
  cap_help_usage(stderr, command);
  fprintf(stderr, "capstan help %s explains it\n", command->name);
  return CAP_CLI_USAGE;
}

int cap_command_choices(const char *argument, const char *words[CAP_COMMAND_WORDS],
                        int lengths[CAP_COMMAND_WORDS])
{
  int n = 0;
  if (!argument || !strchr(argument, '|')) return 0;
  for (const char *word = argument; *word && n < CAP_COMMAND_WORDS; n++) {
    words[n] = word;
    lengths[n] = (int)strcspn(word, "|");
    word += lengths[n] + (word[lengths[n]] == '|');
  }
  return n;
}

const char *cap_command_ending(const char *argument)
{
  const char *dot = strrchr(argument, '.');
  return dot ? dot + 1 : "";
}

cap_command_fit cap_command_fits(const char *argument)
{
  if (!argument) return CAP_COMMAND_ANYTHING;
  if (strchr(argument, '|')) return CAP_COMMAND_CHOICE;
  for (const cap_words *w = cap_commands_words; w->argument; w++)
    if (strcmp(w->argument, argument) == 0) return CAP_COMMAND_PRINTED;
  if (strcmp(argument, "DIR") == 0) return CAP_COMMAND_FOLDER;
  return strchr(argument, '.') ? CAP_COMMAND_FILE : CAP_COMMAND_ANYTHING;
}

/* What parsing fills. */
typedef struct parse {
  const cap_command *command;
  void *request;
  cap_command_common common;
  cap_option_texts *rest;
  bool alone; /* an option was given with which no argument is needed */
} parse;

static bool named(const cap_option *o, const char *argument, size_t length)
{
  return (strlen(o->name) == length && strncmp(o->name, argument, length) == 0) ||
         (o->also && strlen(o->also) == length && strncmp(o->also, argument, length) == 0);
}

/* The option of an argument among these; *value is what is attached to it, "-j2" or "--law=dahl", else
 * NULL. */
static const cap_option *find_among(const cap_option *options, const char *argument, const char **value)
{
  size_t length = strncmp(argument, "--", 2) == 0 ? strcspn(argument, "=") : strlen(argument);
  *value = argument[length] ? argument + length + 1 : NULL;
  for (const cap_option *o = options; o && o->name; o++) {
    if (named(o, argument, length)) return o;
    if (o->argument && o->name[1] != '-' && strncmp(o->name, argument, 2) == 0) {
      *value = argument + 2;
      return o;
    }
  }
  return NULL;
}

static const cap_option *find(parse *p, const char *argument, const char **value, char **base)
{
  const cap_option *o = find_among(p->command->options, argument, value);
  *base = p->request;
  if (o) return o;
  *base = (char *)&p->common;
  return find_among(cap_commands_common, argument, value);
}

static int refuse_unknown(const parse *p, const char *name)
{
  cap_nearest nearest;
  cap_nearest_start(&nearest, name);
  for (const cap_option *o = p->command->options; o && o->name; o++)
    if (!o->hidden) cap_nearest_offer(&nearest, o->name);
  for (const cap_option *o = cap_commands_common; o->name; o++) cap_nearest_offer(&nearest, o->name);
  if (!nearest.best) return cap_command_refuse(p->command, "unknown option %.200s", name);
  return cap_command_refuse(p->command, "unknown option %.100s; did you mean %s?", name, nearest.best);
}

/* "dahl, masing or both" */
static void write_choices(char *text, size_t size, const char *argument)
{
  const char *words[CAP_COMMAND_WORDS];
  int lengths[CAP_COMMAND_WORDS], n = cap_command_choices(argument, words, lengths);
  size_t at = 0;
  for (int k = 0; k < n && at < size; k++)
    at += (size_t)snprintf(text + at, size - at, "%s%.*s",
                           k == 0      ? ""
                           : k + 1 < n ? ", "
                                       : " or ",
                           lengths[k], words[k]);
}

static bool is_choice(const char *argument, const char *value)
{
  const char *words[CAP_COMMAND_WORDS];
  int lengths[CAP_COMMAND_WORDS], n = cap_command_choices(argument, words, lengths);
  for (int k = 0; k < n; k++)
    if ((int)strlen(value) == lengths[k] && strncmp(words[k], value, (size_t)lengths[k]) == 0) return true;
  return n == 0;
}

/* Store the value; -1, or the exit code after it was refused. */
static int store(parse *p, const cap_option *o, char *base, const char *value)
{
  void *place = base + o->offset;
  char *end, choices[200];
  cap_option_texts *list = place;
  switch (o->kind) {
  case CAP_OPTION_FLAG:
    *(int *)place = 1;
    break;
  case CAP_OPTION_TEXT:
    if (!is_choice(o->argument, value)) {
      write_choices(choices, sizeof choices, o->argument);
      return cap_command_refuse(p->command, "%s: expected %s, got \"%.100s\"", o->name, choices, value);
    }
    *(const char **)place = value;
    break;
  case CAP_OPTION_TEXTS:
    if (list->n == CAP_COMMAND_TEXTS)
      return cap_command_refuse(p->command, "%s: expected at most %d of them", o->name, CAP_COMMAND_TEXTS);
    list->v[list->n++] = value;
    break;
  case CAP_OPTION_INT: {
    long number = strtol(value, &end, 10);
    if (!*value || *end || number <= 0 || number > INT_MAX)
      return cap_command_refuse(p->command, "%s: expected a whole number from 1 to %d, got \"%.100s\"",
                                o->name, INT_MAX, value);
    *(int *)place = (int)number;
    break;
  }
  }
  return -1;
}

static void set_fallbacks(parse *p, const cap_option *options, char *base)
{
  for (const cap_option *o = options; o && o->name; o++)
    if (o->fallback) store(p, o, base, o->fallback);
}

static int most_arguments(const cap_command *command)
{
  int n = 0;
  for (const cap_argument *a = command->arguments; a && a->name; a++, n++)
    if (a->many) return CAP_COMMAND_TEXTS;
  return n;
}

/* The first argument that is needed and not there; NULL: none. */
static const cap_argument *missing_argument(const parse *p)
{
  int n = 0;
  for (const cap_argument *a = p->command->arguments; a && a->name; a++)
    if (!a->optional && n++ >= p->rest->n) return a;
  return NULL;
}

/* An argument without an option; -1, or the exit code after it was refused. */
static int take_argument(parse *p, const char *text)
{
  const cap_argument *a = p->command->arguments;
  char choices[200];
  if (p->rest->n >= most_arguments(p->command))
    return cap_command_refuse(p->command, "unexpected argument \"%.200s\"", text);
  for (int k = 0; k < p->rest->n && a[1].name; k++) a++;
  if (!is_choice(a->name, text)) {
    write_choices(choices, sizeof choices, a->name);
    return cap_command_refuse(p->command, "expected %s, got \"%.100s\"", choices, text);
  }
  p->rest->v[p->rest->n++] = text;
  return -1;
}

/* One of argv, and perhaps its value, which is the next one; -1, or the exit code after it was refused. */
static int take(parse *p, int argc, char **argv, int *i)
{
  const char *value, *argument = argv[*i];
  char *base;
  if (argument[0] != '-' || !argument[1]) return take_argument(p, argument);
  const cap_option *o = find(p, argument, &value, &base);
  if (!o) return refuse_unknown(p, argument);
  if (!o->argument && value) return cap_command_refuse(p->command, "%s takes no value", o->name);
  if (o->argument && !value) {
    if (++*i == argc) return cap_command_refuse(p->command, "%s needs a value: %s", o->name, o->argument);
    value = argv[*i];
  }
  p->alone = p->alone || o->hidden;
  return store(p, o, base, value);
}

static int parse_all(parse *p, int argc, char **argv)
{
  set_fallbacks(p, p->command->options, p->request);
  set_fallbacks(p, cap_commands_common, (char *)&p->common);
  for (int i = 1; i < argc; i++) {
    int code = take(p, argc, argv, &i);
    if (code >= 0) return code;
    cap_terminal_colour(p->common.colour);
    if (p->common.help) {
      cap_help_command(stdout, p->command);
      return CAP_CLI_FINE;
    }
  }
  const cap_argument *missing = p->alone ? NULL : missing_argument(p);
  return missing ? cap_command_refuse(p->command, "an argument is missing: %s", missing->name) : -1;
}

int cap_command_call(const cap_command *command, int argc, char **argv)
{
  cap_option_texts *rest = calloc(1, sizeof *rest);
  parse p = {.command = command, .request = calloc(1, command->request_size + 1), .rest = rest};
  int code = CAP_CLI_FAILED;
  if (p.request && rest) {
    code = parse_all(&p, argc, argv);
    if (code < 0) code = command->run(p.request, rest);
  } else {
    cap_terminal_error("out of memory");
  }
  free(p.request);
  free(rest);
  return code;
}
