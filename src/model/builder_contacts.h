/* model/builder_contacts.h — the contacts of a system while it is built. */
#pragma once
#include "model/model.h"

typedef struct cap_builder_contacts_item {
  const cap_contact_type *type;
  const char *name;
  int *coord, *body; /* [ncoord], [nbody]: first elements, then where their quaternions are in x */
  double *par;       /* [nparam] */
  const void *own;   /* of cap_builder_contact_body */
  cap_contact_law law;
  int batch, place;      /* after packing: batch and index in it */
  int x_adr, output_adr; /* of its first deflection, of its first output */
} cap_builder_contacts_item;

/* Rows, ideal rows, gaps and outputs of all contacts. */
void cap_builder_contacts_count(int n, const cap_builder_contacts_item *contacts, cap_model *m);
/* Group them by type and by what enforces them. */
cap_status cap_builder_contacts_pack(int n, cap_builder_contacts_item *contacts, cap_arena *arena,
                                     cap_model *m, int *x_adr, int *mech_adr);
/* What needs the whole model: stiffness and damping from the effective masses at the start, loaded starts. */
cap_status cap_builder_contacts_finish(int n, const cap_builder_contacts_item *contacts, cap_model *m,
                                       cap_error *error);
