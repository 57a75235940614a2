/* drives/pushbelt/contact/ring_guide.h — saddle and ear of all elements of a pushbelt against its ring.
 *
 * Maths:   docs/theory.md §46; the contact of one point §41.3.
 * Reads:   q, v of the elements and of the ring, the sections of the elements (if they are told)
 * Cost:    24 ns an element and evaluation (`ale`, AVX-512)
 *
 * One batch of as many elements as the belt has. The ring lies in a slot between saddle and ear, which is
 * higher than the pack of its layers is thick. Normal forces are those of springs with dampers, of saddle and
 * ear; friction along the ring is a bristle, marched over the steps, with one deflection an element: it loses
 * the one contact before it finds the other. Forces act on the surface of the pack, half its thickness off
 * the centre line, and turn its section. Lost energy is counted for each section of the belt (parts
 * guide.pri, guide.us, guide.sec, guide.ls) as longitudinal (friction) and damping (of saddle and ear).
 *
 * Set-valued (drives/pushbelt/impulses/held.h): friction without bristles, and where told saddle and ear
 * without springs. Its forces are inner states, which a stepper finds from the rows that the batch gives
 * (cap_eval.held).
 *
 * In a model of one lane, without tangents.
 */
#pragma once
#include "drives/pushbelt/description/variator.h"
#include "model/builder.h"

/* What an element shows: forces of a simulated element, which stands for iota real ones. */
enum {
  CAP_RING_GUIDE_NORMAL,   /* N, of the saddle less that of the ear */
  CAP_RING_GUIDE_FRICTION, /* N, on the element, positive forward */
  CAP_RING_GUIDE_SLIDE,    /* m/s, of the element over the ring, positive forward */
  CAP_RING_GUIDE_GAP,      /* m, between saddle and ring */
  CAP_RING_GUIDE_XI,       /* m, along the ring */
  CAP_RING_GUIDE_TENSION,  /* N, of the ring there; of `ale0` from the balance of its contacts */
  CAP_RING_GUIDE_NOUTPUT
};
/* Mechanisms, of each section. */
enum { CAP_RING_GUIDE_LONGITUDINAL, CAP_RING_GUIDE_DAMPING, CAP_RING_GUIDE_NLOSS };

extern const cap_element_type cap_ring_guide_type;
extern const cap_element_type cap_ring_guide_held_type; /* friction, or saddle and ear too, are set-valued */

/* The type of this variator's batch, for cap_builder_reads. */
const cap_element_type *cap_ring_guide_type_of(const cap_variator *v);

/* Where the sections of the elements stand: in x from sections(batch) on, CAP_VARIATOR_IN_* each, batch that
 * of elements of the type `of`, which has been built before. */
typedef struct cap_ring_guide_sections {
  const cap_element_type *of;
  int (*sections)(const cap_batch *batch);
} cap_ring_guide_sections;

/* Adds the batch; the coordinates of the elements exist, v lies in the builder's arena. sections: NULL = all
 * losses are counted as those of the first. Tells the largest angular frequency. CAP_ERR_INPUT: what is not
 * available. */
cap_status cap_ring_guide_build(cap_builder *b, const cap_variator *v, const cap_ring *ring,
                                const cap_ring_guide_sections *sections, cap_error *error);

/* The ring of a batch of these. */
const cap_ring *cap_ring_guide_ring(const cap_batch *batch);
