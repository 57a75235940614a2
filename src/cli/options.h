/* cli/options.h — command lines from one table per subcommand: parsing, help and errors. */
#pragma once

typedef enum cap_option_kind {
  CAP_OPTION_FLAG,
  CAP_OPTION_TEXT,
  CAP_OPTION_TEXTS,
  CAP_OPTION_INT
} cap_option_kind;

enum { CAP_OPTIONS_TEXTS = 256 };

typedef struct cap_option_texts {
  int n;
  const char *v[CAP_OPTIONS_TEXTS];
} cap_option_texts;

typedef struct cap_option {
  const char *name; /* "-o" or "--set" */
  cap_option_kind kind;
  void *place;          /* int, const char *, cap_option_texts, int */
  const char *argument; /* "OUT.h5"; NULL for a flag */
  const char *doc;
} cap_option;

/* Parse argv[1..]; options may stand anywhere, what is left goes to `rest` in order. Returns -1 to go on,
 * else the exit code (help was asked for and printed, or the command line is wrong and that was said). */
int cap_options_parse(int argc, char **argv, const char *usage, const cap_option *options,
                      cap_option_texts *rest, int least, int most);
