/* Memory that runs out at any one place while results are written, resumed, read and exported: no crash, no
 * leak (with the sanitizers), and what is on the disk can still be resumed to a complete file. The library's
 * own allocations are wrapped by the linker; those of HDF5 are not. */
#include "io/export.h"
#include "io/results.h"
#include "io/results_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/failing.h"

static char folder[64], path[128];

static int make_folder(void **state)
{
  (void)state;
  strcpy(folder,
         access("/dev/shm", W_OK) == 0 ? "/dev/shm/capstan-fault-XXXXXX" : "/tmp/capstan-fault-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/a.h5", folder);
  return 0;
}

static int remove_folder(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

static cap_status put_rows(cap_sink *sink, int stop)
{
  double x[3] = {1, 2, 3};
  int64_t done = 0;
  bool found, finished;
  cap_view views[] = {{"x", "m", "state", false, 3, x}, {"done", "", "rows", true, 1, &done}};
  CAP_TRY(sink->open(sink, "transient", "transient", "t"));
  CAP_TRY(sink->text(sink, "method", "m"));
  CAP_TRY(sink->columns(sink, 3, (cap_column[]){{"a", "m", ""}, {"b", "m", ""}, {"c", "m", ""}}));
  CAP_TRY(sink->restore(sink, 2, views, &found, &finished));
  if (finished) return sink->close(sink);
  while (done < 600) {
    if (done == stop) return CAP_STOPPED;
    CAP_TRY(sink->rows(sink, 1, x));
    if (++done % 100 == 0) CAP_TRY(sink->checkpoint(sink, 2, views));
  }
  CAP_TRY(sink->array(sink, (cap_column){"grid", "", ""}, 2, (int64_t[]){1, 3}, NULL, x));
  CAP_TRY(sink->number(sink, (cap_column){"steps", "", ""}, 600));
  CAP_TRY(sink->balance(sink, 1, (cap_balance_line[]){{"load", "input", 1}}));
  return sink->close(sink);
}

static cap_status run(int stop)
{
  cap_error error = {0};
  cap_results *results;
  cap_results_meta meta = {.model = "m", .nsetting = 1, .settings = (const char *const[]){"a=1"}};
  CAP_TRY(cap_results_create(path, &meta, (cap_results_options){.resume = true, .eager = true}, &results,
                             &error));
  cap_status status = put_rows(cap_results_sink(results), stop);
  cap_status finished = cap_results_finish(results, status == CAP_OK);
  cap_results_free(results);
  return status != CAP_OK ? status : finished;
}

static void read_back(void)
{
  cap_error error = {0};
  cap_results_file *file;
  double *values = NULL;
  if (cap_results_read_open(path, &file, &error) == CAP_OK) {
    const cap_results_group *group = cap_results_read_tree(file)->groups[0];
    cap_results_read_all(file, group, &group->columns[0], &values, NULL, &error);
  }
  free(values);
  cap_results_read_close(file);
  cap_export_csv(path, folder, (cap_export_options){0}, &error);
  cap_export_vtk(path, folder, &error);
}

static void strike(long k)
{
  countdown = k;
  struck = false;
}

/* Whether the failure came before the end. */
static bool stop_striking(void)
{
  countdown = -1;
  return struck;
}

static void test_every_allocation_may_fail(void **state)
{
  (void)state;
  int nstruck = 0;
  bool again = true;
  for (long k = 0; again; k++) {
    again = false;
    unlink(path);
    strike(k);
    cap_status status = run(350);
    bool hit = stop_striking();
    assert_true(status == CAP_STOPPED || (hit && status < 0));
    nstruck += hit;
    again |= hit;

    strike(k);
    status = run(-1);
    hit = stop_striking();
    if (!hit) assert_int_equal(status, CAP_OK);
    if (status != CAP_OK) assert_int_equal(run(-1), CAP_OK); /* with memory, it goes on from what is there */
    nstruck += hit;
    again |= hit;

    strike(k);
    read_back();
    again |= stop_striking();
  }
  print_message("%d failures while writing\n", nstruck);
  assert_true(nstruck > 40);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
