/* cli/options.c — see options.h. */
#include "cli/options.h"
#include "base/nearest.h"
#include "cli/cli.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_help(FILE *to, const char *usage, const cap_option *options)
{
  fprintf(to, "usage: capstan %s\n", usage);
  for (const cap_option *o = options; o->name; o++) {
    char head[64];
    snprintf(head, sizeof head, "%s%s%s", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
    fprintf(to, "  %-22s %s\n", head, o->doc);
  }
}

static int refuse(const char *command, const char *what, const char *value, const char *usage,
                  const cap_option *options)
{
  fprintf(stderr, "capstan: %s: %s%s\n", command, what, value);
  print_help(stderr, usage, options);
  return CAP_CLI_USAGE;
}

static int refuse_unknown(const char *command, const char *name, const char *usage, const cap_option *options)
{
  cap_nearest nearest;
  char text[256];
  cap_nearest_start(&nearest, name);
  for (const cap_option *o = options; o->name; o++) cap_nearest_offer(&nearest, o->name);
  if (nearest.best) snprintf(text, sizeof text, "%.100s; did you mean %s?", name, nearest.best);
  else snprintf(text, sizeof text, "%.200s", name);
  return refuse(command, "unknown option ", text, usage, options);
}

/* The option of an argument; *value is what is attached to a short one, "-j2", else NULL. */
static const cap_option *find(const cap_option *options, const char *argument, const char **value)
{
  *value = NULL;
  for (const cap_option *o = options; o->name; o++) {
    if (strcmp(o->name, argument) == 0) return o;
    if (o->argument && o->name[1] != '-' && strncmp(o->name, argument, 2) == 0) {
      *value = argument + 2;
      return o;
    }
  }
  return NULL;
}

/* Store the value; false when it does not fit. */
static int store(const cap_option *o, const char *value)
{
  char *end;
  cap_option_texts *list = o->place;
  switch (o->kind) {
  case CAP_OPTION_FLAG:
    *(int *)o->place = 1;
    return 1;
  case CAP_OPTION_TEXT:
    *(const char **)o->place = value;
    return 1;
  case CAP_OPTION_TEXTS:
    if (list->n == CAP_OPTIONS_TEXTS) return 0;
    list->v[list->n++] = value;
    return 1;
  case CAP_OPTION_INT: {
    long number = strtol(value, &end, 10);
    if (!*value || *end || number <= 0 || number > INT_MAX) return 0;
    *(int *)o->place = (int)number;
    return 1;
  }
  }
  return 0;
}

int cap_options_parse(int argc, char **argv, const char *usage, const cap_option *options,
                      cap_option_texts *rest, int least, int most)
{
  const char *command = argv[0];
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
      print_help(stdout, usage, options);
      return CAP_CLI_FINE;
    }
    if (argv[i][0] != '-' || !argv[i][1]) {
      if (rest->n >= most) return refuse(command, "unexpected ", argv[i], usage, options);
      rest->v[rest->n++] = argv[i];
      continue;
    }
    const char *value;
    const cap_option *o = find(options, argv[i], &value);
    if (!o) return refuse_unknown(command, argv[i], usage, options);
    if (o->argument && !value) {
      if (++i == argc) return refuse(command, "a value is missing after ", o->name, usage, options);
      value = argv[i];
    }
    if (!store(o, value)) {
      char what[128];
      snprintf(what, sizeof what, "%s: not a usable value: ", o->name);
      return refuse(command, what, value, usage, options);
    }
  }
  if (rest->n < least) return refuse(command, "an argument is missing", "", usage, options);
  return -1;
}
