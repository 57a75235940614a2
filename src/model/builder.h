/* model/builder.h — how a drive describes its system.
 *
 * A drive's build function calls these in a fixed order. For an ensemble it is called once per lane with
 * other parameters: the first call records the structure, the later ones only fill their lane (and must
 * describe the same structure). Handles returned for coordinates, elements and sliders serve in the calls
 * after them. Running out of memory or a structure that differs is remembered and reported by finish.
 */
#pragma once
#include "model/model.h"

typedef struct cap_builder cap_builder;
typedef struct cap_description cap_description; /* drives/drive.h: of the caller, who alone looks into it */

cap_builder *cap_builder_create(int nlane);      /* NULL: out of memory */
void cap_builder_free(cap_builder *b);           /* accepts NULL */
void cap_builder_lane(cap_builder *b, int lane); /* the calls that follow fill this lane */

int cap_builder_dof(cap_builder *b, const char *name, const char *unit, double mass, double q0, double v0);
/* The slot of the input that a key names (key->name is not NULL), the same for all keys that name it.
 * `start`: the value of the key, which a sweep may have set. position: it imposes one
 * (cap_input.position). */
int cap_builder_input(cap_builder *b, const cap_input_key *key, double start, bool position);
/* A coordinate with imposed motion. */
int cap_builder_driven(cap_builder *b, const char *name, const char *unit, const cap_motion *motion);
/* A coordinate whose frame moves: its true velocity is base + v. group >= 0: it turns freely, together with
 * all others of its group (cap_model.cyclic). */
void cap_builder_turn(cap_builder *b, int dof, double base, int group);
/* par: type->nparam values; x0: type->nstate initial inner states (NULL when none). */
int cap_builder_element(cap_builder *b, const cap_element_type *type, const char *name, int i, int j,
                        const double *par, const double *x0);
/* The handle that the next element will have; handles go up by one. */
int cap_builder_next(const cap_builder *b);
/* What an element has that is more than numbers; lives in the builder's arena or longer. */
void cap_builder_body(cap_builder *b, int handle, const void *body);
/* The coordinates [first, first + n), which must have been described, are those of a body with a mass matrix
 * of its own (model/inertia.h); their masses in cap_builder_dof are ignored. body: in the builder's arena. */
int cap_builder_inertia(cap_builder *b, const cap_inertia_type *type, int first, int n, const void *body);
/* What all elements of a type have in common, for a model of one lane: values, copied; and the parts
 * (pulleys, or a whole belt) that their mechanisms are counted by in the place of each element; npart 0 = by
 * element. Called before or after the elements, at most once a type (parts without values: once counts). */
void cap_builder_common(cap_builder *b, const cap_element_type *type, int npart, const char *const *parts,
                        int nvalue, const double *values);
/* Elements of `type` (a gauge) look at what those of the types in `of` show: cap_batch.reads. Elements of
 * these must have been described before, and what `type` has in common. */
void cap_builder_reads(cap_builder *b, const cap_element_type *type, int n,
                       const cap_element_type *const *of);
/* The fastest angular frequency of the system, rad/s, from which an explicit stepper takes its step. */
void cap_builder_fastest(cap_builder *b, double angular_frequency);
/* The same of fast elements (cap_element_type.fast), for the inner steps; what cap_builder_fastest says then
 * is that of all others. */
void cap_builder_fastest_inner(cap_builder *b, double angular_frequency);
/* The same of the elastic motion of a body within itself, which a stepper may take implicitly
 * (cap_inertia_type.stiff). */
void cap_builder_fastest_body(cap_builder *b, double angular_frequency);
/* The longest step, s, over which slow forces may be held beside fast elements that go in parts of it: with
 * longer ones they feed the motion of these (docs/theory.md §47.3). The least of several calls counts. */
void cap_builder_coarsest(cap_builder *b, double step);
/* How long the system should run before its start, damped by `relax` (cap_eval.relax, 1/s), to settle. */
void cap_builder_settle(cap_builder *b, double time, double relax);
/* Spring k in series with dry friction `limit`, initial force z0; k = INFINITY is plain Coulomb friction. */
int cap_builder_slider(cap_builder *b, const char *name, int i, int j, double k, double limit, double z0);
/* A contact between bodies, or of one with the ground. coords: type->ncoord coordinates; bodies: type->nbody
 * elements (elements/attitude.c) whose orientation matters, -1 = none; par: type->nparam values. */
int cap_builder_contact(cap_builder *b, const cap_contact_type *type, const char *name, const int *coords,
                        const int *bodies, const double *par, const cap_contact_law *law);
/* What a contact has that is more than numbers; lives in the builder's arena or longer. */
void cap_builder_contact_body(cap_builder *b, int handle, const void *body);
/* Terms refer to handles: CAP_TERM_FORCE an element, CAP_TERM_SLIDER a slider, CAP_TERM_X the first inner
 * state of an element. */
void cap_builder_channel(cap_builder *b, const char *name, const char *unit, const char *long_name, int nterm,
                         const cap_term *terms);
/* A channel of power (W): that of all mechanisms whose name matches one of the patterns ("span.*.creep"),
 * and that no earlier such channel has; no patterns: what is lost otherwise. None at all: no channel. */
void cap_builder_power(cap_builder *b, const char *name, const char *long_name, int npattern,
                       const char *const *patterns);
/* The channel described last is a detail: only a pattern that names it shows it. */
void cap_builder_detail(cap_builder *b);
/* The channel described last is part of the film of a motion: pictures need it. A member: it is one of many,
 * named kind.MEMBER.what, that the film has side by side. */
void cap_builder_film(cap_builder *b);
void cap_builder_film_member(cap_builder *b);
/* What the system is beside its equations (model/subject.h); `self` lives in the arena of the builder, NULL:
 * there was no memory for it. */
void cap_builder_subject(cap_builder *b, const cap_subject_type *type, const void *self);
/* What the drive has already found out about its system (drives/drive.h), for the calls of its build; NULL =
 * nothing. */
void cap_builder_set_description(cap_builder *b, cap_description *description);
cap_description *cap_builder_description(const cap_builder *b);
/* A model beside whose states those of the new one should fit: drives that choose where they start may choose
 * as it did. NULL = none. */
void cap_builder_set_like(cap_builder *b, const cap_model *like);
const cap_model *cap_builder_like(const cap_builder *b);
/* What the bodies look like, for drawings; copied. */
void cap_builder_scene(cap_builder *b, int n, const cap_scene_shape *shapes);
/* What else a drawing needs, by name: a number, values, or a text; copied. */
void cap_builder_scene_number(cap_builder *b, const char *name, const char *unit, const char *meaning,
                              double value);
void cap_builder_scene_array(cap_builder *b, const char *name, const char *unit, const char *meaning, int n,
                             const double *values);
void cap_builder_scene_text(cap_builder *b, const char *name, const char *text);
/* A text of names, separated by commas; NULL among them: "-", the ground. */
void cap_builder_scene_names(cap_builder *b, const char *name, int n, const char *const *names);
void cap_builder_period(cap_builder *b, double period);
void cap_builder_start(cap_builder *b, double t0);
/* Memory that lives as long as the model, for names and samples. */
cap_arena *cap_builder_arena(cap_builder *b);

/* Pack everything into a model; the builder is empty afterwards. */
cap_status cap_builder_finish(cap_builder *b, cap_model **model, cap_error *error);
