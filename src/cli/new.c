/* cli/new.c — capstan new DRIVE: a commented model file to start from. */
#include "base/nearest.h"
#include "base/outfile.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/overwrite.h"
#include "cli/terminal.h"
#include "io/starter.h"

#include <string.h>

enum { NAME_MOST = 128 };

typedef struct request {
  const char *output;
  int force;
} request;

static void list_drives(void)
{
  for (int k = 0; cap_registry_drives[k]; k++)
    cap_help_row(stdout, cap_registry_drives[k]->name, cap_registry_drives[k]->doc);
  fprintf(stderr, "\ncapstan new DRIVE writes a model of it, in DRIVE.yaml\n");
}

static int refuse_drive(const char *name)
{
  cap_nearest nearest;
  cap_nearest_start(&nearest, name);
  for (int k = 0; cap_registry_drives[k]; k++) cap_nearest_offer(&nearest, cap_registry_drives[k]->name);
  cap_terminal_error("new: there is no drive \"%s\"%s%s%s; capstan new lists them", name,
                     nearest.best ? "; did you mean \"" : "", nearest.best ? nearest.best : "",
                     nearest.best ? "\"?" : "");
  return CAP_CLI_USAGE;
}

/* "accessory-drive" becomes "accessory_drive.yaml". */
static void default_name(const cap_drive *drive, char name[NAME_MOST])
{
  snprintf(name, NAME_MOST, "%s.yaml", drive->name);
  for (char *c = name; *c; c++)
    if (*c == '-') *c = '_';
}

static cap_status write_model(const cap_drive *drive, const char *path, bool force, cap_error *error)
{
  cap_outfile out;
  cap_model_parse_registry registry = cap_model_file_registry();
  CAP_TRY(cap_overwrite_text(path, force, error));
  CAP_TRY(cap_outfile_open(&out, path, error));
  cap_status status = cap_starter_write(&registry, drive, out.stream, error);
  if (status == CAP_OK || status == CAP_ERR_IO) status = cap_outfile_commit(&out, error);
  cap_outfile_abandon(&out);
  return status;
}

static int new (void *self, const cap_option_texts *arguments)
{
  const request *r = self;
  cap_error error = {0};
  char name[NAME_MOST];
  if (arguments->n == 0) {
    list_drives();
    return CAP_CLI_FINE;
  }
  const cap_drive *drive = cap_registry_drive(arguments->v[0]);
  if (!drive) return refuse_drive(arguments->v[0]);
  default_name(drive, name);
  const char *path = r->output ? r->output : name;
  error.status = write_model(drive, path, r->force, &error);
  if (error.status != CAP_OK) return cap_terminal_fail(&error);
  printf("%s\n", path);
  return CAP_CLI_FINE;
}

const cap_command cap_cli_new_command = {
    .name = "new",
    .doc = "write a commented model file to start from",
    .about = "Writes a complete model of a drive, which can be checked and computed as it is. Every key has "
             "a sentence "
             "and its unit; optional keys follow a # with their default.",
    .arguments = (const cap_argument[]){{"DRIVE", true, false, "drive; without it, all are listed"}, {0}},
    .options =
        (const cap_option[]){{"-o", NULL, CAP_OPTION_TEXT, offsetof(request, output), "MODEL.yaml", NULL,
                              "model file (default: the drive's name with .yaml, in the current folder)",
                              false},
                             {"--force", NULL, CAP_OPTION_FLAG, offsetof(request, force), NULL, NULL,
                              "overwrite an older file", false},
                             {0}},
    .examples = (const cap_example[]){{"capstan new", "list the drives"},
                                      {"capstan new accessory-drive -o bench.yaml",
                                       "a belt drive with a tensioner"},
                                      {0}},
    .exits = (const unsigned char[]){CAP_CLI_FAILED, 0},
    .request_size = sizeof(request),
    .run = new,
};
