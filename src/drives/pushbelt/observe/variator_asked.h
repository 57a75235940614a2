/* drives/pushbelt/observe/variator_asked.h — what is asked of the means of a variator's key figures: parts of
 * the standard error that is asked for in general (key `error` of the analysis `stationary`, 1.5 %), of what.
 *
 * The thrust ratio is the figure that is looked at, to the second decimal. The speed ratio scatters by a
 * tenth of that; endplay is seen against an element; forces and losses need not be known as well.
 */
#pragma once

#define CAP_VARIATOR_ASKED_ERROR  0.015 /* where there is no key */
#define CAP_VARIATOR_ASKED_SPEED  0.2   /* of the speed ratio, of itself */
#define CAP_VARIATOR_ASKED_THRUST 1.0   /* of the thrust ratio, of 1 */
#define CAP_VARIATOR_ASKED_GAPS   1.0   /* of endplay and operational endplay, of the thickness below */
#define CAP_VARIATOR_ASKED_PUSH   2.0   /* of push forces, of the sum of both strands */
#define CAP_VARIATOR_ASKED_LOSS   2.0   /* of each loss, of all losses */

#define CAP_VARIATOR_ASKED_ELEMENT 1.5e-3 /* m, of the public set of parameters */
