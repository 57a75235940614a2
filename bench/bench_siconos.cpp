/* The same Masing case by Siconos and by Capstan, in one run: belt-tensioner-mass, f1 = 100 N, Omega = 60
 * rad/s, 20 s, implicit Euler, h = 0.1 ms. Siconos takes it as a linear complementarity system, x = (u1, v1,
 * u2, v2, w),  x' = A x + b(t) + B lambda,  y = C x + e,  0 <= y _|_ lambda >= 0, where y are the distances
 * of the friction spring's deflection w from its limits -+alpha/k and lambda the sliding velocities;
 * EulerMoreauOSI with theta = 1 makes an LCP of two unknowns each step, solved by Lemke. The matrices are
 * constant for it (FirstOrderLinearTIDS), which is its fastest form; the load is put into b at each step. */
#include "bench.h"
#include "siconos_case.h"

#include <SiconosKernel.hpp>
#include <cmath>
#include <cstdlib>

static const double step = 1e-4, until = 20.0, angular_frequency = 60.0, amplitude = 100.0;
static const double m1 = 73.84, m2 = 0.15, K = 560e3, C = 160.0, gravity = 9.81;
static const double k = 4.84e5, k0 = 2.34e5, alpha = 163.0, F0 = -573.0,
                    c0 = 1.93e4 * 9.4 / angular_frequency;

static SP::SimpleMatrix dynamics()
{
  SP::SimpleMatrix a(new SimpleMatrix(5, 5));
  a->zero();
  (*a)(0, 1) = 1.0;
  (*a)(1, 0) = -K / m1, (*a)(1, 1) = -C / m1, (*a)(1, 2) = K / m1, (*a)(1, 3) = C / m1;
  (*a)(2, 3) = 1.0;
  (*a)(3, 0) = K / m2, (*a)(3, 1) = C / m2;
  (*a)(3, 2) = -(K + k0) / m2, (*a)(3, 3) = -(C + c0) / m2, (*a)(3, 4) = -k / m2;
  (*a)(4, 3) = 1.0;
  return a;
}

static SP::FirstOrderLinearTIR relation()
{
  SP::SimpleMatrix c(new SimpleMatrix(2, 5)), b(new SimpleMatrix(5, 2));
  SP::SiconosVector e(new SiconosVector(2));
  c->zero();
  b->zero();
  (*c)(0, 4) = -1.0, (*c)(1, 4) = 1.0;
  (*b)(4, 0) = -1.0, (*b)(4, 1) = 1.0;
  (*e)(0) = (*e)(1) = alpha / k;
  SP::FirstOrderLinearTIR r(new FirstOrderLinearTIR(c, b));
  r->setePtr(e);
  return r;
}

static siconos_case run_siconos()
{
  siconos_case result = {0.0, 0, INFINITY, -INFINITY};
  SP::SiconosVector x0(new SiconosVector(5)), b(new SiconosVector(5));
  x0->zero();
  b->zero();
  SP::FirstOrderLinearTIDS system(new FirstOrderLinearTIDS(x0, dynamics(), b));
  SP::Interaction interaction(
      new Interaction(SP::NonSmoothLaw(new ComplementarityConditionNSL(2)), relation()));
  SP::NonSmoothDynamicalSystem nsds(new NonSmoothDynamicalSystem(0.0, until));
  nsds->insertDynamicalSystem(system);
  nsds->link(interaction, system);
  SP::TimeDiscretisation td(new TimeDiscretisation(0.0, step));
  SP::TimeStepping simulation(new TimeStepping(nsds, td, SP::OneStepIntegrator(new EulerMoreauOSI(1.0)),
                                               SP::OneStepNSProblem(new LCP(SICONOS_LCP_LEMKE))));
  simulation->setNewtonOptions(SICONOS_TS_LINEAR);
  SP::SiconosVector load = system->b(), x = system->x();
  long last = std::lround(until / step),
       watched = (long)std::floor((until - 2.0 * M_PI / angular_frequency) / step);
  (*load)(3) = gravity + F0 / m2;
  double start = bench_cpu();
  for (long n = 1; n <= last; n++) {
    (*load)(1) = gravity + amplitude / m1 * std::sin(angular_frequency * ((double)n * step));
    simulation->computeOneStep();
    simulation->nextStep();
    if (n < watched) continue;
    double tension = K * ((*x)(0) - (*x)(2)) + C * ((*x)(1) - (*x)(3));
    result.low = std::fmin(result.low, tension);
    result.high = std::fmax(result.high, tension);
  }
  result.seconds = bench_cpu() - start;
  result.steps = last;
  return result;
}

int main(int argc, char **argv)
{
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  siconos_case capstan = {INFINITY, 0, 0.0, 0.0}, siconos;
  for (int repeat = 0; repeat < 5; repeat++) {
    siconos_case now = siconos_case_run(step, until);
    if (now.seconds < capstan.seconds) capstan = now;
  }
  try {
    siconos = run_siconos();
    for (int repeat = 0; repeat < 2; repeat++) {
      siconos_case now = run_siconos();
      if (now.seconds < siconos.seconds) siconos = now;
    }
  } catch (...) {
    fprintf(stderr, "Siconos could not compute the case\n");
    return 1;
  }
  double ours = 1e6 * capstan.seconds / (double)capstan.steps,
         theirs = 1e6 * siconos.seconds / (double)siconos.steps;
  double range = capstan.high - capstan.low, other = siconos.high - siconos.low;
  bench_row(&table, "masing: implicit Euler by Capstan", capstan.steps, ours, "us/step");
  bench_row(&table, "masing: implicit Euler by Siconos", siconos.steps, theirs, "us/step");
  bench_row(&table, "masing: Siconos over Capstan", 0, theirs / ours, "times");
  bench_row(&table, "masing: tension range by Capstan", 0, range, "N");
  bench_row(&table, "masing: tension range by Siconos", 0, other, "N");
  bench_row(&table, "masing: their difference", 0, std::fabs(other / range - 1.0), "relative");
  if (bench_close(&table)) return 1;
  if (std::fabs(other / range - 1.0) < 1e-6) return 0;
  fprintf(stderr, "the two do not agree: what was timed is not the same case\n");
  return 1;
}
