/* analysis/analysis.c — what all analyses have in common: the section "outputs", and which models they
 * treat. */
#include "analysis/analysis.h"
#include "model/model.h"

#include <math.h>

const char *cap_registry_obstacle(const cap_analysis *analysis, const cap_model *model)
{
  if (model->march_only && !analysis->marched)
    return model->subject.type->no_rates ? model->subject.type->no_rates
                                         : "cannot compute a drive whose elements only move forward in time; "
                                           "use transient or stationary";
  if (model->ncontact && !analysis->contacts)
    return model->nset ? "cannot compute a system with set-valued contacts; use transient"
                       : "cannot compute a system with contacts; use transient or convergence";
  return NULL;
}

static const char *const balances[] = {"check", "ignore", NULL};

const cap_field cap_registry_outputs_fields[] = {
    {.key = "every",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_outputs, every),
     .unit = "s",
     .fallback = "0 s",
     .low = 0,
     .high = INFINITY,
     .example = "1 ms",
     .doc = "time between rows of a transient run; 0 = 1/1000 of the run"},
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
     .means = CAP_MEANS_CHANNEL,
     .doc = "names or patterns of the channels to record; default: all"},
    {.key = "animation_frames",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(cap_outputs, film),
     .present = 1 + offsetof(cap_outputs, film_given),
     .low = 0,
     .high = 1000000,
     .example = "500",
     .was = "film",
     .doc = "maximum number of animation frames, from which the page draws the motion; 0 = none; default: as "
            "many as give 400 000 values, between 100 and 4000"},
    {.key = "balance",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(cap_outputs, balance),
     .choices = balances,
     .fallback = "check",
     .example = "ignore",
     .doc =
         "an energy balance that is open by more than 1 % of the energy converted fails the run (check), or "
         "is only marked in the result (ignore)"},
    {0}};
