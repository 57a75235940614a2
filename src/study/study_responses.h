/* study/study_responses.h — responses as a study file writes them, and what is made of them. */
#pragma once
#include "study/study_reading.h"

/* Responses, Pareto front, optimum; findings go to the diag. */
cap_status cap_study_responses_read(cap_study_reading *r);
