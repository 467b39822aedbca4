"""Prints the coefficients of the polynomials in `src/numbers/math/functions`, highest power first.

    python coefficients.py [NAME]...

It needs the package mpmath. A fit takes a second for `f32` and up to a minute for `f64`. The error
is that of the polynomial alone, relative to the function's result.
"""

import sys

from mpmath import asin, atan, atanh, cos, erf, erfc, exp, expm1, log, log1p, mpf, nstr, pi, sin, sinh, sqrt, tan, tanh

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


def tail_of_erfc(turn):
    """`erfc(a) e^(a^2)` of `t = (a - turn) / (a + turn)`, and the weight of its error in erf."""

    def argument(t):
        return turn * (1 + t) / (1 - t)

    def weight(t):
        a = argument(t)
        return exp(-a * a) / erf(a)

    return lambda t: erfc(argument(t)) * exp(argument(t) ** 2), weight


def odd(limit, f, high, count, rounding):
    """A fit of `(f(x) / x - 1) / x^2` in the square of x up to `high`."""
    g = of_square(mpf(limit), lambda x: (f(x) / x - 1) / x**2)
    return g, mpf(0), high, count, of_square(mpf(0), lambda x: x**3 / f(x)), rounding


def odd_double(limit, f, high, count):
    """The same for `f64`, with a weight near that of the relative error."""
    g, low, high, count, _, rounding = odd(limit, f, high, count, double)
    return g, low, high, count, lambda s: s + mpf("1e-6"), rounding


SMALL = log(2) / 2
TAIL, TAIL_WEIGHT = tail_of_erfc(mpf("2.5"))
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
    "expm1 f32": (at_zero(mpf("0.5"), lambda r: (expm1(r) - r) / r**2), -SMALL * mpf("1.01"), SMALL * mpf("1.01"), 5,
                  at_zero(mpf(0), lambda r: r**2 / expm1(r)), single),
    "sinh f32": odd(THIRD / 2, sinh, mpf(1), 3, single),
    "asin f32": odd(THIRD / 2, asin, mpf("0.3137"), 5, single),
    "atan f32": odd(-THIRD, atan, mpf(1), 8, single),
    "sinpi f32": (of_square(-pi**3 / 6, lambda x: (sin(pi * x) / x - pi) / x**2), mpf(0), mpf("0.0626"), 3,
                  of_square(mpf(0), lambda x: x**3 / sin(pi * x)), single),
    "cospi f32": (of_square(-pi**2 / 2, lambda x: (cos(pi * x) - 1) / x**2), mpf(0), mpf("0.0626"), 4,
                  lambda s: s / cos(pi * sqrt(s)), single),
    "exp f64": (at_zero(mpf("0.5"), lambda r: (exp(r) - 1 - r) / r**2), -SMALL * mpf("1.001"), SMALL * mpf("1.001"), 10,
                lambda r: r * r, double),
    "expm1 f64": (at_zero(mpf("0.5"), lambda r: (expm1(r) - r) / r**2), -SMALL * mpf("1.001"), SMALL * mpf("1.001"), 11,
                  at_zero(mpf(0), lambda r: r**2 / expm1(r)), double),
    "log f64": (SERIES, mpf(0), mpf("0.1178"), 7, lambda z: z + mpf("1e-6"), double),
    "pow f64": (SERIES, mpf(0), mpf("0.1178"), 9, lambda z: z + mpf("1e-6"), double),
    "sin f64": odd_double(-THIRD / 2, sin, QUARTER_TURN, 6),
    "cos f64": (of_square(mpf(1) / 24, lambda x: (cos(x) - 1 + x**2 / 2) / x**4), mpf(0), QUARTER_TURN, 6,
                lambda s: s * s + mpf("1e-6"), double),
    "tan f64": odd(THIRD, tan, QUARTER_TURN, 14, double),
    "asin f64": odd(THIRD / 2, asin, mpf("0.2501"), 12, double),
    "atan f64": odd(-THIRD, atan, mpf(1), 19, double),
    "tanh f64": odd_double(-THIRD, tanh, mpf("0.55") ** 2, 10),
    "sinh f64": odd_double(THIRD / 2, sinh, mpf(1), 7),
    "erf f64": (of_square(2 / sqrt(pi) - 1, lambda x: erf(x) / x - 1), mpf(0), mpf(1), 12, lambda s: mpf(1), double),
    "tail of erf f64": (TAIL, (1 - mpf("2.5")) / (1 + mpf("2.5")), until(mpf("2.5"), "5.95"), 15, TAIL_WEIGHT, double),
    "scaled erfc f64": (scaled_erfc(4), mpf(-1), until(4, 28), 22, None, double),
}

for name in sys.argv[1:] or FITS:
    f, low, high, count, weight, rounding = FITS[name]
    coefficients, error = fit(f, low, high, range(count), weight, rounding)
    digits = 9 if rounding is single else 17
    text = ", ".join(nstr(coefficients[e], digits) for e in reversed(range(count)))
    print(f"{name}, error 2^{nstr(log(error, 2), 4)}:\n    {text}")
