/* drives/registry.c — see registry.h. */
#include "drives/registry.h"
#include "analysis/stepping.h"

#include <string.h>

const cap_drive *const cap_registry_drives[] = {&cap_tensioner_rig_drive,
                                                &cap_belt_tensioner_mass_drive,
                                                &cap_clearance_oscillator_drive,
                                                &cap_rolling_body_drive,
                                                &cap_accessory_drive_drive,
                                                &cap_ring_drive,
                                                &cap_bodies_drive,
                                                &cap_push_force_tester_drive,
                                                &cap_sheave_drive,
                                                &cap_ring_tracking_drive,
                                                &cap_variator_drive,
                                                NULL};

/* Of the key `method` (analysis/stepping.h): what each time stepper is for. It stands here because it names
 * drives, which generic rooms do not know. */
const char cap_registry_methods_doc[] =
    "time stepper: exact (piecewise-linear systems), midpoint, euler, moreau (fixed step), leapfrog (fixed "
    "step, belts of segments), multirate (fixed step, elements of a pushbelt in parts of it), rk4, "
    "cvode (smooth laws), extrapolation (smooth laws, high accuracy), radau (smooth and stiff laws, high "
    "accuracy), ida (ideal contacts, by SUNDIALS), timestepping (set-valued contacts: impacts, stick and "
    "slip; fixed step); auto takes leapfrog for belts of segments, multirate for pushbelts, else "
    "exact where it applies, timestepping for set-valued contacts, extrapolation for "
    "ideal contacts, radau for viscoelastic ones, midpoint for other set-valued laws, cvode otherwise";

const cap_drive *cap_registry_drive(const char *name)
{
  for (int k = 0; cap_registry_drives[k]; k++)
    if (strcmp(cap_registry_drives[k]->name, name) == 0) return cap_registry_drives[k];
  return NULL;
}
