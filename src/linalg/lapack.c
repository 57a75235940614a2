/* linalg/lapack.c — see lapack.h. */
#include "linalg/lapack.h"

#include <stdio.h>

/* of OpenBLAS; NULL with another BLAS */
extern void openblas_set_num_threads(int count) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));
extern char *openblas_get_corename(void) __attribute__((weak));

void capm_lapack_one_thread(void)
{
  if (openblas_set_num_threads) openblas_set_num_threads(1);
}

void capm_lapack_name(char *text, size_t size)
{
  const char *config = openblas_get_config ? openblas_get_config() : "unknown BLAS";
  const char *core = openblas_get_corename ? openblas_get_corename() : "";
  int length = 0; /* library and release, without how it was built */
  for (int words = 0; config[length] && words < 2; length++) words += config[length + 1] == ' ';
  snprintf(text, size, "%.*s%s%s", length, config, *core ? " " : "", core);
}
