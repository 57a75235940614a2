/* base/clones.h — CAP_CLONES: compile a kernel for several vector widths, chosen when the program starts.
 *
 * The results do not depend on the width: contraction is off (-ffp-contract=off), lanes are independent, and
 * reductions keep their order. Off under sanitizers (their runtime is not ready when the choice is made).
 */
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&     \
    !defined(__SANITIZE_THREAD__) && !defined(CAPSTAN_NO_CLONES)
#define CAP_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CAP_CLONES
#endif

/* A helper of such a kernel: must be inlined, so that it is compiled for the same width. */
#define CAP_INLINE static inline __attribute__((always_inline))

/* Call `kernel(..., nlane)` with a lane count that the compiler knows in the two cases that matter: one
 * drive, and one vector register of them. Loops over lanes then need no counter. */
#define CAP_LANE_CASES(nlane, kernel, ...)                                                                   \
  do {                                                                                                       \
    if ((nlane) == 1) kernel(__VA_ARGS__, 1);                                                                \
    else if ((nlane) == 8) kernel(__VA_ARGS__, 8);                                                           \
    else kernel(__VA_ARGS__, (nlane));                                                                       \
  } while (0)

/* A loop over lanes. It must stay a loop until the vectoriser has seen it: gcc unrolls eight known turns
 * before, and then shuffles scalars together. */
#if defined(__GNUC__) && !defined(__clang__)
#define CAP_EACH_LANE(l, nlane) _Pragma("GCC unroll 1") _Pragma("GCC ivdep") for (int l = 0; l < (nlane); l++)
#else
#define CAP_EACH_LANE(l, nlane) for (int l = 0; l < (nlane); l++)
#endif
