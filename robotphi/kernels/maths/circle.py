"""Cosine and sine at once, without a call: mechanisms need both of half the angle of every joint.

x = k π/2 + r with π/2 in three parts of which the first two times k are exact (Cody and Waite 1980), and the minimax
polynomials of fdlibm (Sun 1993) for |r| ≤ π/4: within two units of the last place.
"""
import math

from robotphi.kernels.compiling.compiled import inlined

BIG = 1.5 * 2.0**52   # has no room for parts of one
FAR = 1e5         # rad, from which on the parts of π/2 are too few
PART_1, PART_2, PART_3 = 1.57079632673412561417e+00, 6.07710050630396597660e-11, 2.02226624879595063154e-21
S1, S2, S3 = -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04
S4, S5, S6 = 2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10
C1, C2, C3 = 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05
C4, C5, C6 = -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11


@inlined
def cos_sin(x):
    if not abs(x) < FAR:
        return math.cos(x), math.sin(x)
    k = x * (2.0 / math.pi) + BIG - BIG   # the nearest whole number
    r = ((x - k * PART_1) - k * PART_2) - k * PART_3
    z = r * r
    w = z * z
    sine = r + r * z * ((S1 + z * S2) + w * ((S3 + z * S4) + w * (S5 + z * S6)))
    cosine = 1.0 - (0.5 * z - w * ((C1 + z * C2) + w * ((C3 + z * C4) + w * (C5 + z * C6))))
    quarter = int(k) & 3
    c, s = (cosine, sine) if quarter & 1 == 0 else (sine, cosine)
    return (-c if (quarter + 1) & 2 else c), (-s if quarter & 2 else s)
