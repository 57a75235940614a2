/* The oscillator of Kim, Rook and Singh as a model file, and its reference folds. Include after system.h. */
#pragma once
#include <stdio.h>

/* Case 1 (amplitude 0.008) or case 2 (0.03) with the keys of its clearance law, at 1 rad/s unless a setting
 * says otherwise. */
static inline test_system test_oscillator_with(double amplitude, const char *law, int nsetting,
                                               const char *const *settings)
{
  char text[1024];
  snprintf(text, sizeof text,
           "capstan: 1\nname: t\ndrive: clearance-oscillator\n"
           "bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]\n"
           "springs: [{from: gear, damping: 0.05 N s/m}]\n"
           "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m, %s}}]\n"
           "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: %g N}]}]\n"
           "forcing: {angular_frequency: 1 rad/s}\n" TEST_ANY,
           law, amplitude);
  return test_system_with(text, nsetting, settings);
}

static inline test_system test_oscillator(double amplitude, const char *law, double angular_frequency)
{
  char speed[64];
  const char *settings[] = {speed};
  snprintf(speed, sizeof speed, "forcing.angular_frequency=%.17g rad/s", angular_frequency);
  return test_oscillator_with(amplitude, law, 1, settings);
}

/* Folds of case 1 from 0.1 to 1.6 rad/s. */
static const struct {
  const char *law;
  double high, low;
} test_oscillator_folds[] = {{"smoothing: exact", .92132, .61647},
                             {"smoothing: g1, sigma: 10", .89783, .62935},
                             {"smoothing: g1, sigma: 50", .93223, .61813},
                             {"smoothing: g1, sigma: 100", .92620, .61688}};
