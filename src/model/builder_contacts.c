/* model/builder_contacts.c — see builder_contacts.h. */
#include "model/builder_contacts.h"
#include "model/constraints.h"
#include "model/contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_ideal(const cap_builder_contacts_item *c)
{
  return c->law.epsilon == 0.0;
}

void cap_builder_contacts_count(int n, const cap_builder_contacts_item *contacts, cap_model *m)
{
  m->ncontact = n;
  for (int k = 0; k < n; k++) {
    const cap_contact_type *type = contacts[k].type;
    m->nrow += type->nrow;
    m->nideal += is_ideal(&contacts[k]) ? type->nrow : 0;
    m->ngap += is_ideal(&contacts[k]) ? type->ngap : 0;
    m->noutput += 2 * type->nrow + type->nmeasure;
  }
}

/* ---- packing --------------------------------------------------------------------------------------------
 */

static bool together(const cap_builder_contacts_item *a, const cap_builder_contacts_item *b)
{
  return a->type == b->type && is_ideal(a) == is_ideal(b);
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
  static const char *const mechs[CAP_CONTACT_MECHS] = {"damping", "slip", "surface"};
  int nrow = b->type->nrow;
  m->contact_name[b->contact_adr + place] = c->name;
  for (int r = 0; r < nrow; r++) {
    int row = b->row_adr + place * nrow + r;
    m->row_name[row] = cap_arena_format(arena, "%s.%s", c->name, b->type->row_name[r]);
    if (!m->row_name[row]) return CAP_ERR_NOMEM;
    if (b->ideal) {
      m->ideal_row[b->ideal_adr + place * nrow + r] = row;
    } else {
      m->x_name[b->x_adr + place * nrow + r] = m->row_name[row];
      m->x_unit[b->x_adr + place * nrow + r] = "m";
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
  bool ideal = is_ideal(&contacts[first]);
  cap_contact_batch *b = &m->contacts[m->ncontactbatch++];
  *b = (cap_contact_batch){type,      ideal,      count, at->contact, at->row, at->ideal, at->gap, *at->x,
                           *at->mech, at->output, coord, attitude,    par,     stick,     normal,  load};
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
    CAP_TRY(name_parts(c, arena, m, b, place++));
  }
  at->contact += count;
  at->row += count * type->nrow;
  if (ideal) at->ideal += count * type->nrow, at->gap += count * type->ngap;
  else *at->x += count * type->nrow;
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
  for (int k = 0; k < n; k++)
    if (is_first(contacts, k)) CAP_TRY(pack_batch(n, contacts, k, arena, m, &at));
  if (n) m->linear = false;
  m->nworkspace = cap_constraints_size(m);
  return CAP_OK;
}

/* ---- what needs the whole model -------------------------------------------------------------------------
 */

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
  *normal = (capm_stick){.mu_static = INFINITY, .mu_kinetic = INFINITY};
  *stick = (capm_stick){.mu_static = c->law.mu_static,
                        .mu_kinetic = c->law.mu_kinetic,
                        .v_stribeck = c->law.v_stribeck,
                        .width = c->law.width};
  for (int part = 0; part < 2; part++) {
    int first = part ? from : 0, last = part ? nrow : from;
    if (first == last) continue;
    double largest, mobility = cap_contacts_mobility(m, b, c->place, first, last, m->t0, q, x, &largest);
    if (!(mobility > 0.0) || !isfinite(mobility))
      return cap_status_fail(error, CAP_ERR_INPUT,
                             "the contact %s has no effective mass at the start: nothing can move along %s",
                             c->name, m->row_name[b->row_adr + c->place * nrow + first]);
    capm_stick *p = part ? stick : normal;
    scale_law(&c->law, last - first, mobility, p);
    m->fastest = fmax(m->fastest, sqrt(p->k * largest));
    /* until the ideal forces are known: a force that gives 1 m/s2 */
    for (int r = first; r < last; r++) m->x_size[c->x_adr + r] = (last - first) / mobility / p->k;
  }
  return CAP_OK;
}

/* The same system with all contacts ideal, to know their forces at the start. */
static cap_status ideal_forces(const cap_model *m, double *lambda, cap_error *error)
{
  cap_model ideal = *m;
  ideal.contacts = calloc((size_t)m->ncontactbatch, sizeof *ideal.contacts);
  ideal.ideal_row = calloc((size_t)m->nrow, sizeof *ideal.ideal_row);
  ideal.nideal = m->nrow;
  ideal.ngap = 0;
  for (int i = 0; ideal.contacts && i < m->ncontactbatch; i++) {
    ideal.contacts[i] = m->contacts[i];
    ideal.contacts[i].ideal = true;
    ideal.contacts[i].ideal_adr = m->contacts[i].row_adr;
    ideal.contacts[i].gap_adr = ideal.ngap;
    ideal.ngap += m->contacts[i].n * m->contacts[i].type->ngap;
  }
  for (int r = 0; ideal.ideal_row && r < m->nrow; r++) ideal.ideal_row[r] = r;
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
    if (is_ideal(&contacts[k])) continue;
    CAP_TRY(scale_contact(&contacts[k], m, error));
    loaded = loaded || contacts[k].law.loaded;
  }
  if (m->nrow == m->nideal) return CAP_OK;
  double *lambda = calloc((size_t)m->nrow, sizeof *lambda);
  if (!lambda) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory while building the model");
  cap_error unknown = {0};
  cap_status status = ideal_forces(m, lambda, &unknown);
  /* rows that depend on each other leave the forces open: fine for viscoelastic contacts that start unloaded
   */
  if (status == CAP_ERR_NUMERICS && !loaded) status = CAP_OK;
  else if (status != CAP_OK)
    cap_status_fail(error, status, "the contacts cannot start loaded: %s", unknown.text);
  else
    for (int k = 0; k < n; k++)
      if (!is_ideal(&contacts[k])) load_contact(&contacts[k], m, lambda);
  free(lambda);
  return status;
}
