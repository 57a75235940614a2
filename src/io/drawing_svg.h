/* io/drawing_svg.h — a drawing (base/drawing.h) as SVG: one file for light and dark, without scripts. */
#pragma once
#include "base/drawing.h"
#include "base/status.h"
#include <stdio.h>

/* Labels are moved until they cover neither each other nor lines, where there is room; the picture grows with
 * them. The same drawing gives the same bytes. CAP_ERR_NOMEM, CAP_ERR_IO. */
cap_status cap_drawing_svg_write(const cap_drawing *drawing, const char *title, FILE *out);
