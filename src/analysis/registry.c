/* analysis/registry.c — see registry.h; also the section "outputs", which serves all of them. */
#include "analysis/registry.h"
#include "model/model.h"

#include <math.h>

const cap_analysis *const cap_registry_analyses[] = {&cap_statics_analysis,
                                                     &cap_modes_analysis,
                                                     &cap_transient_analysis,
                                                     &cap_periodic_analysis,
                                                     &cap_response_analysis,
                                                     &cap_basins_analysis,
                                                     &cap_law_analysis,
                                                     &cap_backbone_analysis,
                                                     &cap_folds_analysis,
                                                     &cap_convergence_analysis,
                                                     &cap_campbell_analysis,
                                                     &cap_orders_analysis,
                                                     &cap_life_analysis,
                                                     &cap_fit_analysis,
                                                     &cap_quasistatic_analysis,
                                                     &cap_tracking_analysis,
                                                     &cap_continuum_analysis,
                                                     &cap_stationary_analysis,
                                                     NULL};

const cap_variant cap_registry_analysis_variants[] = {
    {"statics", "equilibrium under the constant loads; steady running of a belt drive over the crank's speed",
     cap_statics_fields},
    {"modes", "natural frequencies, damping and mode shapes about the present state", cap_modes_fields},
    {"transient", "the motion over time, with the energy audit", cap_transient_fields},
    {"periodic", "the steady orbit of the forcing's period, with its Floquet multipliers",
     cap_periodic_fields},
    {"response", "steady orbits over a parameter, by continuation from neighbour to neighbour",
     cap_response_fields},
    {"basins", "basins of attraction: which attractor each state of a grid comes to", cap_basins_fields},
    {"law", "the force of one element over its deflection, with its derivatives", cap_law_fields},
    {"backbone", "nonlinear modes: pulsation and damping of free vibration over its amplitude",
     cap_backbone_fields},
    {"folds", "folds and period doublings of the response followed over a second parameter",
     cap_folds_fields},
    {"convergence", "order at which viscoelastic contacts tend to ideal rolling, and their initial layer",
     cap_convergence_fields},
    {"campbell",
     "modes of a belt drive over the crank's speed, spans included, and where engine orders meet them",
     cap_campbell_fields},
    {"orders", "forced response of a belt drive to the orders of its crank, over the crank's speed",
     cap_orders_fields},
    {"life",
     "indicators of a belt drive over a duty cycle: belt life, hub loads, slip, span resonance, misalignment",
     cap_life_fields},
    {"fit",
     "parameters of the model from measured curves, with their intervals, and what the curves cannot tell",
     cap_fit_fields},
    {"quasistatic", "equilibria over the time of imposed motions and loads", cap_quasistatic_fields},
    {"tracking", "tracking force of a ring on a crowned saddle over normal force and position",
     cap_tracking_fields},
    {"continuum", "a pushbelt variator as a continuum: thrust ratio, slip, forces, losses, maps, shifting",
     cap_continuum_fields},
    {"stationary", "means of a stationary point, found by running; over cases, or along a parameter",
     cap_stationary_fields},
    {0}};

size_t cap_registry_largest_spec(void)
{
  size_t largest = 0;
  for (int k = 0; cap_registry_analyses[k]; k++)
    if (cap_registry_analyses[k]->spec_size > largest) largest = cap_registry_analyses[k]->spec_size;
  return largest;
}

const char *cap_registry_obstacle(const cap_analysis *analysis, const cap_model *model)
{
  if (model->march_only && !analysis->marched)
    return model->variator
               ? "does not treat a pushbelt: its elements can be moved in time only, they have no "
                 "tangents; use transient, stationary or continuum"
               : "does not treat a drive with elements that can be moved in time only; use transient "
                 "or stationary";
  if (model->ncontact && !analysis->contacts)
    return model->nset ? "cannot compute a system with set-valued contacts; use transient"
                       : "cannot compute a system with contacts; use transient or convergence";
  return NULL;
}

const cap_field cap_registry_outputs_fields[] = {
    {.key = "every",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_outputs, every),
     .unit = "s",
     .fallback = "0 s",
     .low = 0,
     .high = INFINITY,
     .example = "1 ms",
     .doc = "time between rows of a transient; 0 = a thousandth of the run"},
    {.key = "checkpoint",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_outputs, checkpoint),
     .unit = "s",
     .fallback = "0 s",
     .low = 0,
     .high = INFINITY,
     .example = "1 s",
     .doc = "simulated time between checkpoints; 0 = every 1000 rows"},
    {.key = "channels",
     .kind = CAP_FIELD_TEXTS,
     .offset = offsetof(cap_outputs, channels),
     .most = 1000,
     .example = "[belt.tension, tensioner.*]",
     .doc = "names or patterns of the channels to keep; none = all"},
    {.key = "film",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(cap_outputs, film),
     .present = 1 + offsetof(cap_outputs, film_given),
     .low = 0,
     .high = 1000000,
     .example = "500",
     .doc = "most frames of the film from which pictures of the motion are drawn; 0 = no film. When not "
            "given: as many as make 400 000 values, 100 to 4000"},
    {0}};
