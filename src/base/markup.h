/* base/markup.h — text inside HTML and XML. */
#pragma once
#include <stdio.h>

/* `text` with & < > " written as entities, fit for content and for attributes in double quotes. */
void cap_markup_put(FILE *out, const char *text);
