/* model/builder_contacts.c — see builder_contacts.h. */
#include "model/builder_contacts.h"
#include "model/constraints.h"
#include "model/contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cap_law_kind kind_of(const cap_builder_contacts_item *c)
{
  if (c->law.kind != CAP_LAW_BY_EPSILON) return c->law.kind;
  return c->law.epsilon == 0.0 ? CAP_LAW_IDEAL : CAP_LAW_VISCOELASTIC;
}

/* Whether its rows have inner states. */
static bool has_states(cap_law_kind kind)
{
  return kind == CAP_LAW_VISCOELASTIC || kind == CAP_LAW_SET_VALUED;
}

void cap_builder_contacts_count(int n, const cap_builder_contacts_item *contacts, cap_model *m)
{
  m->ncontact = n;
  for (int k = 0; k < n; k++) {
    const cap_contact_type *type = contacts[k].type;
    m->nrow += type->nrow;
    cap_law_kind kind = kind_of(&contacts[k]);
    m->nideal += kind == CAP_LAW_IDEAL ? type->nrow : 0;
    m->ngap += kind == CAP_LAW_IDEAL ? type->ngap : 0;
    m->nlaw += kind == CAP_LAW_VISCOELASTIC ? type->nrow : 0;
    m->nset += kind == CAP_LAW_SET_VALUED ? type->nrow : 0;
    m->noutput += 2 * type->nrow + type->nmeasure;
  }
}

/* ---- packing ------------------------------------------------------------------------------------------- */

static bool together(const cap_builder_contacts_item *a, const cap_builder_contacts_item *b)
{
  return a->type == b->type && kind_of(a) == kind_of(b);
}

static bool is_first(const cap_builder_contacts_item *contacts, int k)
{
  for (int f = 0; f < k; f++)
    if (together(&contacts[f], &contacts[k])) return false;
  return true;
}

typedef struct addresses {
  int contact, row, ideal, gap, output, *x, *mech;
} addresses;

static cap_status name_parts(const cap_builder_contacts_item *c, cap_arena *arena, cap_model *m,
                             const cap_contact_batch *b, int place)
{
  const char *first = b->kind == CAP_LAW_SET_VALUED ? "impact" : "damping";
  const char *const mechs[CAP_CONTACT_MECHS] = {first, "slip", "surface"};
  int nrow = b->type->nrow;
  m->contact_name[b->contact_adr + place] = c->name;
  for (int r = 0; r < nrow; r++) {
    int row = b->row_adr + place * nrow + r;
    m->row_name[row] = cap_arena_format(arena, "%s.%s", c->name, b->type->row_name[r]);
    if (!m->row_name[row]) return CAP_ERR_NOMEM;
    if (b->ideal) {
      m->ideal_row[b->ideal_adr + place * nrow + r] = row;
    } else if (has_states(b->kind)) {
      int x = b->x_adr + place * nrow + r;
      m->x_name[x] = m->row_name[row];
      m->x_unit[x] = b->kind == CAP_LAW_VISCOELASTIC ? "m" : "N";
      m->x_size[x] = 1.0;
    }
  }
  for (int i = 0; i < CAP_CONTACT_MECHS; i++) {
    const char *name = cap_arena_format(arena, "%s.%s", c->name, mechs[i]);
    if (!name) return CAP_ERR_NOMEM;
    m->mechs[b->mech_adr + place * CAP_CONTACT_MECHS + i] = (cap_mechanism){name, i == 2};
  }
  return CAP_OK;
}

static cap_status pack_batch(int n, cap_builder_contacts_item *contacts, int first, cap_arena *arena,
                             cap_model *m, addresses *at)
{
  const cap_contact_type *type = contacts[first].type;
  int count = 0, place = 0;
  for (int k = first; k < n; k++) count += together(&contacts[first], &contacts[k]);
  int *coord = CAP_ARENA_NEW(arena, int, count * type->ncoord);
  int *attitude = CAP_ARENA_NEW(arena, int, count * type->nbody);
  double *par = CAP_ARENA_NEW(arena, double, count * type->nparam),
         *load = CAP_ARENA_NEW(arena, double, count);
  capm_stick *stick = CAP_ARENA_NEW(arena, capm_stick, count),
             *normal = CAP_ARENA_NEW(arena, capm_stick, count);
  if (!coord || !attitude || !par || !load || !stick || !normal) return CAP_ERR_NOMEM;
  cap_law_kind kind = kind_of(&contacts[first]);
  bool ideal = kind == CAP_LAW_IDEAL;
  cap_contact_touch *touch = CAP_ARENA_NEW(arena, cap_contact_touch,
                                           ideal || kind == CAP_LAW_VISCOELASTIC ? 0 : count);
  const void **bodies = CAP_ARENA_NEW(arena, const void *, count);
  if (!touch || !bodies) return CAP_ERR_NOMEM;
  cap_contact_batch *b = &m->contacts[m->ncontactbatch++];
  *b = (cap_contact_batch){type,    kind,   ideal,     count,      at->contact, at->row,  at->ideal,
                           at->gap, *at->x, *at->mech, at->output, coord,       attitude, par,
                           stick,   normal, load,      touch,      bodies};
  for (int k = first; k < n; k++) {
    cap_builder_contacts_item *c = &contacts[k];
    if (!together(&contacts[first], c)) continue;
    c->batch = (int)(b - m->contacts);
    c->place = place;
    c->x_adr = b->x_adr + place * type->nrow;
    c->output_adr = b->output_adr + place * (2 * type->nrow + type->nmeasure);
    memcpy(coord + place * type->ncoord, c->coord, sizeof(int) * (size_t)type->ncoord);
    for (int i = 0; i < type->nbody; i++) attitude[place * type->nbody + i] = c->body[i];
    for (int p = 0; p < type->nparam; p++) par[place * type->nparam + p] = c->par[p];
    load[place] = c->law.load;
    bodies[place] = c->own;
    CAP_TRY(name_parts(c, arena, m, b, place++));
  }
  at->contact += count;
  at->row += count * type->nrow;
  if (ideal) at->ideal += count * type->nrow, at->gap += count * type->ngap;
  else if (has_states(kind)) *at->x += count * type->nrow;
  *at->mech += count * CAP_CONTACT_MECHS;
  at->output += count * (2 * type->nrow + type->nmeasure);
  return CAP_OK;
}

cap_status cap_builder_contacts_pack(int n, cap_builder_contacts_item *contacts, cap_arena *arena,
                                     cap_model *m, int *x_adr, int *mech_adr)
{
  m->contacts = CAP_ARENA_NEW(arena, cap_contact_batch, n);
  m->contact_name = CAP_ARENA_NEW(arena, const char *, n);
  m->row_name = CAP_ARENA_NEW(arena, const char *, m->nrow);
  m->ideal_row = CAP_ARENA_NEW(arena, int, m->nideal);
  if (!m->contacts || !m->contact_name || !m->row_name || !m->ideal_row) return CAP_ERR_NOMEM;
  addresses at = {.output = m->nelem, .x = x_adr, .mech = mech_adr};
  /* deflections before the forces of set-valued contacts */
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < n; k++)
      if (is_first(contacts, k) && (kind_of(&contacts[k]) >= CAP_LAW_SET_VALUED) == (pass == 1))
        CAP_TRY(pack_batch(n, contacts, k, arena, m, &at));
  if (n) m->linear = false;
  m->nworkspace = cap_constraints_size(m);
  return CAP_OK;
}

/* ---- what needs the whole model ------------------------------------------------------------------------ */

/* k and d of one direction from the law and the mobility (trace of J M^-1 J' over n rows). */
static void scale_law(const cap_contact_law *law, int n, double mobility, capm_stick *p)
{
  double mass = n / mobility, kappa = law->stiffness > 0.0 ? law->stiffness : mass;
  p->k = kappa / (law->epsilon * law->epsilon);
  p->d = 2.0 * law->damping_ratio * sqrt(p->k * mass);
}

static cap_status scale_contact(const cap_builder_contacts_item *c, cap_model *m, cap_error *error)
{
  const cap_contact_batch *b = &m->contacts[c->batch];
  const double *q = m->initial, *x = m->initial + 2 * m->nv;
  int from = b->type->normal ? 1 : 0, nrow = b->type->nrow;
  capm_stick *normal = &b->normal[c->place], *stick = &b->stick[c->place];
  *normal = (capm_stick){.friction = {.mu_static = INFINITY, .mu_kinetic = INFINITY}};
  *stick = (capm_stick){.friction = c->law.friction, .width = c->law.width};
  for (int part = 0; part < 2; part++) {
    int first = part ? from : 0, last = part ? nrow : from;
    if (first == last) continue;
    double largest, mobility = cap_contacts_mobility(m, b, c->place, first, last, m->t0, q, x, &largest);
    if (!(mobility > 0.0) || !isfinite(mobility))
      return cap_status_fail(error, CAP_ERR_INPUT,
                             "the contact %s has no effective mass at the start, since nothing can move "
                             "along %s; expected at least one free coordinate there",
                             c->name, m->row_name[b->row_adr + c->place * nrow + first]);
    capm_stick *p = part ? stick : normal;
    scale_law(&c->law, last - first, mobility, p);
    m->fastest = fmax(m->fastest, sqrt(p->k * largest));
    /* until the ideal forces are known: a force that gives 1 m/s2 */
    for (int r = first; r < last; r++) m->x_size[c->x_adr + r] = (last - first) / mobility / p->k;
  }
  return CAP_OK;
}

static cap_status refuse(const cap_builder_contacts_item *c, const char *why, cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_INPUT, "the contact %s cannot be %s: %s", c->name,
                         c->law.kind == CAP_LAW_REGULARISED ? "regularised" : "set-valued", why);
}

static cap_status check_touch(const cap_builder_contacts_item *c, cap_error *error)
{
  const cap_contact_law *law = &c->law;
  int ntangent = c->type->nrow - (c->type->normal ? 1 : 0);
  const capm_friction *mu = &law->friction;
  bool smooth = law->kind == CAP_LAW_REGULARISED, sticks = !isfinite(mu->mu_static);
  bool compliant = c->type->normal && (smooth || law->normal == CAP_NORMAL_COMPLIANT);
  if (!(mu->mu_static >= 0.0 && mu->mu_kinetic >= 0.0 && sticks == !isfinite(mu->mu_kinetic)))
    return refuse(c, "expected coefficients of friction of at least 0", error);
  if (compliant && !(law->normal_stiffness > 0.0 && law->normal_damping >= 0.0))
    return refuse(c, "expected a normal stiffness above 0", error);
  if (c->type->normal && c->type->ngap < 1) return refuse(c, "expected a normal direction with a gap", error);
  if (ntangent && sticks && (smooth || (c->type->normal && law->normal == CAP_NORMAL_UNILATERAL)))
    return refuse(c, "expected finite friction, since the contact can open or is smooth", error);
  if (ntangent > 2 && !sticks) return refuse(c, "expected friction in one or two directions", error);
  if (smooth && ntangent && mu->mu_static > 0.0 && !(law->v_regular > 0.0))
    return refuse(c, "expected a regularisation velocity above 0", error);
  if (!(law->restitution >= 0.0 && law->restitution <= 1.0 && law->restitution_speed >= 0.0))
    return refuse(c, "expected a coefficient of restitution from 0 to 1", error);
  return CAP_OK;
}

static cap_status set_touch(const cap_builder_contacts_item *c, cap_model *m, cap_error *error)
{
  const cap_contact_batch *b = &m->contacts[c->batch];
  const cap_contact_law *law = &c->law;
  CAP_TRY(check_touch(c, error));
  cap_contact_touch *touch = &b->touch[c->place];
  *touch = (cap_contact_touch){.normal = law->kind == CAP_LAW_REGULARISED ? CAP_NORMAL_COMPLIANT
                                                                          : law->normal,
                               .restitution = law->restitution,
                               .restitution_speed = law->restitution_speed,
                               .k = law->normal_stiffness,
                               .d = law->normal_damping,
                               .v_regular = law->v_regular,
                               .friction = law->friction};
  if (!c->type->normal || touch->normal != CAP_NORMAL_COMPLIANT) return CAP_OK;
  double largest;
  cap_contacts_mobility(m, b, c->place, 0, 1, m->t0, m->initial, m->initial + 2 * m->nv, &largest);
  m->fastest = fmax(m->fastest, sqrt(touch->k * largest));
  return CAP_OK;
}

/* The same system with its viscoelastic contacts ideal, to know their forces at the start. */
static cap_status ideal_forces(const cap_model *m, double *lambda, cap_error *error)
{
  cap_model ideal = *m;
  ideal.contacts = calloc((size_t)m->ncontactbatch, sizeof *ideal.contacts);
  ideal.ideal_row = calloc((size_t)m->nrow, sizeof *ideal.ideal_row);
  ideal.nideal = m->nideal + m->nlaw; /* these are packed first */
  ideal.ngap = 0;
  for (int i = 0; ideal.contacts && i < m->ncontactbatch; i++) {
    ideal.contacts[i] = m->contacts[i];
    if (m->contacts[i].kind >= CAP_LAW_SET_VALUED) continue;
    ideal.contacts[i].kind = CAP_LAW_IDEAL;
    ideal.contacts[i].ideal = true;
    ideal.contacts[i].ideal_adr = m->contacts[i].row_adr;
    ideal.contacts[i].gap_adr = ideal.ngap;
    ideal.ngap += m->contacts[i].n * m->contacts[i].type->ngap;
  }
  for (int r = 0; ideal.ideal_row && r < ideal.nideal; r++) ideal.ideal_row[r] = r;
  double *workspace = calloc((size_t)cap_constraints_size(&ideal), sizeof *workspace);
  cap_status status = CAP_ERR_NOMEM;
  if (ideal.contacts && ideal.ideal_row && workspace)
    status = cap_constraints_multipliers(&ideal, m->t0, m->initial, workspace, lambda, error);
  free(ideal.contacts);
  free(ideal.ideal_row);
  free(workspace);
  return status;
}

static void load_contact(const cap_builder_contacts_item *c, cap_model *m, const double *lambda)
{
  const cap_contact_batch *b = &m->contacts[c->batch];
  int nrow = b->type->nrow, from = b->type->normal ? 1 : 0;
  double most = 0.0;
  for (int r = 0; r < nrow; r++) most = fmax(most, fabs(lambda[b->row_adr + c->place * nrow + r]));
  for (int r = 0; r < nrow; r++) {
    double k = r < from ? b->normal[c->place].k : b->stick[c->place].k;
    if (most > 0.0) m->x_size[c->x_adr + r] = most / k;
    if (c->law.loaded) m->initial[2 * m->nv + c->x_adr + r] = lambda[b->row_adr + c->place * nrow + r] / k;
  }
}

cap_status cap_builder_contacts_finish(int n, const cap_builder_contacts_item *contacts, cap_model *m,
                                       cap_error *error)
{
  bool loaded = false;
  for (int k = 0; k < n; k++) {
    cap_law_kind kind = kind_of(&contacts[k]);
    if (kind >= CAP_LAW_SET_VALUED) CAP_TRY(set_touch(&contacts[k], m, error));
    if (kind != CAP_LAW_VISCOELASTIC) continue;
    CAP_TRY(scale_contact(&contacts[k], m, error));
    loaded = loaded || contacts[k].law.loaded;
  }
  if (!m->nlaw) return CAP_OK;
  double *lambda = calloc((size_t)m->nrow, sizeof *lambda);
  if (!lambda) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory while building the model");
  cap_error unknown = {0};
  cap_status status = ideal_forces(m, lambda, &unknown);
  /* rows that depend on each other leave the forces open:
   * fine for viscoelastic contacts that start unloaded */
  if (status == CAP_ERR_NUMERICS && !loaded) status = CAP_OK;
  else if (status != CAP_OK)
    cap_status_fail(error, status, "the contacts cannot start loaded: %s", unknown.text);
  else
    for (int k = 0; k < n; k++)
      if (kind_of(&contacts[k]) == CAP_LAW_VISCOELASTIC) load_contact(&contacts[k], m, lambda);
  free(lambda);
  return status;
}
