/* step/radau.h — implicit Runge-Kutta steps one by one, for who goes over to them from others.
 *
 * The memory is that of cap_radau_type, whose resume, views and free belong to it.
 */
#pragma once
#include "step/stepper.h"

/* Another method went before: nothing is known but what step to try, s. Before the advance is opened. */
void cap_radau_enter(void *self, double step);
/* The advance of the data to t_end begins. */
cap_status cap_radau_open(void *self, cap_data *d, double t_end, cap_error *error);
/* One step of the data, of the given length. */
cap_status cap_radau_go(void *self, cap_data *d, double t_end, double *length, cap_error *error);
/* Shows the data to the observer of the settings, if there is one. */
void cap_radau_observe(void *self, const cap_data *d);
