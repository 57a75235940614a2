/* drives/registry.c — see registry.h. */
#include "drives/registry.h"

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

const cap_drive *cap_registry_drive(const char *name)
{
  for (int k = 0; cap_registry_drives[k]; k++)
    if (strcmp(cap_registry_drives[k]->name, name) == 0) return cap_registry_drives[k];
  return NULL;
}
