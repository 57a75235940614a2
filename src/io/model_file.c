/* io/model_file.c — see model_file.h: model files with the drives and analyses of the program. */
#include "io/model_file.h"
#include "io/model_parse.h"

cap_model_parse_registry cap_model_file_registry(void)
{
  return (cap_model_parse_registry){.drives = cap_registry_drives,
                                    .analyses = cap_registry_analysis_variants,
                                    .largest_spec = cap_registry_largest_spec(),
                                    .outputs = cap_registry_outputs_fields};
}

cap_status cap_model_file_parse(const char *path, const char *text, size_t size, int nsetting,
                                const char *const *settings, cap_model_file **file, cap_diag *diag)
{
  cap_model_parse_registry registry = cap_model_file_registry();
  return cap_model_parse_text(&registry, path, text, size, nsetting, settings, file, diag);
}

cap_status cap_model_file_read(const char *path, int nsetting, const char *const *settings,
                               cap_model_file **file, cap_diag *diag)
{
  cap_model_parse_registry registry = cap_model_file_registry();
  return cap_model_parse_file(&registry, path, nsetting, settings, file, diag);
}

void cap_model_file_free(cap_model_file *file)
{
  cap_model_parse_free(file);
}
