/* drives/registry.h — every drive and every analysis of the program, by name.
 *
 * The room `drives` itself, and it alone, knows all drives: here they meet the generic rooms, whose lists of
 * observers, starts and extensions are in registry.c. A new drive is a line of the first list and its files,
 * a new analysis one of the second and its file.
 */
#pragma once
#include "analysis/analysis.h"
#include "drives/drive.h"

/* In the order of the documentation. X(tensioner_rig) stands for cap_tensioner_rig_drive. */
#define CAP_REGISTRY_DRIVES(X)                                                                               \
  X(tensioner_rig)                                                                                           \
  X(belt_tensioner_mass)                                                                                     \
  X(clearance_oscillator)                                                                                    \
  X(rolling_body)                                                                                            \
  X(accessory_drive)                                                                                         \
  X(ring)                                                                                                    \
  X(bodies)                                                                                                  \
  X(push_force_tester)                                                                                       \
  X(sheave)                                                                                                  \
  X(ring_tracking)                                                                                           \
  X(variator)

/* X(statics) stands for cap_statics_analysis with cap_statics_doc and cap_statics_fields; those of one drive
 * are in its folder. */
#define CAP_REGISTRY_ANALYSES(X)                                                                             \
  X(statics)                                                                                                 \
  X(modes)                                                                                                   \
  X(transient)                                                                                               \
  X(periodic)                                                                                                \
  X(response)                                                                                                \
  X(basins)                                                                                                  \
  X(law)                                                                                                     \
  X(backbone)                                                                                                \
  X(folds)                                                                                                   \
  X(convergence)                                                                                             \
  X(campbell)                                                                                                \
  X(orders)                                                                                                  \
  X(life)                                                                                                    \
  X(fit)                                                                                                     \
  X(quasistatic)                                                                                             \
  X(tracking)                                                                                                \
  X(continuum)                                                                                               \
  X(stationary)

#define CAP_REGISTRY_DRIVE(name) extern const cap_drive cap_##name##_drive;
CAP_REGISTRY_DRIVES(CAP_REGISTRY_DRIVE)
#undef CAP_REGISTRY_DRIVE

#define CAP_REGISTRY_ANALYSIS(name)                                                                          \
  extern const cap_analysis cap_##name##_analysis;                                                           \
  extern const char cap_##name##_doc[];                                                                      \
  extern const cap_field cap_##name##_fields[];
CAP_REGISTRY_ANALYSES(CAP_REGISTRY_ANALYSIS)
#undef CAP_REGISTRY_ANALYSIS
