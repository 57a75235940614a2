/* cli/identify.c — capstan identify DATA.csv [--law dahl|masing|both] [-o OUT.h5]. */
#include "analysis/identify/identify.h"
#include "cli/cli.h"
#include "cli/overwrite.h"
#include "cli/terminal.h"
#include "io/csv.h"
#include "io/results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char DRIVE[] = "identify"; /* in the result file, where a model has its drive */

enum { TIME, DEFLECTION, FORCE, COLUMNS };

typedef struct options {
  const char *data, *output, *law;
  const char *columns[COLUMNS];
} options;

static int fail(const options *o, cap_status status, const char *text)
{
  cap_error error;
  cap_status_fail(&error, status, "%s: %s", o->data, text);
  return cap_terminal_fail(&error);
}

/* ---- data ---- */

/* The column asked for by name, or the one of the usual name, or the only one of that unit; -1 with a
 * message. */
static int find_column(const cap_csv *csv, const options *o, int which)
{
  static const char *const names[COLUMNS] = {"time", "deflection", "force"}, *const units[COLUMNS] = {
                                                                                 "s", "m", "N"};
  const char *wanted = o->columns[which] ? o->columns[which] : names[which];
  int column = cap_csv_find(csv, wanted), count = 0;
  for (int j = 0; column < 0 && !o->columns[which] && j < csv->ncolumn; j++)
    if (strcmp(csv->units[j], units[which]) == 0 && ++count) column = j;
  if (count > 1) column = -1;
  if (column < 0 && o->columns[which])
    cap_terminal_error("%s: no column \"%s\"; specify the column with --%s", o->data, wanted, names[which]);
  else if (column < 0)
    cap_terminal_error(
        "%s: no column \"%s\"; expected it, or one column with a unit of the dimension of %s, got "
        "%d; specify the column with --%s",
        o->data, wanted, units[which], count, names[which]);
  else if (strcmp(csv->units[column], units[which]) != 0) {
    cap_terminal_error("%s: column \"%s\": expected a unit of the dimension of %s, got %s", o->data,
                       csv->names[column], units[which], csv->units[column][0] ? csv->units[column] : "none");
    column = -1;
  }
  return column;
}

static int read_data(const options *o, cap_arena *arena, cap_csv *csv, int columns[COLUMNS])
{
  cap_units *units = cap_units_create();
  if (!units) return fail(o, CAP_ERR_NOMEM, "out of memory");
  cap_diag diag;
  cap_diag_init(&diag, o->data);
  const cap_status status = cap_csv_read(o->data, units, arena, &diag, csv);
  cap_units_free(units);
  int code = cap_terminal_findings(&diag);
  if (code == CAP_CLI_FINE && status != CAP_OK) code = fail(o, status, cap_status_text(status));
  cap_diag_free(&diag);
  for (int which = 0; which < COLUMNS && code == 0; which++)
    if ((columns[which] = find_column(csv, o, which)) < 0) code = CAP_CLI_USAGE;
  return code;
}

/* ---- what was found ---- */

static void print_cycle(const cap_identify_result *r)
{
  const cap_identify_cycle *y = &r->cycle;
  printf("cycles       %.2f steady ones of %.5g s (angular frequency %.6g rad/s), %d samples", y->cycles,
         6.28318530717958647692 / y->angular_frequency, y->angular_frequency, y->n);
  if (y->first) printf(", start-up of %d samples left out", y->first);
  printf("\ndeflection   %.4g to %.4g mm, ", 1e3 * y->u_min, 1e3 * y->u_max);
  if (y->recorded)
    printf("taken as recorded (%d reversals): a series of %d harmonics", y->nturn, y->nharmonic);
  else printf("series of %d harmonic%s", y->nharmonic, y->nharmonic == 1 ? "" : "s");
  printf(", residual %.2g mm\n", 1e3 * y->u_rms);
  printf("force        range %.4g N, noise %.3g N\nloop area    %.5g J +- %.2g J\n", y->f_range, y->f_noise,
         y->area, 1.96 * y->area_error);
}

static void print_fit(const cap_identify_fit *fit)
{
  printf("\n%s\n", fit->law);
  if (!fit->done) {
    printf("  %s\n", fit->refusal);
    return;
  }
  printf("  %-8s %14s  %-11s %-31s %s\n", "", "value", "unit", "95 % interval", "first estimate");
  for (int j = 0; j < fit->nparameter; j++) {
    const cap_identify_parameter *q = &fit->parameters[j];
    char interval[64];
    snprintf(interval, sizeof interval, "%.6g .. %.6g", q->low, q->high);
    printf("  %-8s %14.6g  %-11s %-31s %.6g\n", q->name, q->value, q->unit, interval, q->start);
  }
  const char *title = "  correlated:";
  for (int j = 0; j < fit->nparameter; j++)
    for (int k = 0; k < j; k++)
      if (fabs(fit->correlation[j][k]) > 0.9) {
        printf("%s %s-%s %.3f", title, fit->parameters[k].name, fit->parameters[j].name,
               fit->correlation[j][k]);
        title = ",";
      }
  if (title[0] == ',') printf("\n");
  if (fit->warning[0]) printf("  warning: %s\n", fit->warning);
}

static void print_scores(const cap_identify_result *r)
{
  printf("\n%-12s %12s %15s %12s %14s %14s\n", "law", "residual [N]", "Durbin-Watson", "area [J]", "AIC",
         "BIC");
  for (int law = 0; law < CAP_IDENTIFY_LAWS; law++) {
    const cap_identify_fit *fit = &r->fits[law];
    if (!fit->scored) continue;
    char area[32] = "-";
    if (fit->done) snprintf(area, sizeof area, "%.6g", fit->area);
    printf("%-12s %12.4g %15.3f %12s %14.2f %14.2f%s\n", fit->law, fit->rms, fit->durbin_watson, area,
           fit->aic, fit->bic, law == r->best ? "  <- best" : "");
  }
}

static void print_result(cap_identify_result *r)
{
  print_cycle(r);
  for (int law = 0; law < CAP_IDENTIFY_LAWS; law++)
    if (r->fits[law].asked) print_fit(&r->fits[law]);
  print_scores(r);
  const char *fragment = cap_identify_fragment(r, (cap_identify_law)r->best);
  if (fragment) printf("\nTo paste into a model file:\n\n%s", fragment);
}

static cap_status write_results(const options *o, cap_identify_result *r, cap_error *error)
{
  const char *settings[1] = {o->law}, *slash = strrchr(o->data, '/');
  const cap_results_meta meta = {
      .drive = DRIVE, .name = slash ? slash + 1 : o->data, .model = "", .nsetting = 1, .settings = settings};
  cap_results *results = NULL;
  CAP_TRY(cap_results_create(o->output, &meta, (cap_results_options){0}, &results, error));
  cap_status status = cap_identify_write(r, cap_results_sink(results));
  if (status == CAP_OK) status = cap_results_finish(results, true);
  if (status != CAP_OK && !error->text[0]) cap_status_fail(error, status, "%s", cap_status_text(status));
  error->status = status;
  if (status == CAP_OK) printf("\n%s\n", cap_results_where(results));
  cap_results_free(results);
  return status;
}

/* ---- the subcommand ---- */

static int identify(const options *o, const bool asked[CAP_IDENTIFY_LAWS])
{
  cap_arena arena = {0};
  cap_csv csv;
  int columns[COLUMNS], code = read_data(o, &arena, &csv, columns);
  if (code == CAP_CLI_FINE) {
    cap_identify_result *r = NULL;
    cap_error error = {0};
    cap_status status = cap_identify_run(csv.nrow, csv.values[columns[TIME]], csv.values[columns[DEFLECTION]],
                                         csv.values[columns[FORCE]], asked, &r, &error);
    if (status == CAP_OK) {
      print_result(r);
      if (o->output) status = write_results(o, r, &error);
      if (status != CAP_OK) code = cap_terminal_fail(&error);
    } else {
      code = fail(o, status, error.text);
    }
    cap_identify_free(r);
  }
  cap_arena_free(&arena);
  return code;
}

static int run(void *self, const cap_option_texts *arguments)
{
  options *o = self;
  cap_error error = {0};
  o->data = arguments->v[0];
  if (o->output) error.status = cap_overwrite_same(o->output, DRIVE, &error);
  if (error.status != CAP_OK) return cap_terminal_fail(&error);
  const bool both = strcmp(o->law, "both") == 0;
  const bool asked[CAP_IDENTIFY_LAWS] = {[CAP_IDENTIFY_DAHL] = both || strcmp(o->law, "dahl") == 0,
                                         [CAP_IDENTIFY_MASING] = both || strcmp(o->law, "masing") == 0};
  return identify(o, asked);
}

#define OPTION(name, kind, member, ...)                                                                      \
  {                                                                                                          \
    name, NULL, CAP_OPTION_##kind, offsetof(options, member), __VA_ARGS__                                    \
  }

const cap_command cap_cli_identify_command = {
    .name = "identify",
    .doc = "estimate the parameters of a hysteresis law from a measured loop",
    .arguments = (const cap_argument[]){{"DATA.csv", false, false, "columns of time, deflection and force"},
                                        {0}},
    .options = (const cap_option[]){OPTION("--law", TEXT, law, "dahl|masing|both", "both",
                                           "law; of both, the better one is named", false),
                                    OPTION("-o", TEXT, output, "OUT.h5", NULL,
                                           "write data, laws and residuals for capstan report", false),
                                    OPTION("--time", TEXT, columns[TIME], "NAME", NULL,
                                           "column of the time (default: \"time\", or the only one in s)",
                                           false),
                                    OPTION("--deflection", TEXT, columns[DEFLECTION], "NAME", NULL,
                                           "column of the deflection", false),
                                    OPTION("--force", TEXT, columns[FORCE], "NAME", NULL,
                                           "column of the force", false),
                                    {0}},
    .examples = (const cap_example[]){{"capstan identify loop.csv", "both laws, compared"}, {0}},
    .exits = (const unsigned char[]){CAP_CLI_FAILED, 0},
    .request_size = sizeof(options),
    .run = run,
};
