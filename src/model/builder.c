/* model/builder.c — see builder.h. Collects in growing lists, then packs by batch. */
#include "model/builder.h"
#include "base/names.h"
#include "model/builder_contacts.h"
#include "model/builder_inputs.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct dof {
  const char *name, *unit;
  int motion; /* -1 = free */
  int cyclic; /* group, -1 = none */
} dof;

typedef struct element {
  const cap_element_type *type;
  const char *name;
  int i, j, packed; /* packed: index after grouping by type */
  double *par;      /* [nparam][nlane] */
  double *x0;       /* [nstate][nlane] */
  const void *body; /* or NULL */
  int x_adr, output_adr;
} element;

typedef struct slider {
  const char *name;
  int i, j;
  double *k, *limit, *z0; /* [nlane] */
} slider;

/* What the elements of a type share. */
typedef struct common {
  const cap_element_type *type;
  int npart, nvalue;
  const char **parts;
  double *values;
  int nread;
  const cap_element_type *reads[CAP_READS_MOST];
} common;

/* A channel of power. */
typedef struct power {
  const char *name, *long_name;
  int npattern;
  const char **patterns;
} power;

enum { COMMON_MOST = 8, POWER_MOST = 16, INERTIA_MOST = 64 };
enum { DOF_MOST = 65536, TERM_STRIDE = 4 }; /* of terms that name a handle and one of its parts */

struct cap_builder {
  int nlane, lane;
  int ndof, nelement, nslider, nchannel, nmotion, ncontact;             /* recorded by lane 0 */
  int dof_at, element_at, slider_at, channel_at, motion_at, contact_at; /* of the lane being filled */
  dof *dofs;
  element *elements;
  slider *sliders;
  cap_builder_contacts_item *contacts;
  cap_channel *channels;
  cap_builder_inputs inputs;
  cap_motion *motions;
  int *motion_dof;
  double *mass, *base, *q0, *v0; /* [ndof][nlane] */
  double *period;                /* [nlane] */
  double t0;
  cap_subject subject;
  const cap_model *like;
  cap_description *description;
  cap_scene scene;
  cap_scene_fact *facts; /* of the scene */
  int ncommon;
  common commons[COMMON_MOST];
  int npower;
  power powers[POWER_MOST];
  int ninertia;
  cap_inertia inertias[INERTIA_MOST];
  double fastest, fastest_inner, fastest_body; /* rad/s */
  double coarsest;                             /* s; 0: no bound */
  uint64_t filled;                             /* one bit a lane that was described */
  cap_arena arena;                             /* becomes the model's */
  cap_status failed;                           /* the first trouble */
  const char *why;                             /* of CAP_ERR_UNSUPPORTED */
};

static const char other_structure[] =
    "the varied parameters change the structure of the system; expected parameters that change values only";

static void refuse(cap_builder *b, const char *why)
{
  if (b->failed) return;
  b->failed = CAP_ERR_UNSUPPORTED;
  b->why = why;
}

static void *grow(cap_builder *b, void *list, int count, size_t size)
{
  /* doubling: room for 8, 16, 32, ... entries */
  if (count != 0 && (count < 8 || (count & (count - 1)))) return list;
  size_t capacity = count == 0 ? 8 : 2 * (size_t)count;
  void *larger = realloc(list, capacity * size);
  if (!larger) b->failed = CAP_ERR_NOMEM;
  return larger ? larger : list;
}

cap_builder *cap_builder_create(int nlane)
{
  cap_builder *b = calloc(1, sizeof *b);
  if (!b) return NULL;
  b->nlane = nlane;
  b->period = CAP_ARENA_NEW(&b->arena, double, nlane);
  if (!b->period) {
    cap_builder_free(b);
    return NULL;
  }
  return b;
}

void cap_builder_free(cap_builder *b)
{
  if (!b) return;
  free(b->dofs);
  free(b->elements);
  free(b->sliders);
  free(b->contacts);
  free(b->channels);
  free(b->facts);
  free(b->motions);
  free(b->motion_dof);
  free(b->mass);
  free(b->base);
  free(b->q0);
  free(b->v0);
  cap_arena_free(&b->arena);
  free(b);
}

/* A lane that describes less than the first one differs from it, too. */
static void check_lane(cap_builder *b)
{
  if (b->dof_at != b->ndof || b->element_at != b->nelement || b->slider_at != b->nslider ||
      b->channel_at != b->nchannel || b->motion_at != b->nmotion || b->contact_at != b->ncontact)
    refuse(b, other_structure);
  b->filled |= (uint64_t)1 << b->lane;
}

void cap_builder_lane(cap_builder *b, int lane)
{
  if (lane != b->lane) check_lane(b);
  b->lane = lane;
  b->dof_at = b->element_at = b->slider_at = b->channel_at = b->motion_at = b->contact_at = 0;
}

cap_arena *cap_builder_arena(cap_builder *b)
{
  return &b->arena;
}

static const char *keep(cap_builder *b, const char *text)
{
  const char *copy = cap_arena_copy_text(&b->arena, text);
  if (!copy) b->failed = CAP_ERR_NOMEM;
  return copy ? copy : "";
}

void cap_builder_scene(cap_builder *b, int n, const cap_scene_shape *shapes)
{
  cap_scene_shape *copy = CAP_ARENA_NEW(&b->arena, cap_scene_shape, n);
  bool good = copy != NULL;
  for (int k = 0; good && k < n; k++) {
    copy[k] = shapes[k];
    copy[k].body = cap_arena_copy_text(&b->arena, shapes[k].body);
    copy[k].to = shapes[k].to ? cap_arena_copy_text(&b->arena, shapes[k].to) : NULL;
    good = copy[k].body && (copy[k].to || !shapes[k].to);
  }
  b->scene.n = good ? n : 0;
  b->scene.shapes = copy;
  if (!good) b->failed = CAP_ERR_NOMEM;
}

/* A fact of the scene; the first lane tells them all. */
static void add_fact(cap_builder *b, cap_scene_fact fact)
{
  if (b->lane != 0 || b->failed) return;
  cap_scene_fact *facts = grow(b, b->facts, b->scene.nfact, sizeof *facts);
  if (b->failed) return;
  b->facts = facts;
  fact.what = (cap_column){keep(b, fact.what.name), keep(b, fact.what.unit), keep(b, fact.what.long_name)};
  if (fact.text) fact.text = keep(b, fact.text);
  if (fact.kind != CAP_SCENE_TEXT) {
    double *values = CAP_ARENA_NEW(&b->arena, double, fact.n);
    if (values && fact.n) memcpy(values, fact.values, (size_t)fact.n * sizeof *values);
    if (!values) b->failed = CAP_ERR_NOMEM;
    fact.values = values;
  }
  facts[b->scene.nfact++] = fact;
}

void cap_builder_scene_number(cap_builder *b, const char *name, const char *unit, const char *meaning,
                              double value)
{
  add_fact(b, (cap_scene_fact){.kind = CAP_SCENE_NUMBER, {name, unit, meaning}, .n = 1, .values = &value});
}

void cap_builder_scene_array(cap_builder *b, const char *name, const char *unit, const char *meaning, int n,
                             const double *values)
{
  add_fact(b, (cap_scene_fact){.kind = CAP_SCENE_ARRAY, {name, unit, meaning}, .n = n, .values = values});
}

void cap_builder_scene_text(cap_builder *b, const char *name, const char *text)
{
  add_fact(b, (cap_scene_fact){.kind = CAP_SCENE_TEXT, {name, "", ""}, .text = text});
}

void cap_builder_scene_names(cap_builder *b, const char *name, int n, const char *const *names)
{
  size_t room = 1;
  for (int k = 0; k < n; k++) room += 1 + (names[k] ? strlen(names[k]) : 1);
  char *text = CAP_ARENA_NEW(&b->arena, char, room), *end = text;
  if (!text) b->failed = CAP_ERR_NOMEM;
  if (b->failed) return;
  *text = '\0';
  for (int k = 0; k < n; k++) {
    if (k) *end++ = ',';
    end = stpcpy(end, names[k] ? names[k] : "-");
  }
  cap_builder_scene_text(b, name, text);
}

void cap_builder_subject(cap_builder *b, const cap_subject_type *type, const void *self)
{
  if (b->nlane > 1 && type->alone) refuse(b, type->alone);
  if (!self) b->failed = CAP_ERR_NOMEM;
  b->subject.type = type;
  b->subject.self = self;
}

void cap_builder_set_description(cap_builder *b, cap_description *description)
{
  b->description = description;
}

cap_description *cap_builder_description(const cap_builder *b)
{
  return b->description;
}

void cap_builder_set_like(cap_builder *b, const cap_model *like)
{
  b->like = like;
}

const cap_model *cap_builder_like(const cap_builder *b)
{
  return b->like;
}

void cap_builder_period(cap_builder *b, double period)
{
  b->period[b->lane] = period;
}

void cap_builder_start(cap_builder *b, double t0)
{
  b->t0 = t0;
}

static int add_dof(cap_builder *b, const char *name, const char *unit, double mass, double q0, double v0,
                   int motion)
{
  int at = b->dof_at++;
  if (b->lane == 0) {
    size_t row = (size_t)b->nlane * sizeof(double);
    b->dofs = grow(b, b->dofs, b->ndof, sizeof *b->dofs);
    b->mass = grow(b, b->mass, b->ndof, row);
    b->base = grow(b, b->base, b->ndof, row);
    b->q0 = grow(b, b->q0, b->ndof, row);
    b->v0 = grow(b, b->v0, b->ndof, row);
    if (b->ndof >= DOF_MOST) refuse(b, "too many coordinates; expected at most 65536");
    if (b->failed) return 0;
    b->dofs[b->ndof++] = (dof){keep(b, name), keep(b, unit), motion, -1};
  } else if (at >= b->ndof || b->dofs[at].motion != motion) {
    refuse(b, other_structure);
    return 0;
  }
  size_t place = (size_t)at * (size_t)b->nlane + (size_t)b->lane;
  b->mass[place] = mass;
  b->base[place] = 0.0;
  b->q0[place] = q0;
  b->v0[place] = v0;
  return at;
}

int cap_builder_dof(cap_builder *b, const char *name, const char *unit, double mass, double q0, double v0)
{
  return add_dof(b, name, unit, mass, q0, v0, -1);
}

void cap_builder_turn(cap_builder *b, int at, double base, int group)
{
  if (b->failed) return;
  b->base[at * b->nlane + b->lane] = base;
  b->dofs[at].cyclic = group;
}

int cap_builder_input(cap_builder *b, const cap_input_key *key, double start, bool position)
{
  cap_builder_inputs *inputs = &b->inputs;
  int slot = cap_builder_inputs_find(inputs, key->name);
  if (slot >= 0) {
    if (inputs->list[slot].start != start) refuse(b, "an input has several starts; expected one");
    inputs->list[slot].position |= position;
    return slot;
  }
  if (b->lane != 0) refuse(b, other_structure);
  if (inputs->n == CAP_BUILDER_INPUTS_MOST) refuse(b, "too many inputs; expected at most 256");
  const char *name = keep(b, key->name);
  return b->failed ? 0 : cap_builder_inputs_add(inputs, key, name, start, position);
}

int cap_builder_driven(cap_builder *b, const char *name, const char *unit, const cap_motion *motion)
{
  int at = b->motion_at++;
  if (b->lane == 0) {
    b->motions = grow(b, b->motions, b->nmotion, sizeof *b->motions * (size_t)b->nlane);
    b->motion_dof = grow(b, b->motion_dof, b->nmotion, sizeof *b->motion_dof);
    if (b->failed) return 0;
    b->motion_dof[b->nmotion++] = b->ndof;
  } else if (at >= b->nmotion) {
    refuse(b, other_structure);
    return 0;
  }
  b->motions[at * b->nlane + b->lane] = *motion;
  double q, v;
  cap_builder_inputs_motion(&b->inputs, motion, b->t0, &q, &v);
  return add_dof(b, name, unit, 1.0, q, v, at);
}

int cap_builder_element(cap_builder *b, const cap_element_type *type, const char *name, int i, int j,
                        const double *par, const double *x0)
{
  int at = b->element_at++;
  if (b->lane == 0) {
    b->elements = grow(b, b->elements, b->nelement, sizeof *b->elements);
    element e = {.type = type, .name = keep(b, name), .i = i, .j = j};
    e.par = CAP_ARENA_NEW(&b->arena, double, type->nparam * b->nlane);
    e.x0 = CAP_ARENA_NEW(&b->arena, double, type->nstate * b->nlane);
    if (!e.par || !e.x0) b->failed = CAP_ERR_NOMEM;
    if (b->failed) return 0;
    b->elements[b->nelement++] = e;
  } else if (at >= b->nelement || b->elements[at].type != type || b->elements[at].i != i ||
             b->elements[at].j != j) {
    refuse(b, other_structure);
    return 0;
  }
  element *e = &b->elements[at];
  for (int p = 0; p < type->nparam; p++) e->par[p * b->nlane + b->lane] = par[p];
  for (int s = 0; s < type->nstate; s++) e->x0[s * b->nlane + b->lane] = x0[s];
  return at;
}

int cap_builder_next(const cap_builder *b)
{
  return b->element_at;
}

int cap_builder_slider(cap_builder *b, const char *name, int i, int j, double k, double limit, double z0)
{
  int at = b->slider_at++;
  if (b->lane == 0) {
    b->sliders = grow(b, b->sliders, b->nslider, sizeof *b->sliders);
    slider s = {keep(b, name),
                i,
                j,
                CAP_ARENA_NEW(&b->arena, double, b->nlane),
                CAP_ARENA_NEW(&b->arena, double, b->nlane),
                CAP_ARENA_NEW(&b->arena, double, b->nlane)};
    if (!s.k || !s.limit || !s.z0) b->failed = CAP_ERR_NOMEM;
    if (b->failed) return 0;
    b->sliders[b->nslider++] = s;
  } else if (at >= b->nslider || b->sliders[at].i != i || b->sliders[at].j != j) {
    refuse(b, other_structure);
    return 0;
  }
  b->sliders[at].k[b->lane] = k;
  b->sliders[at].limit[b->lane] = limit;
  b->sliders[at].z0[b->lane] = z0;
  return at;
}

int cap_builder_contact(cap_builder *b, const cap_contact_type *type, const char *name, const int *coords,
                        const int *bodies, const double *par, const cap_contact_law *law)
{
  int at = b->contact_at++;
  if (b->nlane > 1)
    refuse(b, "several systems at once were requested; expected one, since the system has contacts");
  b->contacts = grow(b, b->contacts, b->ncontact, sizeof *b->contacts);
  cap_builder_contacts_item c = {.type = type, .name = keep(b, name), .law = *law};
  c.coord = CAP_ARENA_NEW(&b->arena, int, type->ncoord);
  c.body = CAP_ARENA_NEW(&b->arena, int, type->nbody);
  c.par = CAP_ARENA_NEW(&b->arena, double, type->nparam);
  if (!c.coord || !c.body || !c.par) b->failed = CAP_ERR_NOMEM;
  if (b->failed) return 0;
  memcpy(c.coord, coords, (size_t)type->ncoord * sizeof(int));
  for (int k = 0; k < type->nbody; k++) c.body[k] = bodies ? bodies[k] : -1;
  for (int p = 0; p < type->nparam; p++) c.par[p] = par[p];
  b->contacts[b->ncontact++] = c;
  return at;
}

void cap_builder_contact_body(cap_builder *b, int handle, const void *body)
{
  if (!b->failed) b->contacts[handle].own = body;
}

void cap_builder_body(cap_builder *b, int handle, const void *body)
{
  if (!b->failed) b->elements[handle].body = body;
}

int cap_builder_inertia(cap_builder *b, const cap_inertia_type *type, int first, int n, const void *body)
{
  if (b->nlane > 1)
    refuse(b, "several systems at once were requested; expected one, since a mass matrix is not diagonal");
  if (b->ninertia == INERTIA_MOST)
    refuse(b, "too many bodies with a non-diagonal mass matrix; expected at most 64");
  if (b->failed) return 0;
  b->inertias[b->ninertia] = (cap_inertia){.type = type, .first = first, .n = n, .body = body};
  return b->ninertia++;
}

static const common *common_of(const cap_builder *b, const cap_element_type *type)
{
  static const common none;
  for (int k = 0; k < b->ncommon; k++)
    if (b->commons[k].type == type) return &b->commons[k];
  return &none;
}

void cap_builder_common(cap_builder *b, const cap_element_type *type, int npart, const char *const *parts,
                        int nvalue, const double *values)
{
  if (common_of(b, type)->npart == npart && npart && !nvalue) return; /* said before */
  if (b->nlane > 1)
    refuse(b, "several systems at once were requested; expected one, since its elements share data");
  if (b->ncommon == COMMON_MOST) refuse(b, "too many types of elements with shared data; expected at most 8");
  if (b->failed) return;
  common *c = &b->commons[b->ncommon++];
  *c = (common){.type = type, .npart = npart, .nvalue = nvalue};
  c->parts = CAP_ARENA_NEW(&b->arena, const char *, npart);
  c->values = CAP_ARENA_NEW(&b->arena, double, nvalue);
  if (!c->parts || !c->values) {
    b->failed = CAP_ERR_NOMEM;
    return;
  }
  for (int k = 0; k < npart; k++) c->parts[k] = keep(b, parts[k]);
  for (int k = 0; k < nvalue; k++) c->values[k] = values[k];
}

void cap_builder_reads(cap_builder *b, const cap_element_type *type, int n, const cap_element_type *const *of)
{
  assert(n <= CAP_READS_MOST);
  for (int k = 0; k < b->ncommon; k++) {
    if (b->commons[k].type != type) continue;
    for (int i = 0; i < n; i++) b->commons[k].reads[i] = of[i];
    b->commons[k].nread = n;
    return;
  }
  assert(b->lane > 0 || b->failed); /* what the type has in common must have been described */
}

void cap_builder_fastest(cap_builder *b, double angular_frequency)
{
  b->fastest = fmax(b->fastest, angular_frequency);
}

void cap_builder_fastest_inner(cap_builder *b, double angular_frequency)
{
  b->fastest_inner = fmax(b->fastest_inner, angular_frequency);
}

void cap_builder_fastest_body(cap_builder *b, double angular_frequency)
{
  b->fastest_body = fmax(b->fastest_body, angular_frequency);
}

void cap_builder_coarsest(cap_builder *b, double step)
{
  b->coarsest = b->coarsest > 0.0 ? fmin(b->coarsest, step) : step;
}

void cap_builder_settle(cap_builder *b, double time, double relax)
{
  b->subject.settle = time;
  b->subject.relax = relax;
}

static bool same_terms(const cap_channel *c, int nterm, const cap_term *terms)
{
  if (c->nterm != nterm) return false;
  for (int t = 0; t < nterm; t++)
    if (c->terms[t].kind != terms[t].kind || c->terms[t].index != terms[t].index) return false;
  return true;
}

void cap_builder_channel(cap_builder *b, const char *name, const char *unit, const char *long_name, int nterm,
                         const cap_term *terms)
{
  int at = b->channel_at++;
  if (b->lane == 0) {
    b->channels = grow(b, b->channels, b->nchannel, sizeof *b->channels);
    name = cap_names_legal(name, &b->arena);
    if (!name) b->failed = CAP_ERR_NOMEM;
    if (b->failed) return;
    cap_channel c = {.column = {name, keep(b, unit), keep(b, long_name)}, .nterm = nterm};
    c.terms = CAP_ARENA_NEW(&b->arena, cap_term, nterm);
    c.factors = CAP_ARENA_NEW(&b->arena, double, nterm * b->nlane);
    if (!c.terms || !c.factors) b->failed = CAP_ERR_NOMEM;
    if (b->failed) return;
    memcpy(c.terms, terms, (size_t)nterm * sizeof *terms);
    b->channels[b->nchannel++] = c;
  } else if (at >= b->nchannel || !same_terms(&b->channels[at], nterm, terms)) {
    refuse(b, other_structure);
    return;
  }
  for (int t = 0; t < nterm; t++) b->channels[at].factors[t * b->nlane + b->lane] = terms[t].factor;
}

void cap_builder_detail(cap_builder *b)
{
  if (!b->failed) b->channels[b->channel_at - 1].detail = true;
}

void cap_builder_film(cap_builder *b)
{
  if (!b->failed) b->channels[b->channel_at - 1].film = true;
}

void cap_builder_film_member(cap_builder *b)
{
  cap_builder_film(b);
  if (!b->failed) b->channels[b->channel_at - 1].member = true;
}

void cap_builder_power(cap_builder *b, const char *name, const char *long_name, int npattern,
                       const char *const *patterns)
{
  if (b->lane != 0) return;
  power p = {keep(b, name), keep(b, long_name), npattern, CAP_ARENA_NEW(&b->arena, const char *, npattern)};
  assert(b->npower < POWER_MOST);
  if (!p.patterns) b->failed = CAP_ERR_NOMEM;
  if (b->failed) return;
  for (int k = 0; k < npattern; k++) p.patterns[k] = keep(b, patterns[k]);
  b->powers[b->npower++] = p;
}

static const char *inertia_obstacle(const cap_builder *b, const cap_inertia *block)
{
  for (int i = block->first; i < block->first + block->n; i++) {
    if (b->dofs[i].motion >= 0)
      return "a coordinate of a body with a non-diagonal mass matrix is prescribed; expected a free one";
    if (b->base[i] != 0.0)
      return "a coordinate of a body with a non-diagonal mass matrix has a moving frame; expected one at "
             "rest";
  }
  return NULL;
}

/* ---- packing ------------------------------------------------------------------------------------------- */

static void pack_dofs(cap_builder *b, cap_model *m)
{
  size_t bytes = (size_t)(b->ndof * b->nlane) * sizeof(double);
  for (int i = 0; i < b->ndof; i++) {
    m->dof_name[i] = b->dofs[i].name;
    m->dof_unit[i] = b->dofs[i].unit;
    m->driven[i] = b->dofs[i].motion;
    m->cyclic[i] = b->dofs[i].cyclic;
  }
  if (bytes) {
    memcpy(m->mass, b->mass, bytes);
    memcpy(m->base, b->base, bytes);
    for (int k = 0; k < m->nv * m->nlane; k++) m->inverse_mass[k] = 1.0 / m->mass[k];
    memcpy(m->initial, b->q0, bytes);
    memcpy(m->initial + b->ndof * b->nlane, b->v0, bytes);
  }
  for (int k = 0; k < b->nmotion; k++) m->motion_dof[k] = b->motion_dof[k];
  for (int k = 0; k < b->nmotion * b->nlane; k++) m->motions[k] = b->motions[k];
}

static cap_status pack_inertias(cap_builder *b, cap_model *m)
{
  m->ninertia = b->ninertia;
  m->inertias = CAP_ARENA_NEW(&b->arena, cap_inertia, b->ninertia);
  if (!m->inertias) return CAP_ERR_NOMEM;
  for (int k = 0; k < b->ninertia; k++) {
    cap_inertia *block = &m->inertias[k];
    *block = b->inertias[k];
    block->work_adr = m->ninertia_work;
    m->ninertia_work += block->type->nwork(block) + 2 * block->n; /* and two columns */
    for (int i = block->first; i < block->first + block->n; i++) m->mass[i] = m->inverse_mass[i] = 0.0;
  }
  return CAP_OK;
}

static int batch_size(const cap_builder *b, int first)
{
  int n = 0;
  for (int e = first; e < b->nelement; e++) n += b->elements[e].type == b->elements[first].type;
  return n;
}

static bool is_first_of_type(const cap_builder *b, int e)
{
  for (int f = 0; f < e; f++)
    if (b->elements[f].type == b->elements[e].type) return false;
  return true;
}

/* By part where there are parts, else by element. */
static void name_mechanisms(cap_builder *b, cap_model *m, const cap_batch *batch, int adr)
{
  const cap_element_type *type = batch->type;
  const common *c = common_of(b, type);
  for (int k = 0; k < (c->npart ? c->npart : batch->n); k++)
    for (int mech = 0; mech < type->nmech; mech++) {
      const char *owner = c->npart ? c->parts[k] : m->elem_name[batch->elem_adr + k];
      m->mechs[adr++] = (cap_mechanism){cap_arena_format(&b->arena, "%s.%s", owner, type->mech_name[mech]),
                                        type->mech_input[mech]};
    }
}

static cap_status pack_batch(cap_builder *b, cap_model *m, int first, int *elem_adr, int *x_adr,
                             int *mech_adr)
{
  const cap_element_type *type = b->elements[first].type;
  int n = batch_size(b, first), nlane = b->nlane, k = 0;
  int *i = CAP_ARENA_NEW(&b->arena, int, n), *j = CAP_ARENA_NEW(&b->arena, int, n);
  double *par = CAP_ARENA_NEW(&b->arena, double, n * type->nparam * nlane);
  const void **bodies = CAP_ARENA_NEW(&b->arena, const void *, n);
  if (!i || !j || !par || !bodies) return CAP_ERR_NOMEM;
  cap_batch *batch = &m->batches[m->nbatch++];
  const common *c = common_of(b, type);
  *batch = (cap_batch){.type = type,
                       .n = n,
                       .nlane = nlane,
                       .elem_adr = *elem_adr,
                       .x_adr = *x_adr,
                       .mech_adr = *mech_adr,
                       .output_adr = m->noutput,
                       .i = i,
                       .j = j,
                       .par = par,
                       .bodies = bodies,
                       .npart = c->npart,
                       .ncommon = c->nvalue,
                       .common = c->values,
                       .hint_adr = m->nhint,
                       .warm_adr = m->nwarm};
  for (int r = 0; r < c->nread; r++)
    for (int other = 0; other < m->nbatch; other++)
      if (m->batches[other].type == c->reads[r]) batch->reads[r] = other - (m->nbatch - 1);
  m->noutput += n * type->noutput;
  m->nhint += type->nhint + n * type->nhint_each;
  m->nwarm += type->nwarm + n * type->nwarm_each;
  for (int e = first; e < b->nelement; e++) {
    element *el = &b->elements[e];
    if (el->type != type) continue;
    i[k] = el->i;
    j[k] = el->j;
    bodies[k] = el->body;
    memcpy(par + (size_t)(k * type->nparam * nlane), el->par, (size_t)(type->nparam * nlane) * sizeof *par);
    el->packed = *elem_adr + k;
    el->x_adr = *x_adr + k * type->nstate;
    el->output_adr = batch->output_adr + k * type->noutput;
    m->elem_name[el->packed] = el->name;
    for (int s = 0; s < type->nstate; s++) {
      m->x_name[el->x_adr + s] = el->name;
      m->x_unit[el->x_adr + s] = type->state_unit ? type->state_unit : "N";
      m->x_size[el->x_adr + s] = 1.0;
      memcpy(m->initial + (size_t)((2 * m->nv + el->x_adr + s) * nlane), el->x0 + s * nlane,
             (size_t)nlane * sizeof(double));
    }
    k++;
  }
  batch->uniform = nlane == 1;
  for (int p = type->nparam; p < n * type->nparam; p++)
    if (par[p] != par[p - type->nparam]) batch->uniform = false;
  name_mechanisms(b, m, batch, *mech_adr);
  *elem_adr += n;
  *x_adr += n * type->nstate;
  *mech_adr += (c->npart ? c->npart : n) * type->nmech;
  if (type->many) m->marches = true;
  if (type->fast) m->nfast++;
  if (type->impulses) m->impulses = type->impulses;
  if (type->march_only) m->march_only = true;
  if (!type->linear) m->linear = false;
  if (type->reversal) m->reversal = true;
  return CAP_OK;
}

static void pack_sliders(cap_builder *b, cap_model *m, int x_adr, int mech_adr)
{
  for (int s = 0; s < b->nslider; s++) {
    slider *sl = &b->sliders[s];
    size_t bytes = (size_t)b->nlane * sizeof(double);
    m->slider_name[s] = m->x_name[x_adr + s] = sl->name;
    m->x_unit[x_adr + s] = "N";
    m->x_size[x_adr + s] = 1.0;
    m->slider_i[s] = sl->i;
    m->slider_j[s] = sl->j;
    memcpy(m->slider_k + s * b->nlane, sl->k, bytes);
    memcpy(m->slider_limit + s * b->nlane, sl->limit, bytes);
    memcpy(m->initial + (size_t)((2 * m->nv + x_adr + s) * b->nlane), sl->z0, bytes);
    m->mechs[mech_adr + s] = (cap_mechanism){cap_arena_format(&b->arena, "%s.friction", sl->name), false};
  }
  for (int k = 0; k < b->nmotion; k++)
    m->mechs[mech_adr + b->nslider + k] = (cap_mechanism){
        cap_arena_format(&b->arena, "%s.motion", b->dofs[b->motion_dof[k]].name), true};
}

/* What is named by a handle and one of its parts, as an entry of x or of the outputs. */
static void place_part(const cap_builder *b, cap_term *term)
{
  int stride = term->kind == CAP_TERM_OUTPUT ? CAP_OUTPUTS_MOST : TERM_STRIDE;
  int handle = term->index / stride, part = term->index % stride;
  if (term->kind == CAP_TERM_ATTITUDE) {
    *term = (cap_term){CAP_TERM_X, b->elements[handle].x_adr + part, term->factor};
    return;
  }
  if (term->kind == CAP_TERM_OUTPUT) {
    *term = (cap_term){CAP_TERM_FORCE, b->elements[handle].output_adr + part, term->factor};
    return;
  }
  const cap_builder_contacts_item *c = &b->contacts[handle];
  int output = c->output_adr + part;
  if (term->kind == CAP_TERM_CONTACT_DEFLECTION)
    *term = (cap_term){CAP_TERM_X, c->x_adr + part, term->factor};
  else if (term->kind == CAP_TERM_CONTACT_FORCE) *term = (cap_term){CAP_TERM_FORCE, output, term->factor};
  else if (term->kind == CAP_TERM_CONTACT_SPEED)
    *term = (cap_term){CAP_TERM_FORCE, output + c->type->nrow, term->factor};
  else *term = (cap_term){CAP_TERM_FORCE, output + 2 * c->type->nrow, term->factor};
}

static void pack_channels(cap_builder *b, cap_model *m)
{
  for (int c = 0; c < b->nchannel; c++) {
    m->channels[c] = b->channels[c];
    for (int t = 0; t < m->channels[c].nterm; t++) {
      cap_term *term = &m->channels[c].terms[t];
      if (term->kind > CAP_TERM_SLIDER) {
        place_part(b, term);
        continue;
      }
      if (term->kind == CAP_TERM_FORCE) term->index = b->elements[term->index].packed;
      if (term->kind == CAP_TERM_X) term->index = b->elements[term->index].x_adr;
      if (term->kind == CAP_TERM_SLIDER) {
        term->kind = CAP_TERM_X;
        term->index = m->nx - m->nslider + term->index;
      }
    }
  }
}

static bool counts_in(const power *p, const cap_mechanism *mech)
{
  for (int k = 0; k < p->npattern; k++)
    if (cap_names_fit(p->patterns[k], mech->name)) return true;
  return p->npattern == 0 && !mech->input;
}

static cap_status pack_power(cap_builder *b, cap_model *m, const power *p, bool *taken)
{
  cap_channel *c = &m->channels[m->nchannel];
  *c = (cap_channel){.column = {p->name, "W", p->long_name}};
  c->terms = CAP_ARENA_NEW(&b->arena, cap_term, m->nmech);
  c->factors = CAP_ARENA_NEW(&b->arena, double, m->nmech * b->nlane);
  if (!c->terms || !c->factors) return CAP_ERR_NOMEM;
  for (int k = 0; k < m->nmech; k++) {
    if (taken[k] || !counts_in(p, &m->mechs[k])) continue;
    taken[k] = true;
    c->terms[c->nterm++] = (cap_term){CAP_TERM_FORCE, m->power_adr + k, 1.0};
  }
  for (int k = 0; k < c->nterm * b->nlane; k++) c->factors[k] = 1.0;
  m->nchannel += c->nterm > 0;
  return CAP_OK;
}

/* Behind all other channels and outputs. */
static cap_status pack_powers(cap_builder *b, cap_model *m)
{
  m->nchannel = b->nchannel;
  if (!b->npower) return CAP_OK;
  bool *taken = CAP_ARENA_NEW(&b->arena, bool, m->nmech);
  if (!taken) return CAP_ERR_NOMEM;
  m->power_adr = m->noutput;
  m->noutput += m->nmech;
  for (int k = 0; k < b->npower; k++) CAP_TRY(pack_power(b, m, &b->powers[k], taken));
  return CAP_OK;
}

static cap_status allocate(cap_builder *b, cap_model *m)
{
  cap_arena *a = &b->arena;
  int nlane = b->nlane;
  m->dof_name = CAP_ARENA_NEW(a, const char *, m->nv);
  m->dof_unit = CAP_ARENA_NEW(a, const char *, m->nv);
  m->elem_name = CAP_ARENA_NEW(a, const char *, m->nelem);
  m->slider_name = CAP_ARENA_NEW(a, const char *, m->nslider);
  m->x_name = CAP_ARENA_NEW(a, const char *, m->nx);
  m->x_unit = CAP_ARENA_NEW(a, const char *, m->nx);
  m->x_size = CAP_ARENA_NEW(a, double, m->nx);
  m->mass = CAP_ARENA_NEW(a, double, (m->nv * nlane));
  m->inverse_mass = CAP_ARENA_NEW(a, double, (m->nv * nlane));
  m->base = CAP_ARENA_NEW(a, double, (m->nv * nlane));
  m->driven = CAP_ARENA_NEW(a, int, m->nv);
  m->cyclic = CAP_ARENA_NEW(a, int, m->nv);
  m->motions = CAP_ARENA_NEW(a, cap_motion, m->nmotion * nlane);
  m->motion_dof = CAP_ARENA_NEW(a, int, m->nmotion);
  m->batches = CAP_ARENA_NEW(a, cap_batch, m->nelem);
  m->slider_i = CAP_ARENA_NEW(a, int, m->nslider);
  m->slider_j = CAP_ARENA_NEW(a, int, m->nslider);
  m->slider_k = CAP_ARENA_NEW(a, double, (m->nslider * nlane));
  m->slider_limit = CAP_ARENA_NEW(a, double, (m->nslider * nlane));
  m->mechs = CAP_ARENA_NEW(a, cap_mechanism, m->nmech);
  m->channels = CAP_ARENA_NEW(a, cap_channel, m->nchannel);
  m->initial = CAP_ARENA_NEW(a, double, (m->nstate * nlane));
  bool all = m->dof_name && m->dof_unit && m->elem_name && m->slider_name && m->x_name && m->x_unit &&
             m->x_size && m->mass && m->inverse_mass && m->base && m->driven && m->cyclic && m->motions &&
             m->motion_dof && m->batches && m->slider_i && m->slider_j && m->slider_k && m->slider_limit &&
             m->mechs && m->channels && m->initial;
  return all ? CAP_OK : CAP_ERR_NOMEM;
}

static bool has_type(const cap_builder *b, const cap_element_type *type)
{
  for (int e = 0; e < b->nelement; e++)
    if (b->elements[e].type == type) return true;
  return false;
}

static const cap_scene_fact *keep_facts(cap_builder *b)
{
  cap_scene_fact *facts = CAP_ARENA_NEW(&b->arena, cap_scene_fact, b->scene.nfact);
  if (facts && b->scene.nfact) memcpy(facts, b->facts, (size_t)b->scene.nfact * sizeof *facts);
  return facts;
}

static cap_status pack(cap_builder *b, cap_model *m)
{
  int nstates = 0, nmechs = 0;
  for (int e = 0; e < b->nelement; e++) {
    nstates += b->elements[e].type->nstate;
    if (!common_of(b, b->elements[e].type)->npart) nmechs += b->elements[e].type->nmech;
  }
  for (int k = 0; k < b->ncommon; k++)
    if (has_type(b, b->commons[k].type)) nmechs += b->commons[k].npart * b->commons[k].type->nmech;
  m->nlane = b->nlane;
  m->nv = b->ndof;
  cap_builder_contacts_count(b->ncontact, b->contacts, m);
  nmechs += CAP_CONTACT_MECHS * b->ncontact;
  m->nx = nstates + m->nlaw + m->nset + b->nslider;
  m->nstate = 2 * m->nv + m->nx;
  m->nelem = b->nelement;
  m->noutput += m->nelem;
  m->nslider = b->nslider;
  m->nmotion = b->nmotion;
  m->nchannel = b->nchannel + b->npower + b->inputs.n; /* room; those without a mechanism go */
  m->nmech = nmechs + b->nslider + b->nmotion;
  m->period = b->period;
  m->t0 = b->t0;
  m->subject = b->subject;
  if (!m->subject.type) m->subject.type = &cap_subject_none;
  m->scene = b->scene;
  m->scene.facts = keep_facts(b);
  if (!m->scene.facts) return CAP_ERR_NOMEM;
  m->linear = true;
  m->fastest = b->fastest;
  m->fastest_inner = b->fastest_inner;
  m->fastest_body = b->fastest_body;
  m->coarsest = b->coarsest;
  CAP_TRY(allocate(b, m));
  pack_dofs(b, m);
  CAP_TRY(pack_inertias(b, m));
  int elem_adr = 0, x_adr = 0, mech_adr = 0;
  for (int e = 0; e < b->nelement; e++)
    if (is_first_of_type(b, e)) CAP_TRY(pack_batch(b, m, e, &elem_adr, &x_adr, &mech_adr));
  for (int c = 0; c < b->ncontact; c++)
    for (int k = 0; k < b->contacts[c].type->nbody; k++)
      if (b->contacts[c].body[k] >= 0) b->contacts[c].body[k] = b->elements[b->contacts[c].body[k]].x_adr;
  CAP_TRY(cap_builder_contacts_pack(b->ncontact, b->contacts, &b->arena, m, &x_adr, &mech_adr));
  pack_sliders(b, m, x_adr, mech_adr);
  pack_channels(b, m);
  for (int k = 0; k < m->nmech; k++)
    if (!m->mechs[k].name) return CAP_ERR_NOMEM;
  CAP_TRY(pack_powers(b, m));
  return cap_builder_inputs_pack(&b->inputs, b->t0, &b->arena, m);
}

cap_status cap_builder_finish(cap_builder *b, cap_model **model, cap_error *error)
{
  *model = NULL;
  check_lane(b);
  uint64_t all = b->nlane < 64 ? ((uint64_t)1 << b->nlane) - 1 : ~(uint64_t)0;
  if (b->filled != all) refuse(b, other_structure);
  for (int k = 0; k < b->ninertia && !b->failed; k++)
    if (inertia_obstacle(b, &b->inertias[k])) refuse(b, inertia_obstacle(b, &b->inertias[k]));
  if (b->failed == CAP_ERR_UNSUPPORTED) return cap_status_fail(error, b->failed, "%s", b->why);
  cap_model *m = calloc(1, sizeof *m);
  cap_status status = m && !b->failed ? pack(b, m) : CAP_ERR_NOMEM;
  if (status != CAP_OK) {
    free(m);
    return cap_status_fail(error, status, "out of memory while building the model");
  }
  m->arena = b->arena;
  b->arena = (cap_arena){0};
  if (m->ninertia && m->nideal) {
    cap_model_free(m);
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "ideal contacts cannot be combined with a non-diagonal mass matrix; expected "
                           "viscoelastic or set-valued contacts");
  }
  status = cap_builder_contacts_finish(b->ncontact, b->contacts, m, error);
  if (status != CAP_OK) {
    cap_model_free(m);
    return status;
  }
  *model = m;
  return CAP_OK;
}
