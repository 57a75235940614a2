/* cli/commands.c — all commands, and what they have in common. */
#include "cli/cli.h"
#include "drives/drive.h"

#include <string.h>

#define ADDRESS(name) &cap_cli_##name##_command,
const cap_command *const cap_commands_all[] = {CAP_CLI_COMMANDS(ADDRESS) NULL};

const cap_option cap_commands_program[] = {
    {"--help", "-h", CAP_OPTION_FLAG, 0, NULL, NULL, "list the commands", false},
    {"--version", "-V", CAP_OPTION_FLAG, 0, NULL, NULL, "print version, commit and compiler", false},
    {0}};

const cap_option cap_commands_common[] = {
    {"--color", NULL, CAP_OPTION_TEXT, offsetof(cap_command_common, colour), "auto|always|never", "auto",
     "colour of messages: auto only on a terminal, and neither with NO_COLOR set nor with TERM=dumb", false},
    {"--help", "-h", CAP_OPTION_FLAG, offsetof(cap_command_common, help), NULL, NULL, "explain the command",
     false},
    {0}};

static void print_drives(FILE *to)
{
  for (int k = 0; cap_registry_drives[k]; k++) fprintf(to, "%s\n", cap_registry_drives[k]->name);
}

static void print_commands(FILE *to)
{
  for (int k = 0; cap_commands_all[k]; k++) fprintf(to, "%s\n", cap_commands_all[k]->name);
}

const cap_words cap_commands_words[] = {
    {"DRIVE", print_drives}, {"COMMAND", print_commands}, {"ID", cap_cli_atlas_ids}, {0}};
