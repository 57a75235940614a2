/* bench/siconos_case.h — Capstan's side of the comparison with Siconos, behind a plain interface for C++. */
#ifndef CAPSTAN_SICONOS_CASE_H
#define CAPSTAN_SICONOS_CASE_H
#ifdef __cplusplus
extern "C" {
#endif

typedef struct siconos_case {
  double seconds;   /* processor time of all steps */
  long steps;       /* how many */
  double low, high; /* N, belt tension at the steps of the last period */
} siconos_case;

/* The belt-tensioner-mass system with Masing's law, f1 = 100 N, Omega = 60 rad/s, by implicit Euler with
 * steps of `step` seconds until `until`. */
siconos_case siconos_case_run(double step, double until);

#ifdef __cplusplus
}
#endif
#endif
