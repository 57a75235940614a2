/* study/sensitivity_classes.c — see sensitivity_classes.h. */
#include "study/sensitivity_classes.h"

#include "base/clones.h"
#include "study/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = CAP_SENSITIVITY_CLASSES, DEGREES = CAP_SENSITIVITY_DEGREES, LEAST = 10, RESPONSES = 64 };
/* Tables of two factors' classes are counted over all points: no more than this in all. */
static const double counts_most = 1e9;

void cap_sensitivity_classes_free(cap_sensitivity_classes *c)
{
  for (int f = 0; c->factors && f < c->s->nfactor; f++) {
    cap_sensitivity_class *one = c->factors + f;
    free(one->order), free(one->y), free(one->means), free(one->degrees), free(one->rough);
  }
  free(c->factors), free(c->parts), free(c->row), free(c->constant), free(c->left), free(c->inner);
  *c = (cap_sensitivity_classes){0};
}

static double share(const cap_sensitivity_class *c, int b, double n)
{
  return (c->starts[b + 1] - c->starts[b]) / n;
}

/* Mean and variance of the factor in each class. */
static void measure(cap_sensitivity_class *c, const double *x)
{
  for (int b = 0; b < c->nclass; b++) {
    const int count = c->starts[b + 1] - c->starts[b];
    const double first = x[c->order[c->starts[b]]];
    double sum = 0.0, squares = 0.0;
    for (int i = c->starts[b]; i < c->starts[b + 1]; i++) sum += (x[c->order[i]] - first) / count;
    for (int i = c->starts[b]; i < c->starts[b + 1]; i++)
      squares += (x[c->order[i]] - first - sum) * (x[c->order[i]] - first - sum) / count;
    c->at[b] = first + sum;
    c->spread[b] = squares;
  }
}

/* Polynomials of the means of the classes: powers step by step, made orthonormal by Gram and Schmidt,
 * twice. */
static bool make_degrees(cap_sensitivity_class *c, int n)
{
  const int m = c->nclass;
  const double middle = 0.5 * (c->at[0] + c->at[m - 1]), half = 0.5 * (c->at[m - 1] - c->at[0]);
  double *p = c->degrees = malloc(sizeof *p * (size_t)m * (size_t)(c->ndegree + 1));
  if (!p) return false;
  for (int l = 0; l <= c->ndegree; l++) {
    double *to = p + l * m, squares = 0.0;
    for (int b = 0; b < m; b++) to[b] = l == 0 ? 1.0 : to[b - m] * ((c->at[b] - middle) / half);
    for (int k = 0; k < 2 * l; k++) {
      const double *other = p + k % l * m;
      double part = 0.0;
      for (int b = 0; b < m; b++) part += share(c, b, n) * to[b] * other[b];
      for (int b = 0; b < m; b++) to[b] -= part * other[b];
    }
    for (int b = 0; b < m; b++) squares += share(c, b, n) * to[b] * to[b];
    for (int b = 0; b < m; b++) to[b] /= sqrt(squares);
  }
  memmove(p, p + m, sizeof *p * (size_t)m * (size_t)c->ndegree); /* without the constant */
  return true;
}

static int between(int value, int low, int high)
{
  return value < low ? low : value > high ? high : value;
}

static bool sort_factor(cap_sensitivity_classes *all, int f)
{
  const cap_sensitivity_given_sample *s = all->s;
  const double *x = s->x + (int64_t)f * s->n;
  cap_sensitivity_class *c = all->factors + f;
  if (s->kinds[f] == CAP_SENSITIVITY_GIVEN_NONE) return true;
  const bool level = s->kinds[f] == CAP_SENSITIVITY_GIVEN_LEVEL;
  c->order = malloc(sizeof *c->order * ((size_t)s->n + 1));
  c->y = malloc(sizeof *c->y * ((size_t)s->n * (size_t)s->nresponse + 1));
  c->means = calloc(CLASSES * (size_t)s->nresponse + 1, sizeof *c->means);
  c->rough = calloc((size_t)s->nresponse + 1, sizeof *c->rough);
  if (!c->order || !c->y || !c->means || !c->rough || !cap_sample_sort(s->n, x, c->order)) return false;
  const int most = level ? CLASSES : between(s->n / 8, 3, CLASSES); /* (56.3) */
  const int distinct = cap_sample_distinct(s->n, x, c->order);
  c->nclass = cap_sample_classes(s->n, x, c->order, most, c->starts);
  measure(c, x);
  c->every = level || distinct <= DEGREES + 1 || c->nclass < 3;
  c->ndegree = c->every ? between(c->nclass - 1, 0, DEGREES)
                        : between(between(s->n / 12, 1, DEGREES), 1, c->nclass - 2);
  return c->nclass < 2 || make_degrees(c, s->n);
}

/* ---- what the factors do by themselves, together ------------------------------------------------------- */

/* How many polynomials of each factor: no more in all than a quarter of the points. */
static void choose_fit(cap_sensitivity_classes *all)
{
  const cap_sensitivity_given_sample *s = all->s;
  int nactive = 0;
  bool partly = false;
  for (int f = 0; f < s->nfactor; f++) nactive += all->factors[f].nclass > 1;
  if (s->spread < CAP_SENSITIVITY_GIVEN_DRAWN || nactive < 2 || 0.5 * nactive * nactive * s->n > counts_most)
    return;
  for (int f = 0; f < s->nfactor; f++) {
    cap_sensitivity_class *c = all->factors + f;
    const int room = s->n / (4 * nactive);
    const bool whole = c->every && c->nclass - 1 > (room < DEGREES ? room : DEGREES); /* not in part */
    c->nfit = c->nclass < 2 || whole ? 0 : c->ndegree < room ? c->ndegree : room;
    all->nfit += c->nfit;
    partly = partly || (c->nclass > 1 && c->nfit < (c->every ? c->nclass - 1 : c->ndegree));
  }
  all->summed = s->spread >= CAP_SENSITIVITY_GIVEN_AXES && !partly;
}

/* Class of every point for one factor. */
static void members_of(const cap_sensitivity_class *c, unsigned char *members)
{
  for (int b = 0; b < c->nclass; b++)
    for (int i = c->starts[b]; i < c->starts[b + 1]; i++) members[c->order[i]] = (unsigned char)b;
}

/* Products of the polynomials of two factors, from how often their classes meet. */
static void cross(const cap_sensitivity_class *a, const cap_sensitivity_class *b, int n,
                  const unsigned char *in_a, const unsigned char *in_b, int stride, double *to)
{
  int table[CLASSES][CLASSES] = {{0}};
  for (int i = 0; i < n; i++) table[in_a[i]][in_b[i]]++;
  for (int k = 0; k < a->nfit; k++) {
    double row[CLASSES] = {0};
    for (int u = 0; u < a->nclass; u++)
      for (int v = 0; v < b->nclass; v++) row[v] += a->degrees[k * a->nclass + u] * table[u][v] / n;
    for (int l = 0; l < b->nfit; l++) {
      double sum = 0.0;
      for (int v = 0; v < b->nclass; v++) sum += row[v] * b->degrees[l * b->nclass + v];
      to[k * stride + l] = sum;
    }
  }
}

/* Solve g x = c in place by Cholesky's factors, for nr right sides;
 * what the rows before make up has x = 0. */
static void solve(int p, double *g, int nr, double *c)
{
  for (int i = 0; i < p; i++)
    for (int k = 0; k <= i; k++) {
      double sum = g[k * p + i]; /* the upper half is given */
      for (int l = 0; l < k; l++) sum -= g[i * p + l] * g[k * p + l];
      if (k < i) g[i * p + k] = g[k * p + k] > 0.0 ? sum / g[k * p + k] : 0.0;
      else g[i * p + i] = sum > 1e-6 ? sqrt(sum) : 0.0;
    }
  for (int r = 0; r < nr; r++) {
    double *x = c + (int64_t)r * p;
    for (int i = 0; i < p; i++) {
      for (int l = 0; l < i; l++) x[i] -= g[i * p + l] * x[l];
      x[i] = g[i * p + i] > 0.0 ? x[i] / g[i * p + i] : 0.0;
    }
    for (int i = p - 1; i >= 0; i--) {
      for (int l = i + 1; l < p; l++) x[i] -= g[l * p + i] * x[l];
      x[i] = g[i * p + i] > 0.0 ? x[i] / g[i * p + i] : 0.0;
    }
  }
}

/* Coefficients [nresponse][nfit] of all polynomials together, in `c`. */
static bool fit_all(const cap_sensitivity_classes *all, const unsigned char *members, double *c)
{
  const cap_sensitivity_given_sample *s = all->s;
  const int p = all->nfit, n = s->n;
  double *g = calloc((size_t)p * (size_t)p + 1, sizeof *g);
  if (!g) return false;
  for (int f = 0, at = 0; f < s->nfactor; at += all->factors[f++].nfit) {
    const cap_sensitivity_class *a = all->factors + f;
    for (int k = 0; k < a->nfit; k++) g[(at + k) * p + at + k] = 1.0;
    for (int h = f + 1, to = at + a->nfit; h < s->nfactor && a->nfit; to += all->factors[h++].nfit)
      if (all->factors[h].nfit)
        cross(a, all->factors + h, n, members + (int64_t)f * n, members + (int64_t)h * n, p, g + at * p + to);
    for (int r = 0; r < s->nresponse; r++) {
      double sums[CLASSES] = {0};
      for (int i = 0; i < n && a->nfit; i++)
        sums[members[(int64_t)f * n + i]] += all->z[(int64_t)r * n + i] / n;
      for (int k = 0; k < a->nfit; k++) {
        double sum = 0.0;
        for (int b = 0; b < a->nclass; b++) sum += a->degrees[k * a->nclass + b] * sums[b];
        c[(int64_t)r * p + at + k] = sum;
      }
    }
  }
  solve(p, g, s->nresponse, c);
  free(g);
  return true;
}

/* What factor f does by itself: its value in each class, and its slope there. */
static void own_function(const cap_sensitivity_class *a, const double *c, double *own, double *slope)
{
  const int m = a->nclass;
  for (int b = 0; b < m; b++) {
    own[b] = 0.0;
    for (int k = 0; k < a->nfit; k++) own[b] += c[k] * a->degrees[k * m + b];
  }
  for (int b = 0; b < m; b++) {
    const int low = b > 0 ? b - 1 : 0, high = b < m - 1 ? b + 1 : m - 1;
    slope[b] = high > low ? (own[high] - own[low]) / (a->at[high] - a->at[low]) : 0.0;
  }
}

/* Responses of one kind without what all factors do by themselves, and that of each factor added again, class
 * by class; what it does inside them is told apart (56.6). */
static void set_apart(cap_sensitivity_classes *all, const unsigned char *members, int r, const double *c)
{
  const cap_sensitivity_given_sample *s = all->s;
  const int n = s->n, nr = s->nresponse;
  double own[CLASSES], slope[CLASSES], *left = all->left + (int64_t)r * n;
  memcpy(left, all->z + (int64_t)r * n, sizeof *left * (size_t)n);
  for (int pass = 0; pass < 2; pass++)
    for (int f = 0, at = 0; f < s->nfactor; at += all->factors[f++].nfit) {
      const cap_sensitivity_class *a = all->factors + f;
      const double *x = s->x + (int64_t)f * n;
      const unsigned char *in = members + (int64_t)f * n;
      double inner = 0.0;
      own_function(a, c + at, own, slope);
      for (int i = 0; i < n && pass == 0 && a->nfit; i++)
        left[i] -= own[in[i]] + slope[in[i]] * (x[i] - a->at[in[i]]);
      for (int b = 0; b < a->nclass && pass == 1; b++) {
        inner += share(a, b, n) * slope[b] * slope[b] * a->spread[b];
        for (int i = a->starts[b]; i < a->starts[b + 1]; i++)
          a->y[(int64_t)i * nr + r] = left[a->order[i]] + own[b];
      }
      if (pass == 1) all->inner[r * s->nfactor + f] = inner;
    }
}

static bool take_apart(cap_sensitivity_classes *all)
{
  const cap_sensitivity_given_sample *s = all->s;
  unsigned char *members = malloc((size_t)s->nfactor * (size_t)s->n + 1);
  double *c = calloc((size_t)s->nresponse * (size_t)all->nfit + 1, sizeof *c);
  all->left = malloc(sizeof *all->left * ((size_t)s->nresponse * (size_t)s->n + 1));
  all->inner = calloc((size_t)s->nresponse * (size_t)s->nfactor + 1, sizeof *all->inner);
  bool fine = members && c && all->left && all->inner;
  for (int f = 0; fine && f < s->nfactor; f++) members_of(all->factors + f, members + (int64_t)f * s->n);
  fine = fine && fit_all(all, members, c);
  for (int r = 0; fine && r < s->nresponse; r++) set_apart(all, members, r, c + (int64_t)r * all->nfit);
  free(members), free(c);
  return fine;
}

bool cap_sensitivity_classes_init(cap_sensitivity_classes *c, const cap_sensitivity_given_sample *s,
                                  const double *z, const bool *constant)
{
  const size_t nf = (size_t)s->nfactor, nr = (size_t)s->nresponse;
  *c = (cap_sensitivity_classes){.s = s, .z = z};
  c->factors = calloc(nf + 1, sizeof *c->factors);
  c->parts = malloc(sizeof *c->parts * (nr * nf + 1));
  c->row = malloc(sizeof *c->row * (nf + 1));
  c->constant = malloc(sizeof *c->constant * (nr + 1));
  if (!c->factors || !c->parts || !c->row || !c->constant) return false;
  memcpy(c->constant, constant, sizeof *constant * nr);
  for (int f = 0; f < s->nfactor; f++)
    if (!sort_factor(c, f)) return false;
  choose_fit(c);
  return take_apart(c);
}

/* ---- the indices --------------------------------------------------------------------------------------- */

/* Means of the classes of one factor with weights (a class that was not drawn keeps its own), and the
 * variance of all. */
CAP_CLONES static void class_means(const cap_sensitivity_classes *all, cap_sensitivity_class *c,
                                   const double *weights, bool whole, double *means, double *variance)
{
  const int nr = all->s->nresponse, n = all->s->n;
  double total[RESPONSES] = {0}, squares[RESPONSES] = {0};
  for (int k = 0; k < c->nclass; k++) {
    double sum[RESPONSES] = {0}, weight = 0.0;
    for (int i = c->starts[k]; i < c->starts[k + 1]; i++) {
      const double *y = c->y + (int64_t)i * nr, w = weights[c->order[i]];
      weight += w;
      for (int r = 0; r < nr; r++) {
        sum[r] += w * y[r];
        squares[r] += w * y[r] * y[r];
      }
    }
    for (int r = 0; r < nr; r++) {
      total[r] += sum[r];
      means[k * nr + r] = weight > 0.0 ? sum[r] / weight : c->means[k * nr + r];
    }
  }
  if (whole) memcpy(c->means, means, sizeof *means * (size_t)(c->nclass * nr));
  for (int r = 0; r < nr; r++) variance[r] = squares[r] / n - total[r] / n * (total[r] / n);
}

/* (56.4) for one factor. */
static void by_class(cap_sensitivity_classes *all, int f, const double *weights, bool whole)
{
  cap_sensitivity_class *c = all->factors + f;
  const int nr = all->s->nresponse, nf = all->s->nfactor, m = c->nclass;
  const double n = all->s->n;
  double means[CLASSES * RESPONSES], variance[RESPONSES];
  class_means(all, c, weights, whole, means, variance);
  for (int r = 0; r < nr; r++) {
    double middle = 0.0, squares = 0.0, signal = 0.0;
    for (int b = 0; b < m; b++) middle += share(c, b, n) * means[b * nr + r];
    for (int b = 0; b < m; b++) squares += share(c, b, n) * pow(means[b * nr + r] - middle, 2);
    for (int l = 0; l < c->ndegree; l++) {
      double part = 0.0;
      for (int b = 0; b < m; b++) part += share(c, b, n) * means[b * nr + r] * c->degrees[l * m + b];
      signal += part * part;
    }
    const double freedom = fmax(n - m - (all->nfit - c->nfit), 1.0);
    const double drawn = fmax(variance[r] - squares, 0.0) / freedom;
    const double rest = c->every ? NAN : fmax(squares - signal, 0.0) / (m - 1 - c->ndegree);
    if (whole) c->rough[r] = rest > 10.0 * drawn;
    const bool every = c->every || c->rough[r];
    all->parts[r * nf + f] = (cap_sensitivity_parts){.signal = every ? squares : signal,
                                                     .count = every ? m - 1 : c->ndegree,
                                                     .rest = every ? NAN : rest,
                                                     .drawn = drawn};
  }
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(int n, double *values)
{
  if (n == 0) return INFINITY;
  qsort(values, (size_t)n, sizeof *values, ascending);
  return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

static bool is_known(const cap_sensitivity_classes *all, int f)
{
  const int n = all->s->n, m = all->factors[f].nclass;
  return m > 1 && n > m && n >= LEAST;
}

static double variance_of(int n, const double *y, const double *weights)
{
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < n; i++) sum += weights[i] * y[i], squares += weights[i] * y[i] * y[i];
  return squares / n - sum / n * (sum / n);
}

void cap_sensitivity_classes_estimate(cap_sensitivity_classes *all, const double *weights, bool whole,
                                      double *to)
{
  const int nr = all->s->nresponse, nf = all->s->nfactor, n = all->s->n;
  for (int f = 0; f < nf; f++)
    if (is_known(all, f)) by_class(all, f, weights, whole);
  for (int r = 0; r < nr; r++) {
    int count = 0;
    for (int f = 0; f < nf && all->s->spread == CAP_SENSITIVITY_GIVEN_NET; f++)
      if (is_known(all, f) && isfinite(all->parts[r * nf + f].rest))
        all->row[count++] = all->parts[r * nf + f].rest;
    const double noise = median(count, all->row);
    double sum = variance_of(n, all->left + (int64_t)r * n, weights) * n / fmax(n - 1.0 - all->nfit, 1.0);
    bool summed = all->summed;
    for (int f = 0; f < nf; f++) { /* (56.5) */
      const cap_sensitivity_parts *p = all->parts + r * nf + f;
      const bool known = is_known(all, f) && !all->constant[r];
      to[r * nf + f] = known ? p->signal - p->count * fmin(noise, p->drawn) + all->inner[r * nf + f] : NAN;
      if (known) sum += to[r * nf + f];
      if (known) summed = summed && !all->factors[f].rough[r];
    }
    const double variance = summed ? sum : variance_of(n, all->z + (int64_t)r * n, weights);
    for (int f = 0; f < nf; f++) to[r * nf + f] /= variance;
  }
}
