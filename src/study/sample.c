/* study/sample.c — see sample.h. */
#include "study/sample.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void cap_sample_free(cap_sample *sample)
{
  if (!sample) return;
  free(sample->x);
  free(sample->y);
  free(sample->left_out);
  free(sample->scatter);
  free(sample->drawn);
  free(sample->varied);
  *sample = (cap_sample){0};
}

/* Means over the fine replicates of all points, for one response. */
static void average(cap_sample *s, const cap_study_table *t, int response)
{
  double squares = 0.0;
  int64_t freedom = 0;
  for (int p = 0; p < s->npoint; p++) {
    double sum = 0.0, within = 0.0;
    int n = 0;
    for (int pass = 0; pass < 2; pass++) {
      double mean = n > 0 ? sum / n : 0.0;
      for (int r = 0; r < s->replicates; r++) {
        int64_t k = (int64_t)p * s->replicates + r;
        double y = t->responses[k * t->nresponse + response];
        if (t->states[k] != CAP_STUDY_FINE || !isfinite(y)) continue;
        if (pass == 0) sum += y, n++;
        else within += (y - mean) * (y - mean);
      }
    }
    s->y[(int64_t)response * s->npoint + p] = n > 0 ? sum / n : NAN;
    s->left_out[response] += s->replicates - n;
    if (n > 1) squares += within, freedom += n - 1;
  }
  s->scatter[response] = freedom > 0 ? sqrt(squares / (double)freedom) : NAN;
}

/* Whether the points are blocks A, B, AB1, AB2, ... */
static int find_blocks(const cap_sample *s, const cap_study *study)
{
  int own[64], nown = 0; /* what is drawn */
  for (int f = 0; f < s->nfactor; f++)
    if (study->factors[f].law != CAP_STUDY_FORMULA && nown < 64) own[nown++] = f;
  int block = nown + 2;
  if (nown == 0 || s->npoint % block != 0) return 0;
  for (int p = 0; p < s->npoint; p += block)
    for (int m = 0; m < nown; m++)
      for (int f = 0; f < nown; f++) {
        const double *x = s->x + (int64_t)own[f] * s->npoint + p;
        if (x[2 + m] != (f == m ? x[1] : x[0])) return 0;
      }
  return block;
}

cap_status cap_sample_init(cap_sample *s, const cap_study *study, const cap_study_table *t, cap_error *error)
{
  const int replicates = study->replicates > 1 ? study->replicates : 1;
  const int64_t npoint = t->ncase / replicates;
  assert(t->nfactor == study->nfactor && t->nresponse == study->nresponse && npoint < INT32_MAX);
  const size_t n = (size_t)npoint, nf = (size_t)t->nfactor, nr = (size_t)t->nresponse;
  *s = (cap_sample){.npoint = (int)npoint,
                    .nfactor = t->nfactor,
                    .nresponse = t->nresponse,
                    .replicates = replicates,
                    .x = malloc((n * nf + 1) * sizeof *s->x),
                    .y = malloc((n * nr + 1) * sizeof *s->y),
                    .left_out = calloc(nr + 1, sizeof *s->left_out),
                    .scatter = malloc((nr + 1) * sizeof *s->scatter),
                    .drawn = malloc(n + 1),
                    .varied = calloc(nf + 1, 1)};
  if (!s->x || !s->y || !s->left_out || !s->scatter || !s->drawn || !s->varied) {
    cap_sample_free(s);
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for the analysis of %lld cases",
                           (long long)t->ncase);
  }
  for (int p = 0; p < s->npoint; p++)
    for (int f = 0; f < s->nfactor; f++)
      s->x[(int64_t)f * npoint + p] = t->factors[(int64_t)p * replicates * t->nfactor + f];
  for (int f = 0; f < s->nfactor; f++)
    for (int p = 1; p < s->npoint && study->factors[f].law != CAP_STUDY_FORMULA && !s->varied[f]; p++)
      s->varied[f] = s->x[(int64_t)f * npoint + p] != s->x[(int64_t)f * npoint];
  for (int r = 0; r < s->nresponse; r++) average(s, t, r);
  s->block = study->design == CAP_STUDY_SALTELLI ? find_blocks(s, study) : 0;
  for (int p = 0; p < s->npoint; p++) s->drawn[p] = s->block == 0 || p % s->block < 2;
  return CAP_OK;
}

bool cap_sample_logarithmic(const cap_sample *s, const cap_study *study, int factor)
{
  if (!study->factors[factor].logarithmic || study->factors[factor].nlevel > 0) return false;
  const double *x = s->x + (int64_t)factor * s->npoint;
  for (int p = 0; p < s->npoint; p++)
    if (!(x[p] > 0.0)) return false;
  return true;
}

typedef struct place {
  double x;
  int at;
} place;

static int by_value(const void *a, const void *b)
{
  const place *p = a, *q = b;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  return (p->at > q->at) - (p->at < q->at);
}

bool cap_sample_sort(int n, const double *x, int *order)
{
  place *places = malloc(sizeof *places * ((size_t)n + 1));
  if (!places) return false;
  for (int i = 0; i < n; i++) places[i] = (place){x[i], i};
  qsort(places, (size_t)n, sizeof *places, by_value);
  for (int i = 0; i < n; i++) order[i] = places[i].at;
  free(places);
  return true;
}

int cap_sample_distinct(int n, const double *x, const int *order)
{
  int count = n > 0;
  for (int i = 1; i < n; i++) count += x[order[i]] != x[order[i - 1]];
  return count;
}

int cap_sample_classes(int n, const double *x, const int *order, int most, int *starts)
{
  int count = 0;
  const bool each = cap_sample_distinct(n, x, order) <= most;
  for (int i = 0; i < n; i++) {
    if (i > 0 && x[order[i]] == x[order[i - 1]]) continue;
    /* shares of equal count: a new class where the share is another than where the last one began */
    if (i == 0 || each || (int64_t)i * most / n > (int64_t)starts[count - 1] * most / n) starts[count++] = i;
  }
  starts[count] = n;
  return count;
}

bool cap_sample_constant(int n, const double *y)
{
  double largest = 0.0, low = INFINITY, high = -INFINITY;
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, fabs(y[i]));
    low = fmin(low, y[i]);
    high = fmax(high, y[i]);
  }
  return !(high - low > 1e-12 * largest);
}
