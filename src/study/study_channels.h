/* study/study_channels.h — whether the channels that responses name can be there, as far as that is known
 * before a run. */
#pragma once
#include "study/study_reading.h"

/* Findings for channels of responses, and for names and mistakes in their expressions. */
cap_status cap_study_channels_check(cap_study_reading *r);
