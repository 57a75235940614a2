/* analysis/registry.h — every analysis of the program. A new one is one file and one line here and in
 * registry.c. */
#pragma once
#include "analysis/analysis.h"

extern const cap_analysis cap_statics_analysis; /* statics.c */
extern const cap_field cap_statics_fields[];
extern const cap_analysis cap_modes_analysis; /* modes.c */
extern const cap_field cap_modes_fields[];
extern const cap_analysis cap_transient_analysis; /* transient.c */
extern const cap_field cap_transient_fields[];
extern const cap_analysis cap_periodic_analysis; /* periodic.c */
extern const cap_field cap_periodic_fields[];
extern const cap_analysis cap_response_analysis; /* response.c */
extern const cap_field cap_response_fields[];
extern const cap_analysis cap_basins_analysis; /* basins.c */
extern const cap_field cap_basins_fields[];
extern const cap_analysis cap_law_analysis; /* law.c */
extern const cap_field cap_law_fields[];
extern const cap_analysis cap_backbone_analysis; /* backbone.c */
extern const cap_field cap_backbone_fields[];
extern const cap_analysis cap_folds_analysis; /* folds.c */
extern const cap_field cap_folds_fields[];
extern const cap_analysis cap_convergence_analysis; /* convergence.c */
extern const cap_field cap_convergence_fields[];
extern const cap_analysis cap_campbell_analysis; /* campbell.c */
extern const cap_field cap_campbell_fields[];
extern const cap_analysis cap_orders_analysis; /* orders.c */
extern const cap_field cap_orders_fields[];
extern const cap_analysis cap_life_analysis; /* life.c */
extern const cap_field cap_life_fields[];
extern const cap_analysis cap_fit_analysis; /* fit.c */
extern const cap_field cap_fit_fields[];
extern const cap_analysis cap_quasistatic_analysis; /* quasistatic.c */
extern const cap_field cap_quasistatic_fields[];
extern const cap_analysis cap_tracking_analysis; /* tracking.c */
extern const cap_field cap_tracking_fields[];
extern const cap_analysis cap_continuum_analysis; /* continuum.c */
extern const cap_field cap_continuum_fields[];
extern const cap_analysis cap_stationary_analysis; /* stationary.c */
extern const cap_field cap_stationary_fields[];
