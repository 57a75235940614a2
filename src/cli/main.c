/* cli/main.c — the program: one table of subcommands, one file each. */
#include "base/nearest.h"
#include "cli/cli.h"
#include "linalg/lapack.h"
#include "version.h"

#include <stdio.h>
#include <string.h>

typedef struct command {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *usage, *doc;
} command;

static const command commands[] = {
    {"run", cap_cli_run, "MODEL.yaml [-o OUT.h5] [--set PATH=VALUE]... [--resume] [--quiet]",
     "compute a model"},
    {"check", cap_cli_check, "MODEL.yaml", "validate, and say what would be simulated"},
    {"report", cap_cli_report, "OUT.h5 [MORE.h5 ...] [-o OUT.html]",
     "one self-contained page: the drive in motion, plots, tables; or a comparison"},
    {"identify", cap_cli_identify, "DATA.csv [--law dahl|masing|both] [-o OUT.h5]",
     "parameters of a hysteresis law from a measured loop"},
    {"study", cap_cli_study,
     "STUDY.yaml [-o DIR] [-j N | --slurm] [--resume] [--optimize] [--list] [--quiet]",
     "many cases of a model: what is varied, what is looked at"},
    {"export", cap_cli_export, "OUT.h5 --csv DIR | --vtk DIR", "results for other programs"},
    {"atlas", cap_cli_atlas, "list | run ID... | run --all [--json] [-o DIR] [--quick]",
     "the sources' figures and tables, and what is claimed of them"},
    {"schema", cap_cli_schema, "[--markdown]", "JSON Schema of model files, for editors"},
};

enum { NCOMMAND = sizeof commands / sizeof *commands };

static void print_help(FILE *to)
{
  fprintf(to, "capstan %s — simulates belt drives\n\n", CAPSTAN_VERSION);
  for (int k = 0; k < NCOMMAND; k++)
    fprintf(to, "  capstan %-9s %s\n                    %s\n", commands[k].name, commands[k].usage,
            commands[k].doc);
  fprintf(to, "\n  capstan COMMAND --help   options of a command\n  capstan --version\n");
}

int main(int argc, char **argv)
{
  capm_lapack_one_thread(); /* the matrices are small: BLAS threads would only spin */
  if (argc < 2) {
    print_help(stderr);
    return CAP_CLI_USAGE;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("capstan %s (%s, %s)\n", CAPSTAN_VERSION, CAPSTAN_GIT_HASH, CAPSTAN_COMPILER);
    return CAP_CLI_FINE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
    print_help(stdout);
    return CAP_CLI_FINE;
  }
  for (int k = 0; k < NCOMMAND; k++)
    if (strcmp(argv[1], commands[k].name) == 0) return commands[k].run(argc - 1, argv + 1);
  cap_nearest nearest;
  cap_nearest_start(&nearest, argv[1]);
  for (int k = 0; k < NCOMMAND; k++) cap_nearest_offer(&nearest, commands[k].name);
  if (nearest.best)
    fprintf(stderr, "capstan: unknown command \"%s\"; did you mean \"%s\"?\n", argv[1], nearest.best);
  else fprintf(stderr, "capstan: unknown command \"%s\"\n", argv[1]);
  print_help(stderr);
  return CAP_CLI_USAGE;
}
