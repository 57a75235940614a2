/* cli/cli.h — the subcommands of the program; argv[0] is the subcommand's name, the value is the exit code.
 */
#pragma once

int cap_cli_report(int argc, char **argv);
