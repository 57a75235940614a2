/* cli/overwrite.h — what is at the place where the program is about to write, and whether it may go. Asked
 * before anything is computed. */
#pragma once
#include "base/status.h"
#include <stdbool.h>

/* A result file of `capstan run`: an older result, or an interrupted run, goes only with `force`; a
 * file that is no result never. CAP_OK: write it; CAP_ERR_INPUT with the reason otherwise. */
cap_status cap_overwrite_result(const char *path, bool force, cap_error *error);
/* A result that is made again in no time: one of the same drive may go, no other file. */
cap_status cap_overwrite_same(const char *path, const char *drive, cap_error *error);
/* A page of `capstan report`, which can be made again: any page of capstan may go, no other file. */
cap_status cap_overwrite_page(const char *path, cap_error *error);
/* A drawing of `capstan check`: any SVG may go, no other file. */
cap_status cap_overwrite_picture(const char *path, cap_error *error);
/* A text that the user may have edited: goes only with `force`. */
cap_status cap_overwrite_text(const char *path, bool force, cap_error *error);
