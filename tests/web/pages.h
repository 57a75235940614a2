/* pages.h — what the makers of pages share (pages.c), and those that stand in other files. */
#pragma once
#include "io/results.h"

#include <stdbool.h>

void need(cap_status status); /* ends the program */
cap_results *start(const char *name, const cap_results_meta *meta);
void finish(cap_results *results, const char *name, bool complete); /* and write the page */
void put_vector(cap_sink *sink, const char *name, const char *unit, const char *meaning, int n,
                const double *values);
void put_number(cap_sink *sink, const char *name, const char *unit, const char *meaning, double value);

/* study_pages.c */
void make_study(void);
void make_study_tolerance(void);
void make_study_grid(void);
void make_study_one(void);
void make_study_pareto(void);
void make_study_many(void);
void make_study_failed(void);
