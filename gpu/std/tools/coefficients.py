"""Prints the coefficients of the polynomials in `src/numbers/math/functions`, highest power first.

    python coefficients.py [NAME]...

It needs the package mpmath. A fit takes a second for `f32` and up to a minute for `f64`. The error
is that of the polynomial alone, relative to the function's result.
"""

import sys

from mpmath import atanh, cos, erf, erfc, exp, log, log1p, mpf, nstr, pi, sin, sqrt, tan, tanh

from minimax import double, fit, single

THIRD = mpf(1) / 3
QUARTER_TURN = (pi / 4) ** 2 * mpf("1.002")
LOG2_E = 1 / log(2)


def at_zero(limit, f):
    """`f`, with its limit at zero."""
    return lambda x: limit if x == 0 else f(x)


def of_square(limit, f):
    """`f` of the square root."""
    return at_zero(limit, lambda s: f(sqrt(s)))


def scaled_erfc(turn):
    """`erfc(a) e^(a^2) (1 + 2 a)` of `t = (a - turn) / (a + turn)`."""

    def f(t):
        a = turn * (1 + t) / (1 - t)
        return erfc(a) * exp(a * a) * (1 + 2 * a)

    return f


def until(turn, a):
    """`t` of the largest argument of `scaled_erfc`."""
    return (mpf(a) - turn) / (mpf(a) + turn)


SERIES = of_square(mpf(1) / 12, lambda s: (2 * atanh(s / 2) / s - 1) / s**2)

# Name: function, range, number of coefficients, weight of the error, rounding.
FITS = {
    "log f32": (at_zero(mpf("-0.5"), lambda f: (log1p(f) - f) / f**2), -THIRD, THIRD, 9,
                at_zero(mpf(0), lambda f: f**2 / log1p(f)), single),
    "log2 f32": (at_zero(-LOG2_E / 2, lambda f: (log1p(f) - f) / f**2 * LOG2_E), -THIRD, THIRD, 9,
                 at_zero(mpf(0), lambda f: f**2 / log1p(f) / LOG2_E), single),
    "pow f32": (lambda z: SERIES(z) * LOG2_E, mpf(0), mpf("0.1178"), 4, lambda z: z * sqrt(z) * 128, single),
    "tanh f32": (of_square(-THIRD, lambda x: (tanh(x) / x - 1) / x**2), mpf(0), mpf("0.65") ** 2, 5,
                 of_square(mpf(0), lambda x: x**3 / tanh(x)), single),
    "erf f32": (of_square(2 / sqrt(pi) - 1, lambda x: erf(x) / x - 1), mpf(0), mpf(1), 7,
                of_square(sqrt(pi) / 2, lambda x: x / erf(x)), single),
    "log2 erfc f32": (lambda a: log(erfc(a), 2), mpf(1), mpf("3.95"), 7, lambda a: erfc(a) / erf(a), single),
    "scaled erfc f32": (scaled_erfc(2), mpf(-1), until(2, "10.1"), 10, None, single),
    "sin f32": (of_square(mpf(-1) / 6, lambda x: (sin(x) / x - 1) / x**2), mpf(0), QUARTER_TURN, 3,
                of_square(mpf(0), lambda x: x**3 / sin(x)), single),
    "cos f32": (of_square(mpf("-0.5"), lambda x: (cos(x) - 1) / x**2), mpf(0), QUARTER_TURN, 4,
                lambda s: s / cos(sqrt(s)), single),
    "tan f32": (of_square(THIRD, lambda x: (tan(x) / x - 1) / x**2), mpf(0), QUARTER_TURN, 6,
                of_square(mpf(0), lambda x: x**3 / tan(x)), single),
}

for name in sys.argv[1:] or FITS:
    f, low, high, count, weight, rounding = FITS[name]
    coefficients, error = fit(f, low, high, range(count), weight, rounding)
    digits = 9 if rounding is single else 17
    text = ", ".join(nstr(coefficients[e], digits) for e in reversed(range(count)))
    print(f"{name}, error 2^{nstr(log(error, 2), 4)}:\n    {text}")
