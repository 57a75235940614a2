/* linalg/lapack.c — see lapack.h. */
#include "linalg/lapack.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

/* of OpenBLAS; NULL with another BLAS */
extern void openblas_set_num_threads(int count) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));
extern int openblas_get_parallel(void) __attribute__((weak));
/* of OpenMP, where OpenBLAS stands on it */
extern int omp_get_max_threads(void) __attribute__((weak));
extern void omp_set_num_threads(int count) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));
extern char *openblas_get_corename(void) __attribute__((weak));

void capm_lapack_one_thread(void)
{
  if (openblas_set_num_threads) openblas_set_num_threads(1);
}

/* OpenBLAS on threads of its own has one number of them for the process; so has this. It changes when the
 * first thread enters and when the last one leaves. */
static struct {
  pthread_mutex_t lock;
  int inside;  /* threads between enter and leave */
  int threads; /* that the host had set */
} blas_threads = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* OpenBLAS on OpenMP asks that for the number, which each thread has for itself. */
static bool by_openmp(void)
{
  enum { OPENMP = 2 };
  return openblas_get_parallel && openblas_get_parallel() == OPENMP && omp_get_max_threads &&
         omp_set_num_threads;
}

int capm_lapack_enter(void)
{
  if (!openblas_set_num_threads || !openblas_get_num_threads) return 0;
  if (by_openmp()) {
    int before = omp_get_max_threads();
    omp_set_num_threads(1);
    return before;
  }
  pthread_mutex_lock(&blas_threads.lock);
  if (blas_threads.inside++ == 0) {
    blas_threads.threads = openblas_get_num_threads();
    if (blas_threads.threads != 1) openblas_set_num_threads(1);
  }
  pthread_mutex_unlock(&blas_threads.lock);
  return 0;
}

void capm_lapack_leave(int before)
{
  if (!openblas_set_num_threads || !openblas_get_num_threads) return;
  if (by_openmp()) {
    omp_set_num_threads(before);
    return;
  }
  pthread_mutex_lock(&blas_threads.lock);
  if (--blas_threads.inside == 0 && blas_threads.threads != 1) openblas_set_num_threads(blas_threads.threads);
  pthread_mutex_unlock(&blas_threads.lock);
}

void capm_lapack_name(char *text, size_t size)
{
  const char *config = openblas_get_config ? openblas_get_config() : "unknown BLAS";
  const char *core = openblas_get_corename ? openblas_get_corename() : "";
  int length = 0; /* library and release, without how it was built */
  for (int words = 0; config[length] && words < 2; length++) words += config[length + 1] == ' ';
  snprintf(text, size, "%.*s%s%s", length, config, *core ? " " : "", core);
}
