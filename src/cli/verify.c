/* cli/verify.c — capstan verify OUT.h5...: whether results are whole and can be used. */
#include "io/verify.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "version.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

typedef struct request {
  int json, quiet;
} request;

/* What is printed of one file. */
typedef struct listener {
  const request *request;
  const char *path;
  int nfinding;
} listener;

static void put_finding(listener *l, bool fault, const char *group, const char *text)
{
  printf(l->nfinding++ ? ",\n        {\"fault\": %s, \"group\": " : "\n        {\"fault\": %s, \"group\": ",
         fault ? "true" : "false");
  if (group) cap_json_text(stdout, group);
  else fputs("null", stdout);
  fputs(", \"text\": ", stdout);
  cap_json_text(stdout, text);
  fputc('}', stdout);
}

static void hear(void *self, bool fault, const char *group, const char *text)
{
  listener *l = self;
  if (l->request->json) put_finding(l, fault, group, text);
  else if (fault) cap_terminal_error("%s: %s%s%s", l->path, group ? group : "", group ? ": " : "", text);
  else if (!l->request->quiet) printf("%s: %s%s%s\n", l->path, group ? group : "", group ? ": " : "", text);
}

/* 2: it is not there; 1: it is, and cannot be used. */
static int code_of(const char *path, cap_status status, const cap_verify_report *report)
{
  if (status == CAP_OK) return report->nfault ? CAP_CLI_FAILED : CAP_CLI_FINE;
  return status == CAP_ERR_IO && access(path, R_OK) == 0 ? CAP_CLI_FAILED : CAP_CLI_USAGE;
}

static void print_verdict(const char *path, const cap_verify_report *r)
{
  printf("%s: %s: %d %s, %" PRId64 " values", path,
         r->nfault    ? "not to be used"
         : r->checked ? "whole"
                      : "readable",
         r->ngroup, r->ngroup == 1 ? "group" : "groups", r->nvalue);
  if (r->nnan) printf(", %" PRId64 " of them NaN", r->nnan);
  if (isfinite(r->relative)) printf(", energy residual at most %.2g", r->relative);
  fputc('\n', stdout);
}

static void put_verdict(const cap_verify_report *r, cap_status status, int code, const char *reason)
{
  fputs("\n      ],\n      \"status\": ", stdout);
  cap_json_text(stdout, status != CAP_OK ? "damaged" : code ? "faulty" : "whole");
  fputs(",\n      \"error\": ", stdout);
  if (status != CAP_OK) cap_json_text(stdout, reason);
  else fputs("null", stdout);
  printf(",\n      \"digest\": %s, \"complete\": %s, \"groups\": %d, \"values\": %" PRId64
         ", \"nan\": %" PRId64 ", \"energy_residual\": ",
         r->checked ? "true" : "false", r->complete ? "true" : "false", r->ngroup, r->nvalue, r->nnan);
  cap_json_number(stdout, r->relative);
  fputs("}", stdout);
}

static int verify_one(const request *r, const char *path)
{
  listener l = {r, path, 0};
  cap_verify_report report;
  cap_error error = {0};
  if (r->json) {
    fputs("\n    {\"file\": ", stdout);
    cap_json_text(stdout, path);
    fputs(",\n      \"findings\": [", stdout);
  }
  cap_status status = cap_verify_file(path, hear, &l, &report, &error);
  int code = code_of(path, status, &report);
  if (status != CAP_OK) cap_terminal_fail(&error);
  if (r->json) put_verdict(&report, status, code, error.text);
  else if (status == CAP_OK && !r->quiet) print_verdict(path, &report);
  return code;
}

static int verify(void *self, const cap_option_texts *arguments)
{
  const request *r = self;
  int worst = CAP_CLI_FINE;
  if (r->json)
    printf("{\n  \"capstan\": \"%s\",\n  \"command\": \"verify\",\n  \"files\": [", CAPSTAN_VERSION);
  for (int i = 0; i < arguments->n; i++) {
    if (r->json && i) fputc(',', stdout);
    int code = verify_one(r, arguments->v[i]);
    if (code > worst) worst = code;
  }
  if (r->json) printf("\n  ],\n  \"exit_code\": %d\n}\n", worst);
  return worst;
}

const cap_command cap_cli_verify_command = {
    .name = "verify",
    .doc = "show whether results are whole and can be used",
    .about = "Compares the bytes of each file with the digest that was written with them, reads all values, "
             "and looks at "
             "the energy balance, at values that are infinite and at NaN.\n\n"
             "Faults are: bytes that changed, a balance that leaves 1 % of the energy or more unaccounted "
             "for, infinite "
             "values, and NaN in the first column of a table. Notes are: 0.1 % of the energy, NaN elsewhere "
             "(quantities "
             "are NaN where there are none), interrupted runs, and results of formats 1 and 2, which have no "
             "digest.",
    .arguments = (const cap_argument[]){{"OUT.h5", false, true, "results"}, {0}},
    .options = (const cap_option[]){{"--quiet", NULL, CAP_OPTION_FLAG, offsetof(request, quiet), NULL, NULL,
                                     "print faults only", false},
                                    {"--json", NULL, CAP_OPTION_FLAG, offsetof(request, json), NULL, NULL,
                                     "print one JSON object in place of the text", false},
                                    {0}},
    .examples = (const cap_example[]){{"capstan verify study/runs/*.h5 --quiet", "all results of a study"},
                                      {0}},
    .exits = (const unsigned char[]){CAP_CLI_FAILED, 0},
    .request_size = sizeof(request),
    .run = verify,
};
