/* study/distribution.c — see distribution.h. */
#include "study/distribution.h"

#include <assert.h>
#include <math.h>

double capm_distribution_normal(double x)
{
  return 0.5 * erfc(-x * M_SQRT1_2);
}

/* A start within 5e-4 for 0 < p <= 1/2 (Abramowitz and Stegun 26.2.23), made exact by Halley's steps on
 * log P, which is nearly a parabola in the tail. */
static double lower_quantile(double p)
{
  const double t = sqrt(-2.0 * log(p));
  double x = (2.515517 + t * (0.802853 + t * 0.010328)) /
                 (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
             t;
  for (int k = 0; k < 3; k++) {
    const double at = capm_distribution_normal(x);
    const double slope = exp(-0.5 * x * x) * 0.3989422804014327 / at; /* of log P */
    const double newton = log(at / p) / slope;
    const double bend = -slope - x; /* second derivative over the first */
    x -= newton / (1.0 - 0.5 * newton * bend);
  }
  return x;
}

double capm_distribution_normal_quantile(double p)
{
  if (p <= 0.0) return -INFINITY;
  if (p >= 1.0) return INFINITY;
  return p <= 0.5 ? lower_quantile(p) : -lower_quantile(1.0 - p);
}

/* Of the standard normal law between a and b; both tails are small where it is subtracted. */
static double share(double a, double b)
{
  if (a > 0.0) return capm_distribution_normal(-a) - capm_distribution_normal(-b);
  if (b < 0.0) return capm_distribution_normal(b) - capm_distribution_normal(a);
  return 1.0 - capm_distribution_normal(a) - capm_distribution_normal(-b);
}

/* The share u of the standard normal law between a and b, from the tail that is nearer. */
static double cut_quantile(double u, double a, double b)
{
  if (a > 0.0) return -cut_quantile(1.0 - u, -b, -a);
  const double below = capm_distribution_normal(a), above = capm_distribution_normal(-b);
  const double within = share(a, b);
  const double p = below + u * within;
  double x = p <= 0.5 ? capm_distribution_normal_quantile(p)
                      : -capm_distribution_normal_quantile(above + (1.0 - u) * within);
  return fmin(fmax(x, a), b);
}

/* A normal law, of the quantity or of its logarithm, and its cuts in deviations from the centre. */
typedef struct bell {
  double centre, sigma, a, b;
} bell;

static bell bell_of(const cap_study_factor *f)
{
  if (f->law == CAP_STUDY_NORMAL)
    return (bell){f->mean, f->deviation, (f->low - f->mean) / f->deviation,
                  (f->high - f->mean) / f->deviation};
  const double ratio = f->deviation / f->mean, variance = log1p(ratio * ratio);
  bell law = {.centre = log(f->mean) - 0.5 * variance, .sigma = sqrt(variance)};
  law.a = f->low > 0.0 ? (log(f->low) - law.centre) / law.sigma : -INFINITY;
  law.b = (log(f->high) - law.centre) / law.sigma;
  return law;
}

static double bell_quantile(const cap_study_factor *f, double u)
{
  const bell law = bell_of(f);
  const double x = law.centre + law.sigma * cut_quantile(u, law.a, law.b);
  return fmin(fmax(f->law == CAP_STUDY_NORMAL ? x : exp(x), f->low), f->high);
}

double cap_distribution_share(const cap_study_factor *factor)
{
  const bell law = bell_of(factor);
  return share(law.a, law.b);
}

static double triangular(const cap_study_factor *f, double u)
{
  const double width = f->high - f->low, rising = (f->mean - f->low) / width;
  if (u < rising) return f->low + sqrt(u * width * (f->mean - f->low));
  return f->high - sqrt((1.0 - u) * width * (f->high - f->mean));
}

static double listed(const cap_study_factor *f, double u)
{
  int k = (int)(u * f->nvalue);
  return f->values[k < f->nvalue ? k : f->nvalue - 1];
}

double cap_distribution_quantile(const cap_study_factor *factor, double u)
{
  switch (factor->law) {
  case CAP_STUDY_LISTED:
    return listed(factor, u);
  case CAP_STUDY_UNIFORM:
    return factor->low + u * (factor->high - factor->low);
  case CAP_STUDY_LOG_UNIFORM:
    return fmin(fmax(factor->low * exp(u * log(factor->high / factor->low)), factor->low), factor->high);
  case CAP_STUDY_NORMAL:
  case CAP_STUDY_LOG_NORMAL:
    return bell_quantile(factor, u);
  case CAP_STUDY_TRIANGULAR:
    return triangular(factor, u);
  case CAP_STUDY_FORMULA:
    break;
  }
  assert(!"a formula has no law");
  return NAN;
}

double cap_distribution_median(const cap_study_factor *factor)
{
  return cap_distribution_quantile(factor, 0.5);
}

void cap_distribution_ends(const cap_study_factor *factor, double *low, double *high)
{
  bool tails = factor->law == CAP_STUDY_NORMAL || factor->law == CAP_STUDY_LOG_NORMAL;
  *low = tails ? cap_distribution_quantile(factor, 0.05) : factor->low;
  *high = tails ? cap_distribution_quantile(factor, 0.95) : factor->high;
}
