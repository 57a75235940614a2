/* drives/registry.h — every drive of the program. A new drive is one file and one line here and in
 * registry.c. */
#pragma once
#include "drives/drive.h"

extern const cap_drive cap_clearance_oscillator_drive; /* clearance_oscillator.c */
extern const cap_drive cap_belt_tensioner_mass_drive;  /* belt_tensioner_mass.c */
extern const cap_drive cap_tensioner_rig_drive;        /* tensioner_rig.c */
extern const cap_drive cap_rolling_body_drive;         /* rolling_body*.c */
extern const cap_drive cap_accessory_drive_drive;      /* accessory_drive*.c */
extern const cap_drive cap_ring_drive;                 /* ring*.c */
extern const cap_drive cap_bodies_drive;               /* bodies*.c */
extern const cap_drive cap_push_force_tester_drive;    /* push_force_tester*.c */
extern const cap_drive cap_sheave_drive;               /* sheave*.c */
extern const cap_drive cap_ring_tracking_drive;        /* ring_tracking.c */
extern const cap_drive cap_variator_drive;             /* variator*.c */
