/* drives/accessory/elements/belt_frequency.c — the fastest motion of a segment of belt on a pulley. */
#include "drives/accessory/elements/belt_elements.h"
#include "elements/beam_frequency.h"

double cap_belt_frequency_of(const capm_beam *beam, double tension, double mass, double rotary,
                             const double *pulley)
{
  if (!pulley) return cap_beam_frequency_of(beam, tension, mass, rotary, NULL);
  const cap_beam_bed bed = {.npoint = CAP_BELT_CONTACT_POINTS,
                            .normal = pulley[CAP_BELT_PULLEY_NORMAL],
                            .tangential = pulley[CAP_BELT_PULLEY_TANGENTIAL],
                            .damping = pulley[CAP_BELT_PULLEY_DAMPING],
                            .shear = pulley[CAP_BELT_PULLEY_SHEAR]};
  return cap_beam_frequency_of(beam, tension, mass, rotary, &bed);
}
