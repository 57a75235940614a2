/* Fuzz the tables of model files: a CSV file that a key names. Input: the file. */
#include "io/model_file.h"
#include "target.h"

static const char model[] = "capstan: 2\n"
                            "drive: push-force-tester\n"
                            "elements: {simulated: 30, real: 100}\n"
                            "contact: {edge: {stiffness: 7 MN, transition: 3e-4, nonlinearity: 5000}}\n"
                            "press: {compression: 1.2e-3, time: 1 s}\n"
                            "analyses:\n"
                            "  - fit:\n"
                            "      data: data.csv\n"
                            "      analysis: [{quasistatic: {until: 1 s, steps: 100}}]\n"
                            "      over: {channel: clamp.compression, column: compression}\n"
                            "      curves: [{channel: clamp.force, column: force, sigma: 12 N}]\n"
                            "      parameters: [{parameter: contact.edge.stiffness, scale: log}]\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  target_write(target_path("data.csv"), data, size);
  cap_model_file *file = NULL;
  cap_diag diag;
  cap_status status = cap_model_file_parse(target_path("m.yaml"), model, sizeof model - 1, 0, NULL, &file,
                                           &diag);
  if ((status == CAP_OK) != (file != NULL) || (status == CAP_OK) != (diag.nerror == 0)) abort();
  if (!*cap_diag_text(&diag) && status != CAP_OK) abort();
  cap_model_file_free(file);
  cap_diag_free(&diag);
  return 0;
}
