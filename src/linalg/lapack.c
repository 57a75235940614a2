/* linalg/lapack.c — see lapack.h. */
#include "linalg/lapack.h"

/* of OpenBLAS; NULL with another BLAS */
extern void openblas_set_num_threads(int count) __attribute__((weak));

void capm_lapack_one_thread(void)
{
  if (openblas_set_num_threads) openblas_set_num_threads(1);
}
