/* drives/pushbelt/carry/variator_carry_part.h — what the files of variator_carry.h share; not for others. */
#pragma once
#include "drives/pushbelt/carry/variator_carry.h"

enum { CAP_VARIATOR_CARRY_BATCHES = 8, CAP_VARIATOR_CARRY_OTHERS = 16 };

/* Where things stand in a model. */
typedef struct cap_variator_carry_layout {
  int nbatch, batch[CAP_VARIATOR_CARRY_BATCHES]; /* of elements with inner states, one after another */
  int nstate;                                    /* inner states of an element */
  int sections;                                  /* in x, or -1 */
  int nother, other[CAP_VARIATOR_CARRY_OTHERS];  /* in x: other inner states */
  int nrest;                                     /* coordinates that are not those of elements */
} cap_variator_carry_layout;

cap_variator_carry_layout cap_variator_carry_store_layout_of(const cap_model *m);
bool cap_variator_carry_store_is_element(const cap_variator *v, int coordinate);

/* Room, and all but the columns of the elements: head, inner states, rest. */
cap_status cap_variator_carry_store_make(const cap_model *m, const cap_variator_carry_layout *layout,
                                         const cap_data *d, cap_variator_carry *belt, cap_error *error);
