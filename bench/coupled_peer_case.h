/* bench/coupled_peer_case.h — Capstan's side of the comparison of complementarity solvers, for C++. */
#ifndef CAPSTAN_COUPLED_PEER_CASE_H
#define CAPSTAN_COUPLED_PEER_CASE_H
#ifdef __cplusplus
extern "C" {
#endif

enum { COUPLED_PEER_STATES = 8 };

/* Contact problems of a turning arc with n flanks: one matrix, right sides of states that follow one another;
 * and Capstan's solvers on them. */
typedef struct coupled_peer_case coupled_peer_case;
coupled_peer_case *coupled_peer_case_create(int n); /* ends the program when it cannot */
void coupled_peer_case_free(coupled_peer_case *c);
const double *coupled_peer_case_matrix(const coupled_peer_case *c); /* [n][n], symmetric */
const double *coupled_peer_case_right(const coupled_peer_case *c, int state);
/* Forces of a state into z[n]; warm: z before is the start and the factor of the last call serves. */
void coupled_peer_case_lemke(coupled_peer_case *c, int state, double *z);
void coupled_peer_case_newton(coupled_peer_case *c, int state, int warm, double *z);

#ifdef __cplusplus
}
#endif
#endif
