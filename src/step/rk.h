/* step/rk.h — the explicit Runge-Kutta methods step by step, for who goes over from one to another.
 *
 * The memory is that of cap_rk_create; resume, views and free are those of cap_rk_5_type.
 */
#pragma once
#include "step/stepper.h"

/* A step that was done. */
typedef struct cap_rk_step {
  double length; /* s */
  double stiff;  /* h lambda over the bound of the pair; 0: not known */
} cap_rk_step;

/* Of order 5, with room for order 8. */
cap_status cap_rk_create(const cap_model *m, const cap_stepper_settings *settings, void **self,
                         cap_error *error);
/* From the next step on by the method of order 5 or 8. */
void cap_rk_use(void *self, int order);
/* Whether the motion is known up to the end of a last step, the front, beyond the data, perhaps. */
bool cap_rk_known(const void *self);
double cap_rk_front(const void *self);
/* The advance of the data begins; from here on the front is known. */
cap_status cap_rk_open(void *self, cap_data *d, cap_error *error);
/* One step from the front, on the way to t_end, which lies beyond it. */
cap_status cap_rk_go(void *self, cap_data *d, double t_end, cap_rk_step *done, cap_error *error);
/* The data at t, which is the front or lies before it. */
void cap_rk_read(void *self, cap_data *d, double t);
/* Another method goes on from the front; what is known of steps stays. */
void cap_rk_leave(void *self);
/* Shows the data to the observer of the settings, if there is one. */
void cap_rk_observe(void *self, const cap_data *d);
