/* io/verify.c — see verify.h. */
#include "io/verify.h"
#include "analysis/observe/audit.h"
#include "io/results_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  NAMES = 200,  /* characters of the names of those with NaN */
  BLOCK = 32768 /* values read at once */
};

typedef struct verifier {
  cap_results_file *file;
  cap_verify_say *say;
  void *self;
  cap_verify_report *report;
  cap_error *error;
} verifier;

__attribute__((format(printf, 4, 5))) static void say(const verifier *v, bool fault, const char *group,
                                                      const char *format, ...)
{
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  v->report->nfault += fault;
  v->say(v->self, fault, group, text);
}

typedef struct tally {
  int64_t nnan, ninfinite;
} tally;

/* Those of a group that have NaN: one note for all. */
typedef struct gaps {
  int n;
  char names[NAMES];
} gaps;

static void add_gap(gaps *g, const char *name)
{
  size_t used = strlen(g->names), need = strlen(name) + 2;
  if (g->n++ == 0) snprintf(g->names, sizeof g->names, "%s", name);
  else if (used + need + 6 < sizeof g->names) snprintf(g->names + used, sizeof g->names - used, ", %s", name);
  else if (used < 4 || strcmp(g->names + used - 3, "...") != 0)
    snprintf(g->names + used, sizeof g->names - used, ", ...");
}

static void count(const double *values, int64_t n, tally *t)
{
  int64_t nnan = 0, ninfinite = 0;
  for (int64_t i = 0; i < n; i++) {
    double size = fabs(values[i]);
    nnan += !(size <= INFINITY);
    ninfinite += size == INFINITY;
  }
  t->nnan += nnan;
  t->ninfinite += ninfinite;
}

/* NaN is what a quantity is where there is none; a table without its own axis cannot be used, and nothing is
 * infinite. */
static void judge(const verifier *v, const cap_results_group *group, const cap_results_dataset *d, tally t,
                  int64_t n, gaps *g)
{
  bool axis = group->ncolumn > 0 && d == &group->columns[0];
  v->report->nvalue += n;
  v->report->nnan += t.nnan;
  if (t.ninfinite)
    say(v, true, group->name, "%s: %" PRId64 " of %" PRId64 " values are infinite", d->name, t.ninfinite, n);
  if (t.nnan && axis)
    say(v, true, group->name, "%s: %" PRId64 " of %" PRId64 " values are NaN, and the table is given over it",
        d->name, t.nnan, n);
  else if (t.nnan) add_gap(g, d->name);
}

/* Some entries along the first dimension at a time, which stay in the cache. */
static cap_status count_parts(const verifier *v, const cap_results_group *group, const cap_results_dataset *d,
                              int64_t n, tally *t)
{
  int64_t entry = n / d->dims[0], most = entry < BLOCK ? BLOCK / entry : 1;
  double *values = malloc((size_t)(most * entry) * sizeof *values);
  cap_status status = values ? CAP_OK
                             : cap_status_fail(v->error, CAP_ERR_NOMEM, "out of memory to verify a result");
  for (int64_t m, first = 0; status == CAP_OK && first < d->dims[0]; first += m) {
    m = d->dims[0] - first < most ? d->dims[0] - first : most;
    status = cap_results_read_part(v->file, group, d, first, 1, m, values, v->error);
    if (status == CAP_OK) count(values, m * entry, t);
  }
  free(values);
  return status;
}

static cap_status verify_values(const verifier *v, const cap_results_group *group,
                                const cap_results_dataset *d, gaps *g)
{
  tally t = {0};
  int64_t n = cap_results_tree_count(d);
  if (d->role == CAP_RESULTS_TEXT) return CAP_OK;
  if (d->rank == 0) count(&d->number, 1, &t);
  else if (n > 0) CAP_TRY(count_parts(v, group, d, n, &t));
  judge(v, group, d, t, n, g);
  return CAP_OK;
}

/* The stored residual is that of the lines, and small. */
static void verify_balance(const verifier *v, const cap_results_group *group)
{
  cap_results_balance sum = group->balance;
  if (sum.nline == 0) return;
  cap_results_tree_sum_balance(&sum);
  double relative = fabs(group->balance.relative);
  if (isnan(relative)) {
    say(v, true, group->name, "the energy balance has NaN in it");
    return;
  }
  if (!(fabs(sum.relative - group->balance.relative) <= 1e-12 * (1 + relative)))
    say(v, true, group->name, "the energy balance does not add up to the residual that is stored with it");
  if (fabs(group->balance.residual) <= CAP_AUDIT_ROUNDING) relative = 0.0; /* of a system at rest */
  if (!(v->report->relative >= relative)) v->report->relative = relative;
  if (relative >= CAP_AUDIT_OPEN)
    say(v, relative >= CAP_AUDIT_UNUSABLE, group->name, "energy residual %.3g J of %.3g J (%.2g)",
        group->balance.residual, group->balance.scale, relative);
}

static cap_status verify_group(const verifier *v, const cap_results_group *group)
{
  gaps g = {0};
  for (int i = 0; i < group->ncolumn; i++) CAP_TRY(verify_values(v, group, &group->columns[i], &g));
  for (int i = 0; i < group->nitem; i++) CAP_TRY(verify_values(v, group, &group->items[i], &g));
  if (g.n) say(v, false, group->name, "NaN among the values of %s", g.names);
  verify_balance(v, group);
  if (!group->complete) say(v, false, group->name, "was still running when it was written");
  return CAP_OK;
}

cap_status cap_verify_file(const char *path, cap_verify_say *tell, void *self, cap_verify_report *report,
                           cap_error *error)
{
  *report = (cap_verify_report){.relative = NAN};
  verifier v = {.say = tell, .self = self, .report = report, .error = error};
  CAP_TRY(cap_results_read_open(path, &v.file, error));
  const cap_results_tree *tree = cap_results_read_tree(v.file);
  report->checked = !tree->unchecked;
  report->complete = tree->complete;
  report->ngroup = tree->ngroup;
  if (tree->unchecked)
    say(&v, false, NULL,
        "a result of format %d, which has no digest: nothing shows whether its bytes are those that "
        "were written",
        tree->format);
  if (!tree->complete)
    say(&v, false, NULL, "the run was interrupted or failed, or goes on; --resume continues it");
  cap_status status = CAP_OK;
  for (int i = 0; status == CAP_OK && i < tree->ngroup; i++) status = verify_group(&v, tree->groups[i]);
  cap_results_read_close(v.file);
  return status;
}
