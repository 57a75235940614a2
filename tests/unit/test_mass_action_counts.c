/* Nonzeros and multiplications of a pushbelt's mass-action matrix, counted by the library, are those of the
 * table that the atlas shows (atlas/grundl-fig2-17/counts.csv). With CAPSTAN_PRINT_COUNTS set the table is
 * printed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/mass_web.h"

enum { COLUMNS = 12 };
static const char header[] =
    "elements [1],coordinates [1],rows [1],nz_L [1],nz_W [1],nz_y [1],nz_G [1],nz_G_elements [1],dense [1],"
    "sparse [1],product_y [1],product_z [1]\n";

/* Multiplications of factor, solutions and product where nothing is known of the zeros. */
static double dense_work(double n, double m)
{
  return n * (n + 1.0) * (n + 2.0) / 6.0 + m * n * (n + 1.0) / 2.0 + n * m * (m + 1.0) / 2.0;
}

static void count(int elements, double row[COLUMNS])
{
  web w;
  web_init(&w, 50, elements, true);
  int room = w.nring * w.nring + w.nv;
  int *start = calloc((size_t)w.nv + 1, sizeof(int)), *line = calloc((size_t)room, sizeof(int));
  int *at = calloc((size_t)w.nv, sizeof(int));
  double *values = calloc((size_t)room, sizeof(double)), *y = calloc((size_t)w.nv, sizeof(double)),
         sparse = 0.0;
  assert_true(start && line && at && values && y);
  web_compress(&w, start, line, values);
  capm_cholesky_sparse *c;
  cap_mass_action *halves, *blocks, *alone;
  cap_mass_action_count n_y, n_z, n_alone;
  assert_int_equal(capm_cholesky_sparse_create(w.nv, start, line, &c), CAP_OK);
  assert_int_equal(capm_cholesky_sparse_factor(c, values), CAP_OK);
  assert_int_equal(cap_mass_action_of_sparse(c, &halves), CAP_OK);
  assert_int_equal(cap_mass_action_take(halves, NULL, &w.rows), CAP_OK);
  assert_int_equal(cap_mass_action_counts(halves, &n_y), CAP_OK);
  assert_true(w.block.type->factor(&w.block, NULL, w.work));
  assert_int_equal(cap_mass_action_create(w.nv, w.inverse_mass, 1, &w.block, &blocks), CAP_OK);
  assert_int_equal(cap_mass_action_take(blocks, w.work, &w.rows), CAP_OK);
  assert_int_equal(cap_mass_action_counts(blocks, &n_z), CAP_OK);
  /* a ring of which nothing comes back: what the elements alone couple */
  assert_int_equal(cap_mass_action_create(w.nv, w.inverse_mass, 0, NULL, &alone), CAP_OK);
  assert_int_equal(cap_mass_action_take(alone, NULL, &w.rows), CAP_OK);
  assert_int_equal(cap_mass_action_counts(alone, &n_alone), CAP_OK);
  for (int j = 0; j < w.nv; j++) {
    const int *rows;
    const double *column;
    double size = capm_cholesky_sparse_column(c, j, &rows, &column);
    sparse += size * (size + 1.0) / 2.0;
  }
  for (int r = 0; r < w.nrow; r++) {
    int n = capm_cholesky_sparse_half(c, WEB_ENTRIES, w.coord + w.start[r], w.value + w.start[r], at, y);
    for (int k = 0; k < n; k++) {
      const int *rows;
      const double *column;
      sparse += capm_cholesky_sparse_column(c, at[k], &rows, &column);
      y[at[k]] = 0.0;
    }
  }
  const double found[COLUMNS] = {elements,
                                 w.nv,
                                 w.nrow,
                                 (double)capm_cholesky_sparse_nonzeros(c),
                                 (double)n_y.w,
                                 (double)n_y.y,
                                 (double)n_y.g,
                                 (double)n_alone.g,
                                 dense_work(w.nv, w.nrow),
                                 sparse + (double)n_y.products,
                                 (double)n_y.products,
                                 (double)n_z.products};
  memcpy(row, found, sizeof found);
  cap_mass_action_free(halves);
  cap_mass_action_free(blocks);
  cap_mass_action_free(alone);
  capm_cholesky_sparse_free(c);
  free(start);
  free(line);
  free(at);
  free(values);
  free(y);
  web_free(&w);
}

static void the_table_of_the_atlas_is_what_the_library_counts(void **state)
{
  (void)state;
  bool print = getenv("CAPSTAN_PRINT_COUNTS") != NULL;
  FILE *file = fopen(CAPSTAN_SOURCE_DIR "/atlas/grundl-fig2-17/counts.csv", "r");
  char line[1024];
  if (print) printf("%s", header);
  if (!print) assert_true(file && fgets(line, sizeof line, file) && strcmp(line, header) == 0);
  for (int elements = 160; elements <= 400; elements += 40) {
    double row[COLUMNS], read;
    count(elements, row);
    int used = 0, here;
    if (!print) assert_non_null(fgets(line, sizeof line, file));
    for (int k = 0; k < COLUMNS; k++) {
      if (print) printf("%.0f%s", row[k], k + 1 < COLUMNS ? "," : "\n");
      if (print) continue;
      assert_int_equal(sscanf(line + used, k ? ",%lf%n" : "%lf%n", &read, &here), 1);
      if (read != row[k])
        fail_msg("%d elements, column %d: %.0f counted, %.0f in the table", elements, k, row[k], read);
      used += here;
    }
  }
  if (file) fclose(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_table_of_the_atlas_is_what_the_library_counts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
