/* laws/friction_keys.c — see friction_keys.h. */
#include "laws/friction_keys.h"

capm_friction capm_friction_keys_of_pair(const capm_friction_keys_pair *said)
{
  return (capm_friction){.mu_static = said->rest,
                         .mu_kinetic = said->sliding_given ? said->sliding : said->rest,
                         .v_stribeck = said->stribeck};
}

capm_friction capm_friction_keys_above(const capm_friction_keys_ratio *said, double mu)
{
  return (capm_friction){
      .mu_static = mu * said->ratio, .mu_kinetic = mu, .v_stribeck = said->ratio > 1.0 ? said->speed : 0.0};
}

capm_friction capm_friction_keys_below(const capm_friction_keys_ratio *said, double mu)
{
  return (capm_friction){.mu_static = mu, .mu_kinetic = said->ratio * mu, .v_stribeck = said->speed};
}

/* (4.1) in the form of laws/friction.h. */
capm_friction capm_friction_keys_of_law(const capm_friction_keys_law *said)
{
  if (said->law == 0) return (capm_friction){.mu_static = said->mu, .mu_kinetic = said->mu};
  bool falls = said->mu1 > 0.0 && said->mu2 > 0.0;
  return (capm_friction){.mu_static = said->mu0 + said->mu1,
                         .mu_kinetic = falls ? said->mu0 : said->mu0 + said->mu1,
                         .v_stribeck = falls ? pow(said->mu2, -1.0 / said->k) : 0.0,
                         .exponent = said->k};
}

#define REAL(key_, member, ...)                                                                              \
  CAPM_FRICTION_KEYS_REAL(offsetof(capm_friction_keys_law, member), key_, "", CAPM_FRICTION_KEYS_FROM_ZERO,  \
                          __VA_ARGS__)

const cap_field capm_friction_keys_stribeck[] = {
    REAL("mu0", mu0, .fallback = "0", .example = "0",
         .doc = "coefficient of friction at high sliding velocity"),
    REAL("mu1", mu1, .fallback = "0.1", .example = "0.1",
         .doc = "additional coefficient at zero sliding velocity"),
    REAL("mu2", mu2, .fallback = "2", .example = "5",
         .doc = "rate at which friction falls with the sliding velocity in m/s"),
    REAL("k", k, .low_open = true, .fallback = "3", .example = "1.5",
         .doc = "exponent of the sliding velocity"),
    {0}};
