/* laws/friction_keys.h — how a model file says a friction curve: the keys of laws/friction.h.
 *
 * Contacts ask for it in three ways: as two coefficients and a speed (`pair`), as what a coefficient that is
 * said elsewhere becomes at rest or in sliding (`ratio`), and as one of several laws (`law`). Each is a
 * struct in the drive's description, the keys that fill it, and a function that makes the curve of it. The
 * names of keys, defaults, ranges and sentences differ from contact to contact: they are the arguments,
 * sentences and the like in brackets,
 *
 *   CAPM_FRICTION_KEYS_PAIR(offsetof(law, friction), "friction", (.fallback = "0", .doc = "at rest"), ...)
 *
 * A further key that stands in one of these macros is offered by all contacts that use it.
 */
#pragma once
#include "base/fields.h"
#include "laws/friction.h"
#include <math.h>
#include <stddef.h>

/* ---- two coefficients and a speed ---------------------------------------------------------------------- */

typedef struct capm_friction_keys_pair {
  double rest, sliding; /* coefficients; sliding: that at rest when not given */
  double stribeck;      /* m/s */
  bool sliding_given;
} capm_friction_keys_pair;

capm_friction capm_friction_keys_of_pair(const capm_friction_keys_pair *said);

#define CAPM_FRICTION_KEYS_WORDS(...) __VA_ARGS__
#define CAPM_FRICTION_KEYS_REAL(place, key_, unit_, ...)                                                     \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = (place), .unit = unit_, __VA_ARGS__                       \
  }
#define CAPM_FRICTION_KEYS_FROM_ZERO .low = 0, .high = INFINITY

#define CAPM_FRICTION_KEYS_PAIR(at, rest_key, rest_words, sliding_key, sliding_words, stribeck_words)        \
  CAPM_FRICTION_KEYS_REAL((at) + offsetof(capm_friction_keys_pair, rest), rest_key, "",                      \
                          CAPM_FRICTION_KEYS_FROM_ZERO, .example = "0.3",                                    \
                          CAPM_FRICTION_KEYS_WORDS rest_words),                                              \
      CAPM_FRICTION_KEYS_REAL((at) + offsetof(capm_friction_keys_pair, sliding), sliding_key, "",            \
                              CAPM_FRICTION_KEYS_FROM_ZERO,                                                  \
                              .present = 1 + (at) + offsetof(capm_friction_keys_pair, sliding_given),        \
                              .example = "0.25", CAPM_FRICTION_KEYS_WORDS sliding_words),                    \
      CAPM_FRICTION_KEYS_REAL((at) + offsetof(capm_friction_keys_pair, stribeck), "stribeck_velocity",       \
                              "m/s", .was = "stribeck", CAPM_FRICTION_KEYS_FROM_ZERO, .fallback = "0 m/s",   \
                              .example = "0.01 m/s", CAPM_FRICTION_KEYS_WORDS stribeck_words)

/* ---- relative to a coefficient ------------------------------------------------------------------------- */

typedef struct capm_friction_keys_ratio {
  double ratio; /* of the other coefficient to the known one */
  double speed; /* m/s */
} capm_friction_keys_ratio;

/* mu: of sliding, or at rest. */
capm_friction capm_friction_keys_above(const capm_friction_keys_ratio *said, double mu);
capm_friction capm_friction_keys_below(const capm_friction_keys_ratio *said, double mu);

#define CAPM_FRICTION_KEYS_RATIO(at, ratio_key, ratio_words, speed_key, speed_words)                         \
  CAPM_FRICTION_KEYS_REAL((at) + offsetof(capm_friction_keys_ratio, ratio), ratio_key, "",                   \
                          CAPM_FRICTION_KEYS_WORDS ratio_words),                                             \
      CAPM_FRICTION_KEYS_REAL((at) + offsetof(capm_friction_keys_ratio, speed), speed_key, "m/s",            \
                              CAPM_FRICTION_KEYS_FROM_ZERO, .low_open = true, .example = "0.1 m/s",          \
                              CAPM_FRICTION_KEYS_WORDS speed_words)

/* ---- one of several laws ------------------------------------------------------------------------------- */

typedef struct capm_friction_keys_law {
  int law; /* Coulomb, Stribeck (4.1) */
  double mu, mu0, mu1, mu2, k;
} capm_friction_keys_law;

capm_friction capm_friction_keys_of_law(const capm_friction_keys_law *said);

extern const cap_field capm_friction_keys_stribeck[];

/* The variants of a field at which the struct stands, as the table `name`; mu_default: of Coulomb's law. */
#define CAPM_FRICTION_KEYS_LAWS(name, mu_default)                                                            \
  static const cap_field name##_coulomb[] = {                                                                \
      CAPM_FRICTION_KEYS_REAL(offsetof(capm_friction_keys_law, mu), "mu", "", CAPM_FRICTION_KEYS_FROM_ZERO,  \
                              .fallback = mu_default, .example = mu_default, .doc = "coefficient"),          \
      {0}};                                                                                                  \
  static const cap_variant name[] = {                                                                        \
      {"coulomb", "the same at all sliding velocities", name##_coulomb},                                     \
      {"stribeck", "mu0 + mu1 / (1 + mu2 v^k), v in m/s", capm_friction_keys_stribeck},                      \
      {0}}
