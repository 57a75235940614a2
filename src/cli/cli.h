/* cli/cli.h — the subcommands of the program; argv[0] is the subcommand's name, the value is the exit code.
 *
 * 0 fine, 1 the computation failed or was interrupted, 2 bad input or usage, 3 an atlas claim does not hold.
 */
#pragma once
#include "base/progress.h"
#include "base/status.h"
#include "io/model_file.h"

enum { CAP_CLI_FINE = 0, CAP_CLI_FAILED = 1, CAP_CLI_USAGE = 2, CAP_CLI_CLAIM = 3 };

int cap_cli_run(int argc, char **argv);
int cap_cli_check(int argc, char **argv);
int cap_cli_report(int argc, char **argv);
int cap_cli_export(int argc, char **argv);
int cap_cli_identify(int argc, char **argv);
int cap_cli_atlas(int argc, char **argv);
int cap_cli_study(int argc, char **argv);
int cap_cli_schema(int argc, char **argv);
