/* cli/completion.c — see completion.h.
 *
 * Commands, options and choices are written into the script; words that depend on the installation (entries
 * of the atlas) or stand in tables of other rooms (drives) are asked of the program when they are needed, by
 * its hidden option --words.
 */
#include "cli/completion.h"
#include "cli/command.h"

#include <string.h>

/* Text within single quotes of a shell; characters of `also` get a backslash. */
static void put(FILE *to, const char *text, const char *also)
{
  for (; *text; text++) {
    if (*text == '\'') fputs("'\\''", to);
    else {
      if (strchr(also, *text)) fputc('\\', to);
      fputc(*text, to);
    }
  }
}

static void put_choices(FILE *to, const char *argument)
{
  const char *words[CAP_COMMAND_WORDS];
  int lengths[CAP_COMMAND_WORDS], n = cap_command_choices(argument, words, lengths);
  for (int k = 0; k < n; k++) fprintf(to, "%s%.*s", k ? " " : "", lengths[k], words[k]);
}

/* ---- bash ---- */

static const char bash_head[] =
    "# completion of capstan in bash; written by capstan help --completion bash\n"
    "_capstan() {\n"
    "  local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= place=-1 word\n"
    "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
    "    if [[ $word != -* ]]; then\n"
    "      command=${command:-$word} place=$((place + 1))\n"
    "    fi\n"
    "  done\n"
    "  COMPREPLY=()\n"
    "  _capstan_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$now\"); }\n"
    "  _capstan_folders() { mapfile -t COMPREPLY < <(compgen -d -- \"$now\"); }\n"
    "  _capstan_files() { mapfile -t COMPREPLY < <(compgen -d -- \"$now\"; compgen -f -X \"!*.$1\" -- "
    "\"$now\"); }\n"
    "  _capstan_ask() { _capstan_words \"$(\"${COMP_WORDS[0]}\" help --words \"$1\" 2>/dev/null)\"; }\n"
    "  case $command in\n";

static void bash_fit(FILE *to, const char *argument)
{
  switch (cap_command_fits(argument)) {
  case CAP_COMMAND_CHOICE:
    fputs("_capstan_words '", to);
    put_choices(to, argument);
    fputs("'", to);
    break;
  case CAP_COMMAND_PRINTED:
    fprintf(to, "_capstan_ask %s", argument);
    break;
  case CAP_COMMAND_FOLDER:
    fputs("_capstan_folders", to);
    break;
  case CAP_COMMAND_FILE:
    fprintf(to, "_capstan_files %s", cap_command_ending(argument));
    break;
  case CAP_COMMAND_ANYTHING:
    fputs(":", to);
    break;
  }
}

static void bash_values(FILE *to, const cap_option *options)
{
  for (const cap_option *o = options; o && o->name; o++) {
    if (o->hidden || !o->argument) continue;
    fprintf(to, "    %s) ", o->name);
    bash_fit(to, o->argument);
    fputs("; return ;;\n", to);
  }
}

static void bash_names(FILE *to, const cap_option *options)
{
  for (const cap_option *o = options; o && o->name; o++)
    if (!o->hidden) fprintf(to, " %s", o->name);
}

/* `place` counts the words behind the command; values of options among them count, too, so that the last
 * argument may be repeated by whoever takes one only. */
static void bash_command(FILE *to, const cap_command *command)
{
  fprintf(to, "  %s)\n    case $before in\n", command->name);
  bash_values(to, command->options);
  bash_values(to, cap_commands_common);
  fputs("    esac\n    if [[ $now == -* ]]; then _capstan_words '", to);
  bash_names(to, command->options);
  bash_names(to, cap_commands_common);
  fputs("'; return; fi\n", to);
  const cap_argument *a = command->arguments;
  if (a && a->name) {
    fputs("    case $place in\n", to);
    for (int k = 0; a->name; a++, k++) {
      if (a[1].name) fprintf(to, "    %d) ", k);
      else fputs("    *) ", to);
      bash_fit(to, a->name);
      fputs(" ;;\n", to);
    }
    fputs("    esac\n", to);
  }
  fputs("    ;;\n", to);
}

static void write_bash(FILE *to)
{
  fputs(bash_head, to);
  fputs("  '')\n    if [[ $now == -* ]]; then _capstan_words '", to);
  for (const cap_option *o = cap_commands_program; o->name; o++)
    fprintf(to, " %s%s%s", o->name, o->also ? " " : "", o->also ? o->also : "");
  fputs("'; else _capstan_words '", to);
  for (int k = 0; cap_commands_all[k]; k++) fprintf(to, "%s%s", k ? " " : "", cap_commands_all[k]->name);
  fputs("'; fi\n    ;;\n", to);
  for (int k = 0; cap_commands_all[k]; k++) bash_command(to, cap_commands_all[k]);
  fputs("  esac\n}\ncomplete -o filenames -F _capstan capstan\n", to);
}

/* ---- zsh ---- */

/* The action of _arguments, behind "message:". */
static void zsh_fit(FILE *to, const char *argument)
{
  put(to, argument, ":");
  fputc(':', to);
  switch (cap_command_fits(argument)) {
  case CAP_COMMAND_CHOICE:
    fputc('(', to);
    put_choices(to, argument);
    fputc(')', to);
    break;
  case CAP_COMMAND_PRINTED:
    fprintf(to, "($(${service} help --words %s 2>/dev/null))", argument);
    break;
  case CAP_COMMAND_FOLDER:
    fputs("_files -/", to);
    break;
  case CAP_COMMAND_FILE:
    fprintf(to, "_files -g \"*.%s\"", cap_command_ending(argument));
    break;
  case CAP_COMMAND_ANYTHING:
    fputc(' ', to);
    break;
  }
}

static void zsh_name(FILE *to, const cap_option *o, const char *name)
{
  fprintf(to, " \\\n      '%s%s[", o->kind == CAP_OPTION_TEXTS ? "*" : "", name);
  put(to, o->doc, "[]");
  fputc(']', to);
  if (o->argument) fputc(':', to), zsh_fit(to, o->argument);
  fputc('\'', to);
}

static void zsh_options(FILE *to, const cap_option *options)
{
  for (const cap_option *o = options; o && o->name; o++) {
    if (o->hidden) continue;
    zsh_name(to, o, o->name);
    if (o->also) zsh_name(to, o, o->also);
  }
}

static void zsh_command(FILE *to, const cap_command *command)
{
  fprintf(to, "  %s)\n    _arguments", command->name);
  zsh_options(to, command->options);
  zsh_options(to, cap_commands_common);
  int k = 1;
  for (const cap_argument *a = command->arguments; a && a->name; a++, k++) {
    if (a->many) fputs(" \\\n      '*:", to);
    else fprintf(to, " \\\n      '%d:%s", k, a->optional ? ":" : "");
    zsh_fit(to, a->name);
    fputc('\'', to);
  }
  fputs("\n    ;;\n", to);
}

static void write_zsh(FILE *to)
{
  fputs("#compdef capstan\n# completion of capstan in zsh; written by capstan help --completion zsh\n"
        "local -a commands\ncommands=(\n",
        to);
  for (int k = 0; cap_commands_all[k]; k++) {
    fprintf(to, "  '%s:", cap_commands_all[k]->name);
    put(to, cap_commands_all[k]->doc, ":");
    fputs("'\n", to);
  }
  fputs(")\nif (( CURRENT == 2 )); then\n  _describe -t commands command commands\n  _arguments", to);
  zsh_options(to, cap_commands_program);
  fputs("\n  return\nfi\nlocal command=${words[2]}\nshift words\n(( CURRENT-- ))\ncase $command in\n", to);
  for (int k = 0; cap_commands_all[k]; k++) zsh_command(to, cap_commands_all[k]);
  fputs("esac\n", to);
}

/* ---- fish ---- */

static void fish_fit(FILE *to, const char *argument)
{
  switch (cap_command_fits(argument)) {
  case CAP_COMMAND_CHOICE:
    fputs(" -a '", to);
    put_choices(to, argument);
    fputc('\'', to);
    break;
  case CAP_COMMAND_PRINTED:
    fprintf(to, " -a '(capstan help --words %s 2>/dev/null)'", argument);
    break;
  case CAP_COMMAND_FOLDER:
    fputs(" -a '(__fish_complete_directories)'", to);
    break;
  case CAP_COMMAND_FILE:
    fprintf(to, " -k -a '(__fish_complete_suffix .%s)'", cap_command_ending(argument));
    break;
  case CAP_COMMAND_ANYTHING:
    break;
  }
}

static void fish_name(FILE *to, const char *name)
{
  if (name[1] == '-') fprintf(to, " -l %s", name + 2);
  else fprintf(to, " -s %c", name[1]);
}

static void fish_options(FILE *to, const char *when, const cap_option *options)
{
  for (const cap_option *o = options; o && o->name; o++) {
    if (o->hidden) continue;
    fprintf(to, "complete -c capstan -n '%s'", when);
    fish_name(to, o->name);
    if (o->also) fish_name(to, o->also);
    if (o->argument) {
      fputs(" -x", to);
      fish_fit(to, o->argument);
    }
    fputs(" -d '", to);
    for (const char *c = o->doc; *c; c++) fprintf(to, "%s%c", strchr("\\'", *c) ? "\\" : "", *c);
    fputs("'\n", to);
  }
}

static void write_fish(FILE *to)
{
  char when[96];
  fputs(
      "# completion of capstan in fish; written by capstan help --completion fish\ncomplete -c capstan -f\n",
      to);
  fish_options(to, "__fish_use_subcommand", cap_commands_program);
  for (int k = 0; cap_commands_all[k]; k++) {
    const cap_command *c = cap_commands_all[k];
    fprintf(to, "complete -c capstan -n '__fish_use_subcommand' -a %s -d '", c->name);
    for (const char *d = c->doc; *d; d++) fprintf(to, "%s%c", strchr("\\'", *d) ? "\\" : "", *d);
    fputs("'\n", to);
    snprintf(when, sizeof when, "__fish_seen_subcommand_from %s", c->name);
    fish_options(to, when, c->options);
    fish_options(to, when, cap_commands_common);
    for (const cap_argument *a = c->arguments; a && a->name; a++) {
      if (cap_command_fits(a->name) == CAP_COMMAND_ANYTHING) continue;
      fprintf(to, "complete -c capstan -n '%s'", when);
      fish_fit(to, a->name);
      fputc('\n', to);
    }
  }
}

void cap_completion_write(FILE *to, const char *shell)
{
  if (strcmp(shell, "bash") == 0) write_bash(to);
  else if (strcmp(shell, "zsh") == 0) write_zsh(to);
  else write_fish(to);
}
