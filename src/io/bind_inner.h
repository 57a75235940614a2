/* io/bind_inner.h — what the files of the table interpreter share: where they are in the tree, and how they
 * complain. */
#pragma once
#include "io/bind.h"
#include "io/csv.h"

/* A step of the path from the root: a key, or an index when the key is NULL. */
typedef struct cap_bind_spot {
  const struct cap_bind_spot *up;
  const char *key;
  int index;
} cap_bind_spot;

/* A finding about `node` (its line and column, or its --set). */
__attribute__((format(printf, 4, 5))) void cap_bind_inner_report(cap_bind *bind, const cap_bind_spot *spot,
                                                                 const cap_yaml_node *node,
                                                                 const char *format, ...);
/* A finding that the value is not what the field wants: "expected a length such as "45 mm", got "45 kg";
 * reason". */
void cap_bind_inner_expected(cap_bind *bind, const cap_bind_spot *spot, const cap_yaml_node *node,
                             const cap_field *field, const char *reason);
/* What the field wants, in words. */
void cap_bind_value_describe(const cap_field *field, char *buffer, size_t size);
/* The value as found, quoted and shortened. */
void cap_bind_value_got(const cap_yaml_node *node, char *buffer, size_t size);

/* Fill the field of the struct at `base` from its value. */
void cap_bind_inner_field(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, void *base,
                          const cap_yaml_node *node);
/* Fill a struct from its section; `node` NULL = it was not given: defaults only, silently. */
void cap_bind_inner_section(cap_bind *bind, const cap_bind_spot *spot, const cap_field *fields, void *base,
                            const cap_yaml_node *node);

/* bind_value.c: scalars. */
bool cap_bind_value_real(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field,
                         const cap_yaml_node *node, double *value);
/* The field of the frequency in Hz by which an angular frequency may be given. */
cap_field cap_bind_value_hertz(const cap_field *angular);
bool cap_bind_value_int(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field,
                        const cap_yaml_node *node, int *value);
void cap_bind_value_field(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, void *place,
                          const cap_yaml_node *node);

/* bind_names.c: a name that the user gives, and those of the items of a list. */
void cap_bind_names_check(cap_bind *bind, const cap_bind_spot *spot, const cap_yaml_node *node,
                          const char *name);
void cap_bind_names_compare(cap_bind *bind, const cap_bind_spot *up, const cap_field *field,
                            const cap_list *list, const cap_yaml_node *node);

/* bind_array.c: lists of numbers and texts, series, sweeps. */
void cap_bind_array_field(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, void *place,
                          const cap_yaml_node *node);

/* The field that the key "parameter" of `node` names among those of the drive; NULL after a finding. */
const cap_field *cap_bind_array_parameter(cap_bind *bind, const cap_bind_spot *up, const cap_yaml_node *node);
/* Its path as the table has it: also where it was given in Hz. */
const char *cap_bind_array_path(cap_bind *bind, const cap_field *target, const char *path);

/* bind_input.c: {input: NAME, start: VALUE} in the place of a value. Whether the node is one, which then
 * has been dealt with. */
bool cap_bind_input_field(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, void *base,
                          const cap_yaml_node *node);

/* bind_data.c: tables of measured data, parameters to be found. */
void cap_bind_data_field(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, void *place,
                         const cap_yaml_node *node);

/* Largest number of items that the field takes. */
int cap_bind_inner_most(const cap_field *field);
/* Whether a list has as many items as the field allows; a finding when not. */
bool cap_bind_inner_count(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field,
                          const cap_yaml_node *node, int n);
/* A CSV file, beside the model file when `name` does not begin with "/"; false after findings, the last one
 * at the node. */
bool cap_bind_inner_csv(cap_bind *bind, const cap_bind_spot *spot, const cap_yaml_node *node,
                        const char *name, const char **path, cap_csv *csv);
/* Memory for n items; NULL marks the bind as exhausted. */
void *cap_bind_inner_array(cap_bind *bind, int n, size_t size);
