/* drives/pushbelt/tracking/ring_tracking.h — the ring on a crowned saddle that a model is. */
#pragma once
#include "drives/pushbelt/tracking/tracking_table.h"
#include "model/subject.h"

extern const cap_subject_type cap_ring_tracking_subject;

/* NULL: the model is of another drive. */
const capm_tracking_ring *cap_ring_tracking_of(const cap_model *m);
