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
    {.key = "mean", .kind = CAP_FIELD_TEXT, IN_LAW(mean), .required = true, .doc = "mean, before the cuts"},
    {.key = "deviation",
     .kind = CAP_FIELD_TEXT,
     IN_LAW(deviation),
     .required = true,
     .doc = "standard deviation, before the cuts"},
    {.key = "low", .kind = CAP_FIELD_TEXT, IN_LAW(low), .doc = "nothing lies below it: sorted out, say"},
    {.key = "high", .kind = CAP_FIELD_TEXT, IN_LAW(high), .doc = "nothing lies above it"},
    {0}};

static const cap_field triangular_fields[] = {
    {.key = "low", .kind = CAP_FIELD_TEXT, IN_LAW(low), .required = true, .doc = "lowest value"},
    {.key = "mode", .kind = CAP_FIELD_TEXT, IN_LAW(mode), .required = true, .doc = "most likely value"},
    {.key = "high", .kind = CAP_FIELD_TEXT, IN_LAW(high), .required = true, .doc = "highest value"},
    {0}};

const cap_variant cap_study_fields_laws[] = {
    {"uniform", "all values between two ends alike", uniform_fields},
    {"log-uniform", "all factors between two ends alike: the logarithm is uniform", uniform_fields},
    {"normal", "a bell, cut where low and high are given", normal_fields},
    {"log-normal",
     "a quantity above 0 whose logarithm is normal; mean and deviation are those of the quantity itself",
     normal_fields},
    {"triangular", "two ends and the most likely value between them", triangular_fields},
    {0}};

static const char *const spacings[] = {"linear", "log", NULL};

#define IN_FACTOR(member) PLACE(cap_study_fields_factor, member)

static const cap_field factor_fields[] = {
    {.key = "name",
     .kind = CAP_FIELD_TEXT,
     IN_FACTOR(name),
     .required = true,
     .example = "rate",
     .doc = "what it is called in results and formulas: letters, digits and \"_\""},
    {.key = "description",
     .kind = CAP_FIELD_TEXT,
     IN_FACTOR(doc),
     .fallback = "",
     .doc = "what it is, in words, for reports"},
    {.key = "path",
     .kind = CAP_FIELD_TEXT,
     IN_FACTOR(path),
     .example = "tensioner.rate",
     .doc = "key of the model that it sets, any that --set reaches; without one it serves formulas only"},
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
     .doc = "the values that it takes"},
    {.key = "levels",
     .kind = CAP_FIELD_NAMED,
     IN_FACTOR(levels),
     .least = 1,
     .most = 1000,
     .example = "{soft: \"{law: linear, k0: 1e5 N/m}\", stiff: \"{law: linear, k0: 9e5 N/m}\"}",
     .doc = "of a key that is no number: a choice, a switch, a list or a whole section; with names, which "
            "reports show, or "
            "without"},
    {.key = "from",
     .kind = CAP_FIELD_TEXT,
     IN_FACTOR(from),
     .example = "0.3 N m/deg",
     .doc = "first value of a range; without count all values between are alike"},
    {.key = "to",
     .kind = CAP_FIELD_TEXT,
     IN_FACTOR(to),
     .example = "0.4 N m/deg",
     .doc = "last value of the range"},
    {.key = "count",
     .kind = CAP_FIELD_INT,
     IN_FACTOR(count),
     .low = 2,
     .high = 10000,
     .example = "5",
     .doc = "values of the range, both ends included"},
    {.key = "spacing",
     .kind = CAP_FIELD_CHOICE,
     IN_FACTOR(spacing),
     .fallback = "linear",
     .choices = spacings,
     .doc = "of the range: by differences or by factors"},
    {.key = "distribution",
     .kind = CAP_FIELD_VARIANT,
     IN_FACTOR(distribution),
     .variants = cap_study_fields_laws,
     .tag_key = "law",
     .present = 1 + offsetof(cap_study_fields_factor, distribution_given),
     .doc = "law of chance, for designs that sample: tolerances, scatter"},
    {.key = "formula",
     .kind = CAP_FIELD_TEXT,
     IN_FACTOR(formula),
     .example = "mass/7800",
     .doc = "follows from other factors, by their names, all in SI units"},
    {.key = "nominal",
     .kind = CAP_FIELD_TEXT,
     IN_FACTOR(nominal),
     .doc = "what it is while another one varies, and where an optimum is looked for from; the model's own "
            "value where that "
            "is in the range, else the middle; of a distribution its median, triangular: its mode; of levels "
            "the first"},
    {0}};

/* ------------------------------------------------------------------------------------------------ designs */

#define IN_DESIGN(member) PLACE(cap_study_fields_design, member)
#define DESIGN_SEED                                                                                          \
  {                                                                                                          \
    .key = "seed", .kind = CAP_FIELD_INT, IN_DESIGN(seed), .fallback = "0", .low = 0, .high = INFINITY,      \
    .doc = "of what is drawn; another one gives other points"                                                \
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
     .doc = "number of points; powers of two are the most even"},
    {.key = "seed",
     .kind = CAP_FIELD_INT,
     IN_DESIGN(seed),
     .fallback = "0",
     .low = 0,
     .high = INFINITY,
     .doc = "0: the plain sequence; otherwise a digital shift that is drawn from it"},
    {0}};

static const cap_field saltelli_fields[] = {
    {.key = "count",
     .kind = CAP_FIELD_INT,
     IN_DESIGN(count),
     .required = true,
     .low = 1,
     .high = CAP_STUDY_CASES,
     .example = "512",
     .doc = "points of each of the two samples; with d factors there are count (d + 2) cases"},
    {.key = "seed",
     .kind = CAP_FIELD_INT,
     IN_DESIGN(seed),
     .fallback = "0",
     .low = 0,
     .high = INFINITY,
     .doc = "0: the plain Sobol' sequence; otherwise a digital shift that is drawn from it"},
    {0}};

static const cap_field table_fields[] = {{.key = "file",
                                          .kind = CAP_FIELD_TEXT,
                                          IN_DESIGN(file),
                                          .required = true,
                                          .example = "cases.csv",
                                          .doc = "CSV file with a column for each factor that is no formula, "
                                                 "with units; levels by their number, from 1"},
                                         {0}};

/* In the order of cap_study_design_kind. */
static const cap_variant design_variants[] = {
    {"grid", "every value of each factor with every value of the others; the first factor is the slowest",
     NULL},
    {"one-at-a-time", "the nominal case, then each factor by itself at its values or ends", NULL},
    {"latin-hypercube", "each factor takes each of `count` equal parts of its law once, shuffled",
     sample_fields},
    {"sobol", "points of a Sobol' sequence, which fill the space evenly", sobol_fields},
    {"saltelli", "two Sobol' samples and their mixtures, for sensitivity indices of first order and total",
     saltelli_fields},
    {"table", "cases as a CSV file lists them", table_fields},
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
     .doc = "what it is called: letters, digits and \"_\""},
    {.key = "description",
     .kind = CAP_FIELD_TEXT,
     IN_RESPONSE(doc),
     .fallback = "",
     .doc = "what it is, in words, for reports"},
    {.key = "channel",
     .kind = CAP_FIELD_TEXT,
     IN_RESPONSE(channel),
     .example = "arm.angle",
     .doc = "column, array or number of the results of a case"},
    {.key = "group",
     .kind = CAP_FIELD_TEXT,
     IN_RESPONSE(group),
     .example = "transient",
     .doc = "of the results, where several have the channel; the last one that has it otherwise"},
    {.key = "reduce",
     .kind = CAP_FIELD_CHOICE,
     IN_RESPONSE(reduce),
     .fallback = "value",
     .choices = reductions,
     .present = 1 + offsetof(cap_study_fields_response, reduce_given),
     .doc = "how the channel becomes one number: value (it is one), amplitude (half of the range), peak "
            "(largest "
            "magnitude), settled (mean over the last part, when it is at rest there), stationary (mean from "
            "where it has "
            "become so), ..."},
    {.key = "from",
     .kind = CAP_FIELD_TEXT,
     IN_RESPONSE(from),
     .example = "0.1 s",
     .doc = "rows from here on, by the first column (time, swept parameter)"},
    {.key = "to", .kind = CAP_FIELD_TEXT, IN_RESPONSE(to), .example = "0.3 s", .doc = "rows up to here"},
    {.key = "part",
     .kind = CAP_FIELD_REAL,
     .unit = "",
     IN_RESPONSE(part),
     .fallback = "0.2",
     .low = 0,
     .low_open = true,
     .high = 1,
     .doc = "settled: the last part of the rows"},
    {.key = "tolerance",
     .kind = CAP_FIELD_REAL,
     .unit = "",
     IN_RESPONSE(tolerance),
     .present = 1 + offsetof(cap_study_fields_response, tolerance_given),
     .low = 0,
     .low_open = true,
     .high = 1,
     .doc = "what may be left, relative: of settled 0.01, of stationary 0.02 when not given"},
    {.key = "expression",
     .kind = CAP_FIELD_TEXT,
     IN_RESPONSE(expression),
     .example = "peak/mean(span.a.tension)",
     .doc = "formula over channels, numbers, factors and the responses before it, in SI units, instead of a "
            "channel"},
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
     .doc = "what would be better, for Pareto fronts and optima"},
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
     .doc = "where to begin"},
    {0}};

#define IN_ANALYSIS(member) .offset = offsetof(root, analysis.member) - offsetof(root, analysis)

static const cap_field analysis_fields[] = {
    {.key = "pareto",
     .kind = CAP_FIELD_TEXTS,
     IN_ANALYSIS(pareto),
     .least = 2,
     .most = 3,
     .example = "[peak, force]",
     .doc = "responses with goals: which cases are not beaten in all of them by another"},
    {.key = "surface",
     .kind = CAP_FIELD_BOOL,
     IN_ANALYSIS(surface),
     .fallback = "false",
     .doc = "fit a polynomial of second degree to each response, with its cross-validated error"},
    {.key = "bootstrap",
     .kind = CAP_FIELD_INT,
     IN_ANALYSIS(bootstrap),
     .fallback = "200",
     .low = 0,
     .high = 100000,
     .doc = "samples for the confidence of sensitivities"},
    {.key = "confidence",
     .kind = CAP_FIELD_REAL,
     .unit = "",
     IN_ANALYSIS(confidence),
     .fallback = "0.95",
     .low = 0.5,
     .high = 1,
     .high_open = true,
     .doc = "of intervals"},
    {0}};

static const cap_field bound_fields[] = {{.key = "response",
                                          .kind = CAP_FIELD_TEXT,
                                          PLACE(cap_study_fields_bound, response),
                                          .required = true,
                                          .example = "force",
                                          .doc = "name of a response"},
                                         {.key = "below",
                                          .kind = CAP_FIELD_TEXT,
                                          PLACE(cap_study_fields_bound, below),
                                          .example = "300 N",
                                          .doc = "it must not exceed this"},
                                         {.key = "above",
                                          .kind = CAP_FIELD_TEXT,
                                          PLACE(cap_study_fields_bound, above),
                                          .doc = "it must reach this"},
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
     .doc = "minimise or maximise; the goal of the response when not given"},
    {.key = "method",
     .kind = CAP_FIELD_CHOICE,
     IN_OPTIMISE(method),
     .choices = cap_optimise_methods,
     .present = 1 + offsetof(cap_study_fields_optimise, method_given),
     .doc = "how it is looked for: near the start (bobyqa, cobyla, sbplx) or everywhere (direct-l); when not "
            "given "
            "cobyla with bounds, else bobyqa"},
    {.key = "evaluations",
     .kind = CAP_FIELD_INT,
     IN_OPTIMISE(evaluations),
     .fallback = "200",
     .low = 1,
     .high = CAP_STUDY_CASES,
     .doc = "cases that may be computed"},
    {.key = "starts",
     .kind = CAP_FIELD_INT,
     IN_OPTIMISE(starts),
     .fallback = "1",
     .low = 1,
     .high = 1000,
     .doc = "the first from the nominal values, the others from other places"},
    {.key = "tolerance",
     .kind = CAP_FIELD_REAL,
     .unit = "",
     IN_OPTIMISE(tolerance),
     .fallback = "1e-4",
     .low = 0,
     .low_open = true,
     .high = 1,
     .doc = "relative to the ranges of the factors"},
    {.key = "bounds",
     .kind = CAP_FIELD_LIST,
     IN_OPTIMISE(bounds),
     .most = CAP_STUDY_RESPONSES,
     .fields = bound_fields,
     .item_size = sizeof(cap_study_fields_bound),
     .doc = "what other responses must keep"},
    {0}};

#define IN_SLURM(member) .offset = offsetof(root, slurm.member) - offsetof(root, slurm)

static const cap_field slurm_fields[] = {{.key = "chunk",
                                          .kind = CAP_FIELD_INT,
                                          IN_SLURM(chunk),
                                          .low = 1,
                                          .high = CAP_STUDY_CASES,
                                          .doc = "cases of a task; chosen when not given"},
                                         {.key = "at_once",
                                          .kind = CAP_FIELD_INT,
                                          IN_SLURM(at_once),
                                          .low = 1,
                                          .high = CAP_STUDY_CASES,
                                          .doc = "tasks at a time; any number when not given"},
                                         {.key = "options",
                                          .kind = CAP_FIELD_TEXTS,
                                          IN_SLURM(options),
                                          .most = 100,
                                          .example = "[\"--partition=main\", \"--time=01:00:00\"]",
                                          .doc = "handed to sbatch as they are"},
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
     .doc = "version of the format of this file"},
    {.key = "study",
     .kind = CAP_FIELD_TEXT,
     IN_ROOT(study),
     .required = true,
     .example = "tolerance of the accessory drive",
     .doc = "what the study is called in results and reports; this key makes it a study file"},
    {.key = "description",
     .kind = CAP_FIELD_TEXT,
     IN_ROOT(description),
     .fallback = "",
     .doc = "anything worth knowing about it"},
    {.key = "model",
     .kind = CAP_FIELD_TEXT,
     IN_ROOT(model),
     .required = true,
     .example = "accessory_drive.yaml",
     .doc = "the model file, from the folder of the study file"},
    {.key = "set",
     .kind = CAP_FIELD_TEXTS,
     IN_ROOT(set),
     .most = 1000,
     .example = "[\"analyses[0].transient.until=0.2 s\"]",
     .doc = "settings of all cases, as of --set"},
    {.key = "factors",
     .kind = CAP_FIELD_LIST,
     IN_ROOT(factors),
     .required = true,
     .least = 1,
     .most = CAP_STUDY_FACTORS,
     .fields = factor_fields,
     .item_size = sizeof(cap_study_fields_factor),
     .doc = "what is varied: each by values, levels, a range (from, to), a distribution or a formula"},
    {.key = "design",
     .kind = CAP_FIELD_VARIANT,
     IN_ROOT(design),
     .required = true,
     .variants = design_variants,
     .tag_key = "kind",
     .doc = "which values go together in the cases"},
    {.key = "replicates",
     .kind = CAP_FIELD_INT,
     IN_ROOT(replicates),
     .fallback = "1",
     .low = 1,
     .high = 10000,
     .doc = "of each point, each with its own seed of the model: its own, the next one, ..."},
    {.key = "continuation",
     .kind = CAP_FIELD_SECTION,
     IN_ROOT(continuation),
     .fields = continuation_fields,
     .short_key = "factor",
     .doc = "factor along which a case starts from the end of its neighbour"},
    {.key = "responses",
     .kind = CAP_FIELD_LIST,
     IN_ROOT(responses),
     .required = true,
     .least = 1,
     .most = CAP_STUDY_RESPONSES,
     .fields = response_fields,
     .item_size = sizeof(cap_study_fields_response),
     .doc = "numbers that are taken from each case"},
    {.key = "analysis",
     .kind = CAP_FIELD_SECTION,
     IN_ROOT(analysis),
     .fields = analysis_fields,
     .doc = "what is made of the responses, beside effects and sensitivities"},
    {.key = "optimise",
     .kind = CAP_FIELD_SECTION,
     IN_ROOT(optimise),
     .fields = optimise_fields,
     .present = 1 + offsetof(root, optimise_given),
     .doc = "the best values of the factors, looked for with --optimize"},
    {.key = "slurm",
     .kind = CAP_FIELD_SECTION,
     IN_ROOT(slurm),
     .fields = slurm_fields,
     .doc = "of computations on a cluster (--slurm)"},
    {0}};
