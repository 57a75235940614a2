/* linalg/lapack.h — the LAPACK routines in use, by their Fortran names.
 *
 * Matrices are column-major here and nowhere else: the wrappers of this room take row-major ones. The size_t
 * arguments at the end are the hidden lengths of the character arguments, which gfortran expects.
 *
 * Threads: results would depend on how many OpenBLAS takes, so every call stands between capm_lapack_enter
 * and capm_lapack_leave: one thread, and afterwards as many as the program around the library had set for
 * its own work. OpenBLAS keeps its worker threads spinning for a while after each use, which costs processor
 * time and disturbs measurements; so a program of our own calls capm_lapack_one_thread first of all. OpenBLAS
 * keeps to one thread below its own size thresholds, but entering a threaded BLAS for a 5 x 5 block still
 * costs far more than the block itself. So small products and solves are our own loops (lu.h), and LAPACK is
 * called for eigenproblems, singular values and large blocks only.
 */
#pragma once
#include <stddef.h>

void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *wr,
            double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr, double *work,
            const int *lwork, int *info, size_t, size_t);
void dggev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *b,
            const int *ldb, double *alphar, double *alphai, double *beta, double *vl, const int *ldvl,
            double *vr, const int *ldvr, double *work, const int *lwork, int *info, size_t, size_t);
void dsygv_(const int *itype, const char *jobz, const char *uplo, const int *n, double *a, const int *lda,
            double *b, const int *ldb, double *w, double *work, const int *lwork, int *info, size_t, size_t);
/* Ask the BLAS for one thread, if it knows threads; for the whole process, whose host we are. */
void capm_lapack_one_thread(void);
/* The same around each call of LAPACK, for a guest; from any thread. What enter returns is for leave. */
int capm_lapack_enter(void);
void capm_lapack_leave(int before);
/* The library and its kernels, "OpenBLAS 0.3.21 ... Zen"; "unknown BLAS" when it does not say. */
void capm_lapack_name(char *text, size_t size);

void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s, double *u,
             const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *iwork,
             int *info, size_t);
