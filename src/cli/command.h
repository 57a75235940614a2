/* cli/command.h — what a subcommand is: one table, from which follow parsing, usage errors, help, man pages
 * and completion. No name of a command, an option or an argument stands anywhere else.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum cap_option_kind {
  CAP_OPTION_FLAG,  /* int */
  CAP_OPTION_TEXT,  /* const char * */
  CAP_OPTION_TEXTS, /* cap_option_texts: may be given several times */
  CAP_OPTION_INT    /* int, above 0 */
} cap_option_kind;

enum { CAP_COMMAND_TEXTS = 256, CAP_COMMAND_WORDS = 8 };

typedef struct cap_option_texts {
  int n;
  const char *v[CAP_COMMAND_TEXTS];
} cap_option_texts;

/* An option; a table of them ends with an empty entry. */
typedef struct cap_option {
  const char *name; /* "-o" or "--set" */
  const char *also; /* a second name, "-V"; NULL = none */
  cap_option_kind kind;
  size_t offset; /* in the request, by the kind */
  /* What stands after it, "OUT.h5"; its ending says which files fit, DIR is a folder, and "dahl|masing|both"
   * are the words to choose from. NULL: a flag. */
  const char *argument;
  const char *fallback; /* as if given; NULL = zero */
  const char *doc;
  bool hidden; /* for programs: no help shows it, and with it no argument is needed */
} cap_option;

/* An argument without an option; a table of them ends with an empty entry. */
typedef struct cap_argument {
  const char *name; /* "MODEL.yaml", as the argument of an option */
  bool optional, many;
  const char *doc;
} cap_argument;

typedef struct cap_example {
  const char *command, *doc;
} cap_example;

/* Words that only the program knows, of a kind of argument such as DRIVE, for completion. */
typedef struct cap_words {
  const char *argument;
  void (*print)(FILE *to); /* one a line */
} cap_words;

typedef struct cap_command {
  const char *name, *doc;        /* doc: what it does, in half a sentence */
  const char *about;             /* paragraphs, parted by an empty line; NULL = the doc says it all */
  const cap_argument *arguments; /* NULL = none */
  const cap_option *options;     /* NULL = none but those of all commands */
  const cap_example *examples;   /* ends with an empty entry; NULL = none */
  const unsigned char *exits;    /* exit codes beside 0 and 2, ends with 0; NULL = none */
  size_t request_size;           /* of the struct that the options fill */
  int (*run)(void *request, const cap_option_texts *arguments); /* the exit code */
} cap_command;

/* What the options of every command fill. */
typedef struct cap_command_common {
  int help;
  const char *colour;
} cap_command_common;

/* All commands, in the order of the help; ends with NULL. */
extern const cap_command *const cap_commands_all[];
/* The program's own options, without a command. */
extern const cap_option cap_commands_program[];
/* Options of every command. */
extern const cap_option cap_commands_common[];
extern const cap_words cap_commands_words[];

/* A command of that name, or NULL. */
const cap_command *cap_command_find(const char *name);
/* What is wrong with a name that no command has, on standard error; the exit code. */
int cap_command_unknown(const char *name);

/* Parse argv[1..] and run it; options may stand anywhere among the arguments. The exit code. */
int cap_command_call(const cap_command *command, int argc, char **argv);

/* "capstan: study: what" with the usage on standard error; the exit code. */
__attribute__((format(printf, 2, 3))) int cap_command_refuse(const cap_command *command, const char *format,
                                                             ...);

/* What fits in the place of an argument, by its name: words to choose from, words that the program prints, a
 * folder, files with an ending, or anything. */
typedef enum cap_command_fit {
  CAP_COMMAND_ANYTHING,
  CAP_COMMAND_CHOICE,
  CAP_COMMAND_PRINTED,
  CAP_COMMAND_FOLDER,
  CAP_COMMAND_FILE
} cap_command_fit;
cap_command_fit cap_command_fits(const char *argument);
/* The ending of a CAP_COMMAND_FILE, "h5". */
const char *cap_command_ending(const char *argument);
/* The words of "dahl|masing|both", each with its length; 0: it is no choice. */
int cap_command_choices(const char *argument, const char *words[CAP_COMMAND_WORDS],
                        int lengths[CAP_COMMAND_WORDS]);
