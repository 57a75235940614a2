/* cli/screen.h — what goes out has no control characters of others: names of models and files, settings,
 * levels. */
#pragma once

/* Let standard output put "?" for control characters (base/printable.h). It stays as it is where memory is
 * exhausted. */
void cap_screen_guard(void);
/* The text of a file to standard output: byte by byte, but on a terminal as everything else. 0: written. */
int cap_screen_file(const char *text);
/* A message to standard error, likewise; the program's own escape sequences do not come this way. */
__attribute__((format(printf, 1, 2))) void cap_screen_print(const char *format, ...);
__attribute__((format(printf, 1, 0))) void cap_screen_vprint(const char *format, __builtin_va_list args);
