/* linalg/student.h — Student's distribution, for intervals of fitted numbers. */
#pragma once

/* 97.5 % point (two-sided 95 %) for `freedom` degrees of freedom, by Cornish and Fisher's series: within 1e-4
 * from 20 on, 2e-3 from 6 on. */
static inline double capm_student_point(double freedom)
{
  const double z = 1.959963984540054, z2 = z * z, f = 1.0 / freedom;
  const double g1 = z * (z2 + 1.0) / 4.0, g2 = z * ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0;
  const double g3 = z * (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0;
  return z + f * (g1 + f * (g2 + f * g3));
}

/* The t within which -t..t holds `confidence` (0 < confidence < 1) of the distribution, for any freedom > 0:
 * to 1e-10 relative. */
double capm_student_two_sided(double confidence, double freedom);
