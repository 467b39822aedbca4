"""Writes `values.txt`: values of functions that `std` does not have, by mpmath.

    python values.py

A line is a function, an argument and the value, rounded to an `f64`; numbers are by their bits.
"""

import math
import os
import random
import struct

from mpmath import besseli, besselj, besseljzero, bessely, besselyzero, erfc, erfinv, exp, gamma, log, loggamma, mp, mpf, pi, sin, sqrt

mp.dps = 60
random.seed(1)


def erfc_inverse(p):
    """The `y` with `erfc(y) = p`."""
    if p > 1:
        return -erfc_inverse(2 - p)
    if p > mpf("0.1"):
        return erfinv(1 - p)
    y = sqrt(-log(p) - log(sqrt(-log(p) * pi)))
    for _ in range(12):
        e = erfc(y)
        y += (log(e) - log(p)) * e / (2 / sqrt(pi) * exp(-y * y))
    return y


def log_gamma(x):
    return loggamma(x) if x > 0 else log(pi / abs(x * sin(pi * x))) - loggamma(-x)


def single(x):
    """The nearest f32."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def spread(low, high, count):
    return [single(low + (high - low) * (i + random.random()) / count) for i in range(count)]


def powers(low, high, count):
    """Numbers between two powers of two, some of which no `f32` is."""
    return [2.0 ** (low + (high - low) * (i + random.random()) / count) for i in range(count)]


def around(zeros):
    """Numbers next to zeros of a function."""
    return [single(float(zero)) + d for zero in zeros for d in (0, 1e-6, -0.001)] + [float(zero) for zero in zeros]


def bessel(low, zeros):
    """Arguments of a Bessel function: from `low` to 8, next to its zeros, and beyond."""
    return spread(low, 8, 60) + around(zeros) + spread(8, 200, 30) + powers(8, 120, 12) + powers(-100, 0, 12)


INF, NAN = math.inf, math.nan
OF_SECOND_KIND = [(0.0, -INF), (-0.0, -INF), (-1.0, NAN), (-INF, NAN), (INF, 0.0), (NAN, NAN)]
# Function: its values, arguments, and the special values.
FUNCTIONS = {
    "gamma": (gamma, spread(0.01, 34, 60) + spread(-33, 0, 50) + spread(35, 171, 20) + spread(-180, -40, 20) + powers(-1000, 0, 12),
              [(0.0, INF), (-0.0, -INF), (-1.0, NAN), (-60.0, NAN), (INF, INF), (-INF, NAN), (NAN, NAN), (200.0, INF), (1e30, INF), (-200.5, 0.0)]),
    "ln_gamma": (log_gamma, spread(0.01, 4, 60) + spread(3, 60, 20) + spread(-2.2, 0, 30) + spread(-80, -24, 20) + powers(-1000, 900, 24),
                 [(0.0, INF), (-0.0, INF), (1.0, 0.0), (2.0, 0.0), (-3.0, INF), (INF, INF), (-INF, INF), (NAN, NAN)]),
    "erfcx": (lambda x: exp(x * x) * erfc(x) if x < 1000 else (1 - 1 / (2 * x * x)) / (x * sqrt(pi)), spread(-9, 12, 60) + spread(12, 40, 10) + spread(-26, -9, 10) + powers(5, 120, 12),
              [(0.0, 1.0), (INF, 0.0), (-INF, INF), (-30.0, INF), (NAN, NAN)]),
    "erf_inv": (erfinv, spread(-0.999, 0.999, 60) + [1 - x for x in powers(-52, -3, 24)] + powers(-100, -3, 12),
                [(0.0, 0.0), (-0.0, -0.0), (1.0, INF), (-1.0, -INF), (1.5, NAN), (INF, NAN), (NAN, NAN)]),
    "erfc_inv": (erfc_inverse, spread(0.001, 1.999, 60) + powers(-1074, -3, 40) + [2 - x for x in powers(-51, -3, 12)],
                 [(1.0, 0.0), (0.0, INF), (2.0, -INF), (-0.5, NAN), (2.5, NAN), (NAN, NAN)]),
    "norm_cdf": (lambda x: erfc(-x / sqrt(mpf(2))) / 2, spread(-13, 8, 80) + spread(-37, -13, 20),
                 [(0.0, 0.5), (-INF, 0.0), (INF, 1.0), (NAN, NAN)]),
    "norm_cdf_inv": (lambda x: -sqrt(mpf(2)) * erfc_inverse(2 * x), spread(0.001, 0.999, 60) + powers(-1074, -3, 40) + [1 - x for x in powers(-52, -3, 12)],
                     [(0.5, 0.0), (0.0, -INF), (1.0, INF), (-0.5, NAN), (1.5, NAN), (NAN, NAN)]),
    "j0": (lambda x: besselj(0, x), bessel(-8, [besseljzero(0, i) for i in (1, 2)]), [(0.0, 1.0), (INF, 0.0), (-INF, 0.0), (NAN, NAN)]),
    "j1": (lambda x: besselj(1, x), bessel(-8, [besseljzero(1, i) for i in (1, 2)]), [(0.0, 0.0), (-0.0, -0.0), (INF, 0.0), (NAN, NAN)]),
    "y0": (lambda x: bessely(0, x), bessel(0, [besselyzero(0, i) for i in (1, 2, 3)]), OF_SECOND_KIND),
    "y1": (lambda x: bessely(1, x), bessel(0, [besselyzero(1, i) for i in (1, 2)]), OF_SECOND_KIND),
    "jn": (lambda x: besselj(5, x), spread(-200, 200, 60) + powers(-12, 3, 20), [(0.0, 0.0), (INF, 0.0), (NAN, NAN)]),
    "yn": (lambda x: bessely(5, x), spread(0, 200, 60) + powers(-12, 3, 20), OF_SECOND_KIND),
    "cyl_bessel_i0": (lambda x: besseli(0, x), spread(-90, 90, 60) + spread(0, 8, 30) + spread(90, 710, 20) + powers(-100, 0, 12),
                      [(0.0, 1.0), (INF, INF), (-INF, INF), (NAN, NAN)]),
    "cyl_bessel_i1": (lambda x: besseli(1, x), spread(-90, 90, 60) + spread(0, 8, 30) + spread(90, 710, 20) + powers(-100, 0, 12),
                      [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN)]),
}


def bits(x):
    return f"{struct.unpack('<Q', struct.pack('<d', x))[0]:016x}"


path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "values.txt")
with open(path, "w") as out:
    for name, (function, arguments, special) in FUNCTIONS.items():
        for x in arguments:
            # With a few more digits than 53 bits, the conversion rounds once.
            out.write(f"{name} {bits(x)} {bits(float(function(mpf(x))))}\n")
        for x, value in special:
            out.write(f"{name} {bits(x)} {bits(value)}\n")
