/* hb/hb_condense.h — elimination of linear coordinates per harmonic; the inside of hb_linear. */
#pragma once
#include "hb/hb_linear.h"

typedef struct cap_hb_condense cap_hb_condense;

/* After the entries are known. */
cap_status cap_hb_condense_create(const cap_hb_linear *linear, cap_hb_condense **condense);
void cap_hb_condense_free(cap_hb_condense *condense); /* accepts NULL */
/* Fill the condensed block of harmonic h. */
cap_status cap_hb_condense_harmonic(cap_hb_linear *linear, int h, double w, cap_error *error);
