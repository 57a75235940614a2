/* drives/pushbelt/contact/influence.c — see influence.h. */
#include "drives/pushbelt/contact/influence.h"
#include "base/clones.h"
#include "base/whole.h"

#include <math.h>

/* ---- functions ----------------------------------------------------------------------------------------- */

/* Shape of a clamped plate along the radius, and its slope. */
CAP_INLINE double shape_of(double r, double inner, double per_span)
{
  double x = fmax((r - inner) * per_span, 0.0);
  return x * x * (1.5 - 0.5 * x);
}

CAP_INLINE double slope_of(double r, double inner, double per_span)
{
  double x = fmax((r - inner) * per_span, 0.0);
  return (3.0 * x - 1.5 * x * x) * per_span;
}

static double span_of(const cap_influence *c)
{
  return c->outer > c->inner ? 1.0 / (c->outer - c->inner) : 0.0;
}

static int corner_of(const cap_influence_table *t, double r, double *share)
{
  int low = 0, high = t->nr - 1;
  *share = 0.0;
  if (t->nr == 1 || r <= t->r[0]) return 0;
  if (r >= t->r[high]) {
    *share = 1.0;
    return high - 1;
  }
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (t->r[middle] <= r) low = middle;
    else high = middle;
  }
  *share = (r - t->r[low]) / (t->r[low + 1] - t->r[low]);
  return low;
}

static double along_angle(const cap_influence_table *t, int i, int j, int k, double share)
{
  const double *v = t->value + ((size_t)i * (size_t)t->nr + (size_t)j) * (size_t)t->nangle + k;
  return k + 1 < t->nangle ? v[0] + share * (v[1] - v[0]) : v[0];
}

/* Between 0 and pi. */
static double angle_between(double x)
{
  double size = fabs(x);
  if (size > 2.0 * M_PI) size = fmod(size, 2.0 * M_PI);
  return size > M_PI ? 2.0 * M_PI - size : size;
}

/* The value, and its derivative with r. */
static double table_at(const cap_influence_table *t, double r, double r0, double between, double *slope)
{
  double si, sj, turn = angle_between(between), place = turn / M_PI * (t->nangle - 1);
  int i = corner_of(t, r, &si), j = corner_of(t, r0, &sj), k = capm_whole_between(place, 0, t->nangle - 1);
  int i1 = i + 1 < t->nr ? i + 1 : i, j1 = j + 1 < t->nr ? j + 1 : j;
  if (k > t->nangle - 2) k = t->nangle - 2;
  double sk = place - k;
  double near = (1.0 - sj) * along_angle(t, i, j, k, sk) + sj * along_angle(t, i, j1, k, sk);
  double far = (1.0 - sj) * along_angle(t, i1, j, k, sk) + sj * along_angle(t, i1, j1, k, sk);
  bool within = r >= t->r[0] && r < t->r[t->nr - 1];
  *slope = within && i1 > i ? (far - near) / (t->r[i1] - t->r[i]) : 0.0;
  return (1.0 - si) * near + si * far;
}

/* sum_m c_m cos m x with turn = cos x, by cos (m + 1) x = 2 cos x cos m x - cos (m - 1) x. */
static double harmonics(const cap_influence *c, double turn)
{
  double before = turn, now = 1.0, sum = 0.0;
  for (int m = 0; m < CAP_INFLUENCE_HARMONICS; m++) {
    sum += c->plate[m] * now;
    double next = 2.0 * turn * now - before;
    before = now, now = next;
  }
  return sum;
}

double cap_influence_at(const cap_influence *c, double r, double phi, double r0, double phi0)
{
  double slope;
  if (c->table) return table_at(c->table, r, r0, phi - phi0, &slope);
  double per = span_of(c), shapes = shape_of(r, c->inner, per) * shape_of(r0, c->inner, per);
  double turn = cos(phi - phi0);
  return c->tilt * r * r0 * turn + shapes * harmonics(c, turn);
}

double cap_influence_slope(const cap_influence *c, double r, double phi, double r0, double phi0)
{
  double slope;
  if (c->table) {
    table_at(c->table, r, r0, phi - phi0, &slope);
    return slope;
  }
  double per = span_of(c), shapes = slope_of(r, c->inner, per) * shape_of(r0, c->inner, per);
  double turn = cos(phi - phi0);
  return c->tilt * r0 * turn + shapes * harmonics(c, turn);
}

/* The table's derivative with the angle, of which it is an even function. */
static double table_turn(const cap_influence_table *t, double r, double r0, double between)
{
  double si, sj, turn = angle_between(between), place = turn / M_PI * (t->nangle - 1);
  int i = corner_of(t, r, &si), j = corner_of(t, r0, &sj), k = capm_whole_between(place, 0, t->nangle - 1);
  int i1 = i + 1 < t->nr ? i + 1 : i, j1 = j + 1 < t->nr ? j + 1 : j;
  if (k > t->nangle - 2) k = t->nangle - 2;
  double near = (1.0 - sj) * (along_angle(t, i, j, k, 1.0) - along_angle(t, i, j, k, 0.0)) +
                sj * (along_angle(t, i, j1, k, 1.0) - along_angle(t, i, j1, k, 0.0));
  double far = (1.0 - sj) * (along_angle(t, i1, j, k, 1.0) - along_angle(t, i1, j, k, 0.0)) +
               sj * (along_angle(t, i1, j1, k, 1.0) - along_angle(t, i1, j1, k, 0.0));
  double slope = ((1.0 - si) * near + si * far) * (t->nangle - 1) / M_PI;
  return sin(between) < 0.0 ? -slope : sin(between) > 0.0 ? slope : 0.0;
}

double cap_influence_turn(const cap_influence *c, double r, double phi, double r0, double phi0)
{
  double x = phi - phi0, sum = 0.0;
  if (c->table) return table_turn(c->table, r, r0, x);
  for (int m = 1; m < CAP_INFLUENCE_HARMONICS; m++) sum += m * c->plate[m] * sin(m * x);
  double per = span_of(c), shapes = shape_of(r, c->inner, per) * shape_of(r0, c->inner, per);
  return -c->tilt * r * r0 * sin(x) - shapes * sum;
}

static double tilt_of(const cap_influence *a, const cap_influence *b)
{
  return a->tilt + (b ? b->tilt : 0.0);
}
static double plate_of(const cap_influence *a, const cap_influence *b, int m)
{
  return a->plate[m] + (b ? b->plate[m] : 0.0);
}

int cap_influence_count(const cap_influence *a, const cap_influence *b)
{
  if (a->table || (b && b->table)) return 0;
  int n = tilt_of(a, b) > 0.0 ? 2 : 0;
  for (int m = 0; m < CAP_INFLUENCE_HARMONICS; m++) n += plate_of(a, b, m) > 0.0 ? 1 + (m > 0) : 0;
  return n;
}

typedef struct shape {
  double inner, per, tilt;
  double plate[CAP_INFLUENCE_HARMONICS]; /* roots of the coefficients, as tilt */
  int last;                              /* highest harmonic that there is, or -1 */
} shape;

static shape shape_for(const cap_influence *a, const cap_influence *b)
{
  shape s = {.inner = a->inner, .per = span_of(a), .tilt = sqrt(tilt_of(a, b)), .last = -1};
  for (int m = 0; m < CAP_INFLUENCE_HARMONICS; m++) {
    s.plate[m] = sqrt(plate_of(a, b, m));
    if (s.plate[m] > 0.0) s.last = m;
  }
  return s;
}

CAP_INLINE void fill_tilt(int n, double root, const double *restrict r, const double *restrict c,
                          const double *restrict s, double *restrict even, double *restrict odd)
{
  for (int i = 0; i < n; i++) {
    even[i] = root * r[i] * c[i];
    odd[i] = root * r[i] * s[i];
  }
}

enum { BLOCK = 64 };

/* A block of contacts: the powers of exp(i phi) are carried on from harmonic to harmonic. */
CAP_INLINE double *fill_plate(const shape *h, int n, const double *restrict r, const double *restrict c,
                              const double *restrict s, int stride, double *psi)
{
  double even[BLOCK], odd[BLOCK];
  for (int i = 0; i < n; i++) {
    even[i] = shape_of(r[i], h->inner, h->per);
    odd[i] = 0.0;
  }
  for (int m = 0; m <= h->last; m++) {
    if (h->plate[m] > 0.0) {
      double root = h->plate[m], *restrict to = psi, *restrict other = psi + stride;
      for (int i = 0; i < n; i++) to[i] = root * even[i];
      if (m > 0)
        for (int i = 0; i < n; i++) other[i] = root * odd[i];
      psi += (m > 0 ? 2 : 1) * stride;
    }
    for (int i = 0; i < n; i++) {
      double turned = even[i] * c[i] - odd[i] * s[i];
      odd[i] = even[i] * s[i] + odd[i] * c[i];
      even[i] = turned;
    }
  }
  return psi;
}

CAP_CLONES static void functions(const shape *h, int n, const double *r, const double *c, const double *s,
                                 int stride, double *psi)
{
  int plate = h->tilt > 0.0 ? 2 : 0;
  for (int i = 0; i < n; i += BLOCK) {
    int part = n - i < BLOCK ? n - i : BLOCK;
    if (plate) fill_tilt(part, h->tilt, r + i, c + i, s + i, psi + i, psi + stride + i);
    if (h->last >= 0) fill_plate(h, part, r + i, c + i, s + i, stride, psi + plate * stride + i);
  }
}

void cap_influence_functions(const cap_influence *a, const cap_influence *b, int n, const double *r,
                             const double *cosine, const double *sine, int stride, double *psi)
{
  shape h = shape_for(a, b);
  functions(&h, n, r, cosine, sine, stride, psi);
}

void cap_influence_slopes(const cap_influence *c, int n, const double *r, const double *cosine,
                          const double *sine, int stride, double *slopes)
{
  shape h = shape_for(c, NULL);
  for (int i = 0; i < n; i++) {
    double *to = slopes + i, even = slope_of(r[i], h.inner, h.per), odd = 0.0;
    if (h.tilt > 0.0) {
      to[0] = h.tilt * cosine[i];
      to[stride] = h.tilt * sine[i];
      to += 2 * stride;
    }
    for (int m = 0; m <= h.last; m++) {
      if (h.plate[m] > 0.0) {
        to[0] = h.plate[m] * even;
        if (m > 0) to[stride] = h.plate[m] * odd;
        to += (m > 0 ? 2 : 1) * stride;
      }
      double turned = even * cosine[i] - odd * sine[i];
      odd = even * sine[i] + odd * cosine[i];
      even = turned;
    }
  }
}

/* Where a contact stands in a table: below which radius, how far towards the next. */
typedef struct foot {
  int low, high;
  double share;
} foot;

static foot foot_of(const cap_influence_table *t, double r)
{
  foot f;
  f.low = corner_of(t, r, &f.share);
  f.high = f.low + 1 < t->nr ? f.low + 1 : f.low;
  return f;
}

/* table_at for feet that are known. */
CAP_INLINE double table_between(const cap_influence_table *t, foot a, foot b, double between)
{
  double place = angle_between(between) * ((t->nangle - 1) / M_PI);
  int k = capm_whole_between(place, 0, t->nangle - 2);
  double part = place - k, at[4];
  const double *corner[4] = {
      t->value + ((size_t)a.low * (size_t)t->nr + (size_t)b.low) * (size_t)t->nangle + k,
      t->value + ((size_t)a.low * (size_t)t->nr + (size_t)b.high) * (size_t)t->nangle + k,
      t->value + ((size_t)a.high * (size_t)t->nr + (size_t)b.low) * (size_t)t->nangle + k,
      t->value + ((size_t)a.high * (size_t)t->nr + (size_t)b.high) * (size_t)t->nangle + k};
  for (int c = 0; c < 4; c++) at[c] = corner[c][0] + part * (corner[c][1] - corner[c][0]);
  double near = at[0] + b.share * (at[1] - at[0]), far = at[2] + b.share * (at[3] - at[2]);
  return near + a.share * (far - near);
}

static void add_both(int n, int i, int j, double value, double *C)
{
  C[(size_t)i * (size_t)n + (size_t)j] += value;
  if (j < i) C[(size_t)j * (size_t)n + (size_t)i] += value;
}

static void add_table(const cap_influence_table *t, int n, const double *r, const double *phi, double *C)
{
  foot feet[BLOCK];
  for (int from = 0; from < n; from += BLOCK) {
    int to = from + BLOCK < n ? from + BLOCK : n;
    for (int j = from; j < to; j++) feet[j - from] = foot_of(t, r[j]);
    for (int i = from; i < n; i++) {
      foot own = foot_of(t, r[i]);
      for (int j = from; j < to && j <= i; j++)
        add_both(n, i, j, table_between(t, own, feet[j - from], phi[i] - phi[j]), C);
    }
  }
}

void cap_influence_add(const cap_influence *c, int n, const double *r, const double *phi, double *C)
{
  if (c->table) {
    add_table(c->table, n, r, phi, C);
    return;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) add_both(n, i, j, cap_influence_at(c, r[i], phi[i], r[j], phi[j]), C);
}
