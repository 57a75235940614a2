/* base/machine.h — the kind of machine that computes, as far as the last digits of a result may depend on it.
 *
 * The program's own loops give the same bytes for every vector width. The C library has sin, exp and their
 * like in variants by processor, with and without fused multiply-add, and a BLAS has kernels by processor,
 * whose sums differ in their order. What they chose cannot be asked in full; processor, library and what
 * steers the choice can.
 */
#pragma once
#include <stddef.h>

enum { CAP_MACHINE_TEXT = 128 };

/* "AuthenticAMD 25.1.1 avx2 fma avx512f": maker, family, model, stepping, and the sets of instructions that
 * libraries choose by. Elsewhere than on x86 the name of the architecture. */
void cap_machine_processor(char text[CAP_MACHINE_TEXT]);
/* "glibc 2.36", and GLIBC_TUNABLES where it is set. */
void cap_machine_libm(char text[CAP_MACHINE_TEXT]);
