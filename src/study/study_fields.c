/* study/study_fields.c — see study_fields.h. */
#include "study/study_fields.h"
#include "study/optimise.h"
#include "study/study.h"

#include <math.h>

#define PLACE(type, member) .offset = offsetof(type, member)

/* ------------------------------------------------------------------------------------------------ factors */

#define IN_LAW(member) PLACE(cap_study_fields_distribution, member)

static const cap_field uniform_fields[] = {
    {.key = "low", .kind = CAP_FIELD_TEXT, IN_LAW(low), .required = true, .doc = "lowest value"},
    {.key = "high", .kind = CAP_FIELD_TEXT, IN_LAW(high), .required = true, .doc = "highest value"},
    {0}};

static const cap_field normal_fields[] = {
    {.key = "mean", .kind = CAP_FIELD_TEXT, IN_LAW(mean), .required = true, .doc = "mean, before truncation"},
    {.key = "deviation",
     .kind = CAP_FIELD_TEXT,
     IN_LAW(deviation),
     .required = true,
     .doc = "standard deviation, before truncation"},
    {.key = "low",
     .kind = CAP_FIELD_TEXT,
     IN_LAW(low),
     .doc = "lower truncation limit: values below it are drawn again"},
    {.key = "high", .kind = CAP_FIELD_TEXT, IN_LAW(high), .doc = "upper truncation limit"},
    {0}};

static const cap_field triangular_fields[] = {
    {.key = "low", .kind = CAP_FIELD_TEXT, IN_LAW(low), .required = true, .doc = "lowest value"},
    {.key = "mode", .kind = CAP_FIELD_TEXT, IN_LAW(mode), .required = true, .doc = "most likely value"},
    {.key = "high", .kind = CAP_FIELD_TEXT, IN_LAW(high), .required = true, .doc = "highest value"},
    {0}};

const cap_variant cap_study_fields_laws[] = {
    {"uniform", "uniform between two limits", uniform_fields},
    {"log-uniform", "log-uniform between two limits", uniform_fields},
    {"normal", "normal, truncated where low and high are given", normal_fields},
    {"log-normal", "log-normal, for a quantity above 0; mean and deviation are those of the quantity itself",
     normal_fields},
    {"triangular", "triangular, with two limits and the most likely value between them", triangular_fields},
    {0}};

static const char *const spacings[] = {"linear", "log", NULL};

#define IN_FACTOR(member) PLACE(cap_study_fields_factor, member)

static const cap_field factor_fields[] = {
    {.key = "name",
     .kind = CAP_FIELD_TEXT,
     IN_FACTOR(name),
     .required = true,
     .example = "rate",
     .doc = "name of the factor in results and formulas: letters, digits and \"_\""},
    {.key = "description",
     .kind = CAP_FIELD_TEXT,
     IN_FACTOR(doc),
     .fallback = "",
     .doc = "description for reports"},
    {.key = "path",
     .kind = CAP_FIELD_TEXT,
     IN_FACTOR(path),
     .example = "tensioner.rate",
     .doc =
         "key of the model that it sets, any path of --set; without a path the factor serves formulas only"},
    {.key = "paths",
     .kind = CAP_FIELD_TEXTS,
     IN_FACTOR(paths),
     .least = 1,
     .most = 1000,
     .example = "[\"pulleys[0].friction\", \"pulleys[1].friction\"]",
     .doc = "several keys that take the same value"},
    {.key = "values",
     .kind = CAP_FIELD_TEXTS,
     IN_FACTOR(values),
     .least = 1,
     .most = 10000,
     .example = "[0.3, 0.4, 0.5]",
     .doc = "values of the factor"},
    {.key = "levels",
     .kind = CAP_FIELD_NAMED,
     IN_FACTOR(levels),
     .least = 1,
     .most = 1000,
     .example = "{soft: \"{law: linear, k0: 1e5 N/m}\", stiff: \"{law: linear, k0: 9e5 N/m}\"}",
     .doc = "values of a key that is not a number: a choice, a switch, a list or a whole section; with or "
            "without names for the reports"},
    {.key = "from",
     .kind = CAP_FIELD_TEXT,
     IN_FACTOR(from),
     .example = "0.3 N m/deg",
     .doc = "lower end of a range; without count all values in between are equally likely"},
    {.key = "to",
     .kind = CAP_FIELD_TEXT,
     IN_FACTOR(to),
     .example = "0.4 N m/deg",
     .doc = "upper end of the range"},
    {.key = "count",
     .kind = CAP_FIELD_INT,
     IN_FACTOR(count),
     .low = 2,
     .high = 10000,
     .example = "5",
     .doc = "number of values of the range, both ends included"},
    {.key = "spacing",
     .kind = CAP_FIELD_CHOICE,
     IN_FACTOR(spacing),
     .fallback = "linear",
     .choices = spacings,
     .doc = "spacing of the range: linear or logarithmic"},
    {.key = "distribution",
     .kind = CAP_FIELD_VARIANT,
     IN_FACTOR(distribution),
     .variants = cap_study_fields_laws,
     .tag_key = "law",
     .present = 1 + offsetof(cap_study_fields_factor, distribution_given),
     .doc = "probability distribution, for designs that sample: tolerances, scatter"},
    {.key = "formula",
     .kind = CAP_FIELD_TEXT,
     IN_FACTOR(formula),
     .example = "mass/7800",
     .doc = "formula of other factors, by their names, in SI units"},
    {.key = "nominal",
     .kind = CAP_FIELD_TEXT,
     IN_FACTOR(nominal),
     .doc = "nominal value: held while another factor varies, and start of an optimisation; default: the "
            "model's own value if it is within the range, otherwise the middle; of a distribution its median "
            "(triangular: its mode); of levels the first"},
    {0}};

/* ------------------------------------------------------------------------------------------------ designs */

#define IN_DESIGN(member) PLACE(cap_study_fields_design, member)
#define DESIGN_SEED                                                                                          \
  {                                                                                                          \
    .key = "seed", .kind = CAP_FIELD_INT, IN_DESIGN(seed), .fallback = "0", .low = 0, .high = INFINITY,      \
    .doc = "seed of the random numbers; another seed gives other points"                                     \
  }

static const cap_field sample_fields[] = {{.key = "count",
                                           .kind = CAP_FIELD_INT,
                                           IN_DESIGN(count),
                                           .required = true,
                                           .low = 1,
                                           .high = CAP_STUDY_CASES,
                                           .example = "100",
                                           .doc = "number of points"},
                                          DESIGN_SEED,
                                          {0}};

static const cap_field sobol_fields[] = {
    {.key = "count",
     .kind = CAP_FIELD_INT,
     IN_DESIGN(count),
     .required = true,
     .low = 1,
     .high = CAP_STUDY_CASES,
     .example = "1024",
     .doc = "number of points; powers of two fill the space most evenly"},
    {.key = "seed",
     .kind = CAP_FIELD_INT,
     IN_DESIGN(seed),
     .fallback = "0",
     .low = 0,
     .high = INFINITY,
     .doc = "0: the plain sequence; otherwise seed of a random digital shift"},
    {0}};

static const cap_field saltelli_fields[] = {
    {.key = "count",
     .kind = CAP_FIELD_INT,
     IN_DESIGN(count),
     .required = true,
     .low = 1,
     .high = CAP_STUDY_CASES,
     .example = "512",
     .doc = "number of points of each of the two samples; d factors give count (d + 2) cases"},
    {.key = "seed",
     .kind = CAP_FIELD_INT,
     IN_DESIGN(seed),
     .fallback = "0",
     .low = 0,
     .high = INFINITY,
     .doc = "0: the plain Sobol' sequence; otherwise seed of a random digital shift"},
    {0}};

static const cap_field table_fields[] = {{.key = "file",
                                          .kind = CAP_FIELD_TEXT,
                                          IN_DESIGN(file),
                                          .required = true,
                                          .example = "cases.csv",
                                          .doc = "CSV file with a column, with its unit, for each factor "
                                                 "that is not a formula; levels by their number, from 1"},
                                         {0}};

/* In the order of cap_study_design_kind. */
static const cap_variant design_variants[] = {
    {"grid", "every value of each factor with every value of the others; the first factor varies slowest",
     NULL},
    {"one-at-a-time", "the nominal case, then each factor alone at its values or ends", NULL},
    {"latin-hypercube",
     "each factor takes each of `count` equally likely intervals of its distribution once, in random order",
     sample_fields},
    {"sobol", "points of a Sobol' sequence, which fill the space evenly", sobol_fields},
    {"saltelli", "two Sobol' samples and their combinations, for first-order and total Sobol' indices",
     saltelli_fields},
    {"table", "cases listed in a CSV file", table_fields},
    {0}};

/* ---------------------------------------------------------------------------------------------- responses */

/* In the order of cap_study_reduction. */
static const char *const reductions[] = {"value", "mean",  "rms",  "amplitude", "peak",       "max", "min",
                                         "range", "first", "last", "settled",   "stationary", NULL};
/* In the order of cap_study_goal. */
static const char *const goals[] = {"none", "minimise", "maximise", NULL};

#define IN_RESPONSE(member) PLACE(cap_study_fields_response, member)

static const cap_field response_fields[] = {
    {.key = "name",
     .kind = CAP_FIELD_TEXT,
     IN_RESPONSE(name),
     .required = true,
     .example = "peak",
     .doc = "name of the response: letters, digits and \"_\""},
    {.key = "description",
     .kind = CAP_FIELD_TEXT,
     IN_RESPONSE(doc),
     .fallback = "",
     .doc = "description for reports"},
    {.key = "channel",
     .kind = CAP_FIELD_TEXT,
     IN_RESPONSE(channel),
     .example = "arm.angle",
     .doc = "column, array or number of the results of a case"},
    {.key = "group",
     .kind = CAP_FIELD_TEXT,
     IN_RESPONSE(group),
     .example = "transient",
     .doc = "group of results; default: the last one that contains the channel"},
    {.key = "reduce",
     .kind = CAP_FIELD_CHOICE,
     IN_RESPONSE(reduce),
     .fallback = "value",
     .choices = reductions,
     .present = 1 + offsetof(cap_study_fields_response, reduce_given),
     .doc = "reduction of the channel to one number: value (it is one number), amplitude (half the range), "
            "peak (largest magnitude), settled (mean over the last part, if it is steady there), stationary "
            "(mean from where it has become stationary), ..."},
    {.key = "from",
     .kind = CAP_FIELD_TEXT,
     IN_RESPONSE(from),
     .example = "0.1 s",
     .doc = "start of the rows used, by the first column (time or swept parameter)"},
    {.key = "to", .kind = CAP_FIELD_TEXT, IN_RESPONSE(to), .example = "0.3 s", .doc = "end of the rows used"},
    {.key = "part",
     .kind = CAP_FIELD_REAL,
     .unit = "",
     IN_RESPONSE(part),
     .fallback = "0.2",
     .low = 0,
     .low_open = true,
     .high = 1,
     .doc = "settled: length of the last part of the rows, as a share of all rows"},
    {.key = "tolerance",
     .kind = CAP_FIELD_REAL,
     .unit = "",
     IN_RESPONSE(tolerance),
     .present = 1 + offsetof(cap_study_fields_response, tolerance_given),
     .low = 0,
     .low_open = true,
     .high = 1,
     .doc = "largest relative change that still counts as settled (default: 0.01) or stationary (default: "
            "0.02)"},
    {.key = "expression",
     .kind = CAP_FIELD_TEXT,
     IN_RESPONSE(expression),
     .example = "peak/mean(span.a.tension)",
     .doc =
         "formula of channels, numbers, factors and preceding responses, in SI units, instead of a channel"},
    {.key = "unit",
     .kind = CAP_FIELD_TEXT,
     IN_RESPONSE(unit),
     .example = "rad/N",
     .doc = "SI unit of an expression"},
    {.key = "goal",
     .kind = CAP_FIELD_CHOICE,
     IN_RESPONSE(goal),
     .fallback = "none",
     .choices = goals,
     .doc = "goal for Pareto fronts and optima"},
    {0}};

/* ----------------------------------------------------------------------------------------------- the rest */

typedef cap_study_fields_root root;

static const cap_field continuation_fields[] = {
    {.key = "factor",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(root, continuation.factor) - offsetof(root, continuation),
     .required = true,
     .doc = "name of the factor"},
    {.key = "from",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(root, continuation.from) - offsetof(root, continuation),
     .fallback = "low",
     .choices = (const char *const[]){"low", "high", NULL},
     .doc = "start value"},
    {0}};

#define IN_ANALYSIS(member) .offset = offsetof(root, analysis.member) - offsetof(root, analysis)

static const cap_field analysis_fields[] = {
    {.key = "pareto",
     .kind = CAP_FIELD_TEXTS,
     IN_ANALYSIS(pareto),
     .least = 2,
     .most = 3,
     .example = "[peak, force]",
     .doc = "responses with goals, for the cases that no other case beats in all of them"},
    {.key = "surface",
     .kind = CAP_FIELD_BOOL,
     IN_ANALYSIS(surface),
     .fallback = "false",
     .doc = "whether to fit a polynomial of second degree to each response, with its cross-validated error"},
    {.key = "bootstrap",
     .kind = CAP_FIELD_INT,
     IN_ANALYSIS(bootstrap),
     .fallback = "200",
     .low = 0,
     .high = 100000,
     .doc = "number of bootstrap samples for the confidence intervals of sensitivities"},
    {.key = "confidence",
     .kind = CAP_FIELD_REAL,
     .unit = "",
     IN_ANALYSIS(confidence),
     .fallback = "0.95",
     .low = 0.5,
     .high = 1,
     .high_open = true,
     .doc = "confidence level of intervals"},
    {0}};

static const cap_field bound_fields[] = {
    {.key = "response",
     .kind = CAP_FIELD_TEXT,
     PLACE(cap_study_fields_bound, response),
     .required = true,
     .example = "force",
     .doc = "name of a response"},
    {.key = "below",
     .kind = CAP_FIELD_TEXT,
     PLACE(cap_study_fields_bound, below),
     .example = "300 N",
     .doc = "upper limit"},
    {.key = "above", .kind = CAP_FIELD_TEXT, PLACE(cap_study_fields_bound, above), .doc = "lower limit"},
    {0}};

#define IN_OPTIMISE(member) PLACE(cap_study_fields_optimise, member)

static const cap_field optimise_fields[] = {
    {.key = "response",
     .kind = CAP_FIELD_TEXT,
     IN_OPTIMISE(response),
     .required = true,
     .example = "peak",
     .doc = "name of the response"},
    {.key = "goal",
     .kind = CAP_FIELD_CHOICE,
     IN_OPTIMISE(goal),
     .choices = goals + 1,
     .present = 1 + offsetof(cap_study_fields_optimise, goal_given),
     .doc = "minimise or maximise; default: the goal of the response"},
    {.key = "method",
     .kind = CAP_FIELD_CHOICE,
     IN_OPTIMISE(method),
     .choices = cap_optimise_methods,
     .present = 1 + offsetof(cap_study_fields_optimise, method_given),
     .doc = "method: local (bobyqa, cobyla, sbplx) or global (direct-l); default: cobyla with bounds, "
            "otherwise bobyqa"},
    {.key = "evaluations",
     .kind = CAP_FIELD_INT,
     IN_OPTIMISE(evaluations),
     .fallback = "200",
     .low = 1,
     .high = CAP_STUDY_CASES,
     .doc = "maximum number of evaluated cases"},
    {.key = "starts",
     .kind = CAP_FIELD_INT,
     IN_OPTIMISE(starts),
     .fallback = "1",
     .low = 1,
     .high = 1000,
     .doc = "number of starts, the first from the nominal values, the others from random values"},
    {.key = "tolerance",
     .kind = CAP_FIELD_REAL,
     .unit = "",
     IN_OPTIMISE(tolerance),
     .fallback = "1e-4",
     .low = 0,
     .low_open = true,
     .high = 1,
     .doc = "tolerance relative to the ranges of the factors"},
    {.key = "bounds",
     .kind = CAP_FIELD_LIST,
     IN_OPTIMISE(bounds),
     .most = CAP_STUDY_RESPONSES,
     .fields = bound_fields,
     .item_size = sizeof(cap_study_fields_bound),
     .doc = "limits of other responses"},
    {0}};

#define IN_SLURM(member) .offset = offsetof(root, slurm.member) - offsetof(root, slurm)

static const cap_field slurm_fields[] = {{.key = "chunk",
                                          .kind = CAP_FIELD_INT,
                                          IN_SLURM(chunk),
                                          .low = 1,
                                          .high = CAP_STUDY_CASES,
                                          .doc = "number of cases per task; default: chosen by the program"},
                                         {.key = "at_once",
                                          .kind = CAP_FIELD_INT,
                                          IN_SLURM(at_once),
                                          .low = 1,
                                          .high = CAP_STUDY_CASES,
                                          .doc = "maximum number of simultaneous tasks; default: no limit"},
                                         {.key = "options",
                                          .kind = CAP_FIELD_TEXTS,
                                          IN_SLURM(options),
                                          .most = 100,
                                          .example = "[\"--partition=main\", \"--time=01:00:00\"]",
                                          .doc = "options passed to sbatch unchanged"},
                                         {0}};

#define IN_ROOT(member) PLACE(root, member)

const cap_field cap_study_fields_table[] = {
    {.key = "capstan",
     .kind = CAP_FIELD_INT,
     IN_ROOT(format),
     .required = true,
     .low = CAP_STUDY_FIELDS_FORMAT,
     .high = CAP_STUDY_FIELDS_FORMAT,
     .example = "1",
     .doc = "format version of this file"},
    {.key = "study",
     .kind = CAP_FIELD_TEXT,
     IN_ROOT(study),
     .required = true,
     .example = "tolerance of the accessory drive",
     .doc = "name of the study in results and reports; this key marks a study file"},
    {.key = "description",
     .kind = CAP_FIELD_TEXT,
     IN_ROOT(description),
     .fallback = "",
     .doc = "free text about the study"},
    {.key = "model",
     .kind = CAP_FIELD_TEXT,
     IN_ROOT(model),
     .required = true,
     .example = "accessory_drive.yaml",
     .doc = "model file, relative to the folder of the study file"},
    {.key = "set",
     .kind = CAP_FIELD_TEXTS,
     IN_ROOT(set),
     .most = 1000,
     .example = "[\"analyses[0].transient.until=0.2 s\"]",
     .doc = "settings of all cases, as for --set"},
    {.key = "factors",
     .kind = CAP_FIELD_LIST,
     IN_ROOT(factors),
     .required = true,
     .least = 1,
     .most = CAP_STUDY_FACTORS,
     .fields = factor_fields,
     .item_size = sizeof(cap_study_fields_factor),
     .doc = "factors, each with values, levels, a range (from, to), a distribution or a formula"},
    {.key = "design",
     .kind = CAP_FIELD_VARIANT,
     IN_ROOT(design),
     .required = true,
     .variants = design_variants,
     .tag_key = "kind",
     .doc = "design: which values are combined in the cases"},
    {.key = "replicates",
     .kind = CAP_FIELD_INT,
     IN_ROOT(replicates),
     .fallback = "1",
     .low = 1,
     .high = 10000,
     .doc = "replicates of each point, each with its own seed: that of the model, the next one, ..."},
    {.key = "continuation",
     .kind = CAP_FIELD_SECTION,
     IN_ROOT(continuation),
     .fields = continuation_fields,
     .short_key = "factor",
     .doc = "factor along which each case starts from the final state of the previous case"},
    {.key = "responses",
     .kind = CAP_FIELD_LIST,
     IN_ROOT(responses),
     .required = true,
     .least = 1,
     .most = CAP_STUDY_RESPONSES,
     .fields = response_fields,
     .item_size = sizeof(cap_study_fields_response),
     .doc = "numbers taken from each case"},
    {.key = "analysis",
     .kind = CAP_FIELD_SECTION,
     IN_ROOT(analysis),
     .fields = analysis_fields,
     .doc = "evaluation of the responses, in addition to effects and sensitivities"},
    {.key = "optimise",
     .kind = CAP_FIELD_SECTION,
     IN_ROOT(optimise),
     .fields = optimise_fields,
     .present = 1 + offsetof(root, optimise_given),
     .doc = "optimisation of the factors, computed with --optimize"},
    {.key = "slurm",
     .kind = CAP_FIELD_SECTION,
     IN_ROOT(slurm),
     .fields = slurm_fields,
     .doc = "computation on a cluster (--slurm)"},
    {0}};
