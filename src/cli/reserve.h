/* cli/reserve.h — memory that runs out within a library.
 *
 * Capstan's own code checks every allocation and ends with a sentence. Libraries do not: HDF5 crashes or
 * calls exit in about every tenth place where memory can run out, udunits crashes. So the program sets
 * memory aside at its start, and an allocation of a library that fails gets it from there; one of Capstan's
 * own is refused as before, and refused from then on, so that the program comes to its end with what is
 * left. */
#pragma once

/* Set it aside; and say so, with exit code 1, when a library calls exit. */
void cap_reserve_open(void);
/* The program ends by its own will from here on. */
void cap_reserve_leave(void);
