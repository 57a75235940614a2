/* study/distribution.c — see distribution.h. */
#include "study/distribution.h"

#include <assert.h>
#include <math.h>

double capm_distribution_normal(double x)
{
  return 0.5 * erfc(-x * M_SQRT1_2);
}

/* Acklam's rational functions, within 1.2e-9 of x, for 0 < p <= 1/2. */
static double rough_quantile(double p)
{
  static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                             1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                             6.680131188771972e+01, -1.328068155288572e+01};
  static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                             -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                             3.754408661907416e+00};
  if (p < 0.02425) {
    const double q = sqrt(-2.0 * log(p));
    return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
           ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1.0);
  }
  const double q = p - 0.5, r = q * q;
  return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
         (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1.0);
}

/* Made exact by one step of Halley's on log P, which is nearly a parabola in the tail. */
static double lower_quantile(double p)
{
  const double x = rough_quantile(p), at = capm_distribution_normal(x);
  const double slope = exp(-0.5 * x * x) * 0.3989422804014327 / at; /* of log P */
  const double newton = log(at / p) / slope;
  const double bend = -slope - x; /* second derivative over the first */
  return x - newton / (1.0 - 0.5 * newton * bend);
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
