/* drives/pushbelt/observe/variator_probe.h — a sample of a variator from a model and the forces of its
 * contacts.
 *
 * Maths:   docs/theory.md §51.1
 * Reads:   outputs of the batches of flanks (drives/pushbelt/contact/groove.h), joints
 *          (drives/pushbelt/contact/push_chain.h) and saddles
 *          (drives/pushbelt/contact/ring_guide.h), which are known by the names of their types.
 */
#pragma once
#include "drives/pushbelt/observe/variator_figures.h"
#include "model/data.h"

typedef struct cap_variator_probe {
  const cap_variator *variator;
  const cap_batch *groove, *chain, *guide;
  const cap_ring *ring;
  int clamping, torque; /* elements that load the secondary, or -1 */
} cap_variator_probe;

/* False: the model is no variator, or lacks one of these contacts. */
bool cap_variator_probe_find(cap_variator_probe *p, const cap_model *m);

/* force: as of cap_channels, at the state of d. */
void cap_variator_probe_take(const cap_variator_probe *p, const cap_data *d, const double *force,
                             cap_variator_sample *s);

/* Which levels hold what, where they are the works of all mechanisms of the model, then what all inputs and
 * all losses amount to, the residual, what the time integration lost, what is done on each pulley; and
 * momenta: of the secondary pulley, of its loose sheave (with d z of its damper). */
cap_variator_levels cap_variator_probe_levels(const cap_variator_probe *p, const cap_model *m);
/* The momenta among them, as they are now. */
void cap_variator_probe_momenta(const cap_variator_levels *l, const cap_variator *v, const cap_data *d,
                                double *levels);
