/* hb/hb_linear.c — see hb_linear.h. */
#include "hb/hb_linear.h"
#include "hb/hb_condense.h"
#include "hb/hb_tangent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FREE_MOST = 2048 };

/* Coordinates that a nonlinear element or a slider touches come first. */
static void mark_end(const cap_model *m, int end, bool *touched)
{
  if (end != CAP_GROUND && m->driven[end] < 0) touched[end] = true;
}

static cap_status place_coordinates(cap_hb_linear *lin, const cap_model *m, int nkeep, const int *keep)
{
  bool *touched = CAP_ARENA_NEW(&lin->arena, bool, m->nv);
  lin->place = CAP_ARENA_NEW(&lin->arena, int, m->nv);
  if (!touched || !lin->place) return CAP_ERR_NOMEM;
  for (int b = 0; b < m->nbatch; b++)
    for (int k = 0; k < m->batches[b].n && cap_hb_linear_is_law(&m->batches[b]); k++) {
      mark_end(m, m->batches[b].i[k], touched);
      mark_end(m, m->batches[b].j[k], touched);
    }
  for (int s = 0; s < m->nslider; s++) {
    mark_end(m, m->slider_i[s], touched);
    mark_end(m, m->slider_j[s], touched);
  }
  for (int k = 0; k < nkeep; k++) mark_end(m, keep[k], touched);
  for (int outer = 1; outer >= 0; outer--)
    for (int i = 0; i < m->nv; i++) {
      if (m->driven[i] >= 0) lin->place[i] = -1 - m->driven[i];
      else if (touched[i] == (bool)outer) {
        lin->place[i] = lin->nfree++;
        lin->nouter += outer;
      }
    }
  CAP_TRY(cap_hb_tangent_place(lin, m));
  lin->ninner = lin->nfree - lin->nouter;
  return CAP_OK;
}

/* ---- entries: where K, C and M are not zero ------------------------------------------------------------ */

static void mark_pair(const cap_hb_linear *lin, int i, int j, bool *present)
{
  int a = i == CAP_GROUND ? -1 : lin->place[i], b = j == CAP_GROUND ? -1 : lin->place[j];
  if (a < 0 || b < 0) return;
  present[a * lin->nfree + b] = present[b * lin->nfree + a] = true;
}

static cap_status find_entries(cap_hb_linear *lin, const cap_model *m)
{
  int n = lin->nfree;
  bool *present = calloc((size_t)n * (size_t)n + 1, sizeof *present);
  if (!present) return CAP_ERR_NOMEM;
  for (int i = 0; i < n; i++) present[i * n + i] = true;
  if (lin->nstate) memset(present, true, (size_t)n * (size_t)n);
  for (int b = 0; b < m->nbatch; b++)
    for (int k = 0; k < m->batches[b].n && m->batches[b].type->linear; k++)
      mark_pair(lin, m->batches[b].i[k], m->batches[b].j[k], present);
  for (int at = 0; at < n * n; at++) lin->nentry += present[at];
  lin->entries = CAP_ARENA_NEW(&lin->arena, cap_hb_entry, lin->nentry);
  for (int at = 0, e = 0; lin->entries && at < n * n; at++) /* column by column, as the elimination wants */
    if (present[at]) lin->entries[e++] = (cap_hb_entry){.row = at % n, .column = at / n};
  free(present);
  return lin->entries ? CAP_OK : CAP_ERR_NOMEM;
}

cap_hb_entry *cap_hb_linear_entry(cap_hb_linear *lin, int row, int column)
{
  int low = 0, high = lin->nentry - 1, n = lin->nfree, key = column * n + row;
  while (low < high) {
    int middle = (low + high) / 2;
    if (lin->entries[middle].column * n + lin->entries[middle].row < key) low = middle + 1;
    else high = middle;
  }
  return &lin->entries[low];
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* Number of the harmonic whose angular frequency this is. */
static cap_status harmonic_of(const cap_hb_linear *lin, const cap_model *m, int lane, int sub,
                              double angular_frequency, const char *name, int *harmonic, cap_error *error)
{
  double ratio = angular_frequency * m->period[lane] / (2.0 * M_PI) * sub;
  *harmonic = (int)lround(ratio);
  if (!(fabs(ratio - *harmonic) <= 1e-7 * fmax(1.0, ratio)))
    return cap_status_fail(
        error, CAP_ERR_UNSUPPORTED,
        "the angular frequency of %s is %.9g times that of the period; expected a whole multiple", name,
        ratio);
  if (*harmonic > lin->nharmonic)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "%s acts at harmonic %d; expected at most harmonic %d; increase harmonics", name,
                           *harmonic, lin->nharmonic);
  return CAP_OK;
}

/* sin(x + phase) = sin(phase) cos x + cos(phase) sin x, and c = a - i b */
static double complex swing_of(double amplitude, double phase)
{
  return amplitude * (sin(phase) - I * cos(phase));
}

static cap_status read_motions(cap_hb_linear *lin, const cap_model *m, int lane, int sub, cap_error *error)
{
  memset(lin->known, 0, sizeof *lin->known * (size_t)(lin->ndriven * (lin->nharmonic + 1)));
  for (int k = 0; k < m->nmotion; k++) {
    const cap_motion *motion = &m->motions[k * m->nlane + lane];
    const char *name = m->dof_name[m->motion_dof[k]];
    double complex *known = lin->known + (size_t)k * (size_t)(lin->nharmonic + 1);
    int h = 0;
    if (motion->nspeed && !motion->swing)
      return cap_status_fail(
          error, CAP_ERR_UNSUPPORTED,
          "%s rotates continuously; expected a harmonic motion, or a crank at constant speed; use transient",
          name);
    for (int o = 0; o < motion->norder && motion->nspeed && !lin->autonomous; o++) {
      CAP_TRY(harmonic_of(lin, m, lane, sub, motion->order[o] * motion->speed[0], name, &h, error));
      known[h] += swing_of(motion->size[o], motion->shift[o]);
    }
    if (motion->nspeed) continue;
    if (motion->nsample)
      return cap_status_fail(
          error, CAP_ERR_UNSUPPORTED,
          "the prescribed motion of %s is sampled; expected a harmonic motion; use transient", name);
    known[0] = motion->mean;
    if (motion->amplitude == 0.0 || lin->autonomous) continue;
    CAP_TRY(harmonic_of(lin, m, lane, sub, motion->angular_frequency, name, &h, error));
    double complex value = swing_of(motion->amplitude, motion->phase);
    known[h] += h ? value : creal(value);
  }
  return CAP_OK;
}

/* Force sign * (k q_end + c q_end') on the free coordinate `row`. */
static void couple(cap_hb_linear *lin, int row, int end, double sign, const cap_linear_part *p)
{
  if (end == CAP_GROUND) return;
  int place = lin->place[end];
  if (place >= 0) {
    cap_hb_entry *e = cap_hb_linear_entry(lin, row, place);
    e->k += sign * p->k;
    e->c += sign * p->c;
    return;
  }
  const double complex *known = lin->known + (size_t)(-1 - place) * (size_t)(lin->nharmonic + 1);
  for (int h = 0; h <= lin->nharmonic; h++) {
    lin->load[h * lin->nfree + row] -= sign * p->k * known[h];
    lin->drag[h * lin->nfree + row] -= sign * p->c * known[h];
  }
}

static cap_status read_element(cap_hb_linear *lin, const cap_model *m, const cap_batch *b, int k, int lane,
                               int sub, cap_error *error)
{
  cap_linear_part p = {0};
  b->type->linear(b, k, lane, &p);
  int ends[2] = {b->i[k], b->j[k]}, h = 0;
  if (lin->autonomous) p.angular_frequency = 0.0;
  if (p.angular_frequency != 0.0)
    CAP_TRY(harmonic_of(lin, m, lane, sub, p.angular_frequency, m->elem_name[b->elem_adr + k], &h, error));
  for (int side = 0; side < 2; side++) {
    int row = ends[side] == CAP_GROUND ? -1 : lin->place[ends[side]];
    double sign = side == 0 ? 1.0 : -1.0;
    if (row < 0) continue;
    couple(lin, row, ends[0], sign, &p);
    couple(lin, row, ends[1], -sign, &p);
    lin->load[row] -= sign * p.f0;
    if (p.angular_frequency != 0.0) lin->load[h * lin->nfree + row] += sign * (p.fc - I * p.fs);
  }
  return CAP_OK;
}

cap_status cap_hb_linear_update(cap_hb_linear *lin, const cap_model *m, int lane, int sub, cap_error *error)
{
  size_t bytes = sizeof *lin->load * (size_t)((lin->nharmonic + 1) * lin->nfree);
  lin->angular_frequency = NAN;
  memset(lin->load, 0, bytes);
  memset(lin->drag, 0, bytes);
  for (int e = 0; e < lin->nentry; e++) lin->entries[e].k = lin->entries[e].c = lin->entries[e].m = 0.0;
  CAP_TRY(read_motions(lin, m, lane, sub, error));
  for (int i = 0; i < m->nv; i++)
    if (lin->place[i] >= 0)
      cap_hb_linear_entry(lin, lin->place[i], lin->place[i])->m = m->mass[i * m->nlane + lane];
  for (int b = 0; b < m->nbatch; b++)
    for (int k = 0; k < m->batches[b].n && m->batches[b].type->linear; k++)
      CAP_TRY(read_element(lin, m, &m->batches[b], k, lane, sub, error));
  if (lin->nstate) CAP_TRY(cap_hb_tangent_read(lin, m, lane, error));
  for (int e = 0; e < lin->nentry; e++) lin->entries[e].rest = lin->entries[e].k;
  if (lin->nstate) cap_hb_tangent_turn(lin, m);
  return CAP_OK;
}

/* ---- life ---------------------------------------------------------------------------------------------- */

static cap_status allocate(cap_hb_linear *lin)
{
  cap_arena *a = &lin->arena;
  size_t h = (size_t)lin->nharmonic + 1, o = (size_t)lin->nouter, f = (size_t)lin->nfree;
  lin->known = CAP_ARENA_NEW(a, double complex, (h * (size_t)lin->ndriven));
  lin->load = CAP_ARENA_NEW(a, double complex, (h * f));
  lin->drag = CAP_ARENA_NEW(a, double complex, (h * f));
  lin->stiffness = CAP_ARENA_NEW(a, double complex, (h * o * o));
  lin->stiffness_w = CAP_ARENA_NEW(a, double complex, (h * o * o));
  lin->force = CAP_ARENA_NEW(a, double complex, (h * o));
  lin->force_w = CAP_ARENA_NEW(a, double complex, (h * o));
  lin->inner = CAP_ARENA_NEW(a, double complex, (h * (o + 1) * (size_t)lin->ninner));
  if (lin->autonomous) lin->stiffness_x = CAP_ARENA_NEW(a, double complex, (h * o * o));
  bool all = (lin->stiffness_x || !lin->autonomous) && lin->known && lin->load && lin->drag &&
             lin->stiffness && lin->stiffness_w && lin->force && lin->force_w && lin->inner;
  return all ? CAP_OK : CAP_ERR_NOMEM;
}

static cap_status build(cap_hb_linear *lin, const cap_model *m, int nkeep, const int *keep, cap_error *error)
{
  if (m->ninertia)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "harmonic balance cannot compute a body with a non-diagonal mass matrix; expected "
                           "bodies with diagonal mass matrices; use another method");
  cap_status status = place_coordinates(lin, m, nkeep, keep);
  if (status == CAP_OK) CAP_TRY(cap_hb_tangent_check(lin, m, error));
  if (status == CAP_OK && lin->nfree > FREE_MOST)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "%d free coordinates are too many for harmonic balance; expected at most %d",
                           lin->nfree, FREE_MOST);
  if (status == CAP_OK) status = find_entries(lin, m);
  if (status == CAP_OK) status = allocate(lin);
  if (status == CAP_OK) status = cap_hb_condense_create(lin, &lin->condense);
  return status == CAP_OK ? CAP_OK : cap_status_fail(error, status, "out of memory");
}

static cap_hb_linear *create(const cap_model *m, int nharmonic, cap_error *error)
{
  cap_hb_linear *lin = calloc(1, sizeof *lin);
  if (!lin) {
    cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
    return NULL;
  }
  lin->nharmonic = nharmonic;
  lin->ndriven = m->nmotion;
  lin->load_scale = 1.0;
  return lin;
}

cap_status cap_hb_linear_create(const cap_model *m, int lane, int nharmonic, int sub, cap_hb_linear **linear,
                                cap_error *error)
{
  cap_hb_linear *lin = *linear = create(m, nharmonic, error);
  if (!lin) return CAP_ERR_NOMEM;
  if (!(m->period[lane] > 0.0))
    return cap_status_fail(
        error, CAP_ERR_UNSUPPORTED,
        "no periodic forcing, so no harmonics to balance; expected a periodic load or prescribed motion");
  CAP_TRY(build(lin, m, 0, NULL, error));
  return cap_hb_linear_update(lin, m, lane, sub, error);
}

cap_status cap_hb_linear_create_free(const cap_model *m, int lane, int nharmonic, int nkeep, const int *keep,
                                     cap_hb_linear **linear, cap_error *error)
{
  cap_hb_linear *lin = *linear = create(m, nharmonic, error);
  if (!lin) return CAP_ERR_NOMEM;
  lin->autonomous = true;
  CAP_TRY(build(lin, m, nkeep, keep, error));
  if (lin->nstate)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "free motions of a running belt are not available; expected a system at rest");
  return cap_hb_linear_update(lin, m, lane, 1, error);
}

void cap_hb_linear_excite(cap_hb_linear *lin, double excitation)
{
  if (excitation == lin->excitation) return;
  lin->excitation = excitation;
  lin->angular_frequency = NAN;
}

void cap_hb_linear_free(cap_hb_linear *lin)
{
  if (!lin) return;
  cap_hb_condense_free(lin->condense);
  cap_arena_free(&lin->arena);
  free(lin);
}

cap_status cap_hb_linear_condense(cap_hb_linear *lin, double w, cap_error *error)
{
  if (w == lin->angular_frequency) return CAP_OK;
  lin->angular_frequency = NAN;
  for (int h = 0; h <= lin->nharmonic; h++) CAP_TRY(cap_hb_condense_harmonic(lin, h, w, error));
  lin->angular_frequency = w;
  return CAP_OK;
}

/* ---- coefficients -------------------------------------------------------------------------------------- */

static double complex coefficient(const double *c, int h)
{
  return h == 0 ? c[0] : c[2 * h - 1] - I * c[2 * h];
}

static void set_coefficient(double *c, int h, double complex value)
{
  if (h == 0) {
    c[0] = creal(value);
    return;
  }
  c[2 * h - 1] = creal(value);
  c[2 * h] = -cimag(value);
}

void cap_hb_linear_expand(const cap_hb_linear *lin, const double *outer, double *all)
{
  int ncoef = 2 * lin->nharmonic + 1, ni = lin->ninner, no = lin->nouter;
  memcpy(all, outer, sizeof(double) * (size_t)(no * ncoef));
  for (int h = 0; h <= lin->nharmonic; h++) {
    const double complex *inner = lin->inner + (size_t)h * (size_t)((no + 1) * ni);
    double scale = h ? lin->load_scale : 1.0;
    for (int i = 0; i < ni; i++) {
      double complex sum = scale * inner[no * ni + i];
      for (int o = 0; o < no; o++) sum += inner[o * ni + i] * coefficient(outer + o * ncoef, h);
      set_coefficient(all + (size_t)(no + i) * (size_t)ncoef, h, sum);
    }
  }
}

void cap_hb_linear_known(const cap_hb_linear *lin, int motion, double *c)
{
  const double complex *known = lin->known + (size_t)motion * (size_t)(lin->nharmonic + 1);
  for (int h = 0; h <= lin->nharmonic; h++) set_coefficient(c, h, (h ? lin->load_scale : 1.0) * known[h]);
}
