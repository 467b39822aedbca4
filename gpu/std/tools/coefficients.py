"""Prints the coefficients of the polynomials in `src/numbers/math/functions`, highest power first.

    python coefficients.py [NAME]...

It needs the package mpmath. A fit takes a second for `f32` and up to a minute for `f64`. The error
is that of the polynomial alone, relative to the function's result.
"""

import sys

from mpmath import (
    asin, atan, atan2, atanh, besseli, besselj, besseljzero, bessely, besselyzero, cos, erf, erfc, erfinv, euler, exp, expm1, log, log1p,
    loggamma, mpf, nstr, pi, sin, sinh, sqrt, tan, tanh
)

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


def gamma_part(t):
    """`gamma(y) / (sqrt(2 pi) y^(y - 1/2) e^-y)` of `t = 1 / y`."""
    return exp(tail_of_log_gamma(t) * t)


def tail_of_log_gamma(t):
    """`(log gamma(y) - (y - 1/2) log y + y - log(2 pi) / 2) y` of `t = 1 / y`."""
    if t == 0:
        return mpf(1) / 12
    y = 1 / t
    return (loggamma(y) - (y - mpf(1) / 2) * log(y) + y - log(2 * pi) / 2) / t


def log_gamma_around(one_or_two):
    """`log gamma(n + v) / v`."""
    limit = one_or_two - 1 - euler
    return lambda v: limit if abs(v) < mpf("1e-25") else loggamma(one_or_two + v) / v


def of_log_gamma(t):
    """The weight of an error of the tail in the logarithm."""
    return t / loggamma(1 / t) if t else mpf(0)


def erfc_inverse(p):
    """The `y` with `erfc(y) = p`, for a `p` up to 1."""
    if p > mpf("0.1"):
        return erfinv(1 - p)
    y = sqrt(-log(p) - log(sqrt(-log(p) * pi)))
    for _ in range(8):
        e = erfc(y)
        y += (log(e) - log(p)) * e / (2 / sqrt(pi) * exp(-y * y))
    return y


def inverse_of(w):
    """`erfc_inverse` of the `p` with `e^-w = p (2 - p)`."""
    q = exp(-w)
    return erfc_inverse(q / (1 + sqrt(1 - q)))


def erfinv_over_x(w):
    """`erfinv(x) / x` of `w = -log(1 - x^2)`."""
    return sqrt(pi) / 2 if w < mpf("1e-25") else inverse_of(w) / sqrt(1 - exp(-w))


def slope_of_erfinv(u):
    """`(erfinv(x) / x - sqrt(pi) / 2) / v` of `u = v - 3.6`, `v = -log2(1 - x^2)`."""
    v = max(u + mpf("3.6"), mpf("1e-20"))
    return (erfinv_over_x(v * log(2)) - sqrt(pi) / 2) / v


def far_of_erfinv(u):
    """`erfcinv(p) / s` of `u = (s - 13) / (s + 13)`, `s^2 = -log(p (2 - p))`."""
    s = 13 * (1 + u) / (1 - u)
    return inverse_of(s * s) / s


def without_zero(n, zero, center):
    """`J_n(x) / x^n / (x^2 - zero^2)` of `x^2 - center`."""

    def f(t):
        square = max(t + center, mpf("1e-20"))
        return besselj(n, sqrt(square)) / sqrt(square) ** n / (square - zero**2)

    return f


def beside_logarithm(zero):
    """`(Y_0(x) - 2 / pi J_0(x) log(x / zero)) / (x^2 - zero^2)` of `x^2 - 2.4`."""

    def f(t):
        square = max(t + mpf("2.4"), mpf("1e-20"))
        x = sqrt(square)
        return (bessely(0, x) - 2 / pi * besselj(0, x) * log(x / zero)) / (square - zero**2)

    return f


def beside_pole(x):
    """`(Y_1(x) - 2 / pi (J_1(x) log x - 1 / x)) / x`."""
    return (bessely(1, x) - 2 / pi * (besselj(1, x) * log(x) - 1 / x)) / x


def around_zero(n, zero):
    """`Y_n(x) / (x - zero)` of `x - zero`."""
    return lambda d: bessely(n, zero + (d if abs(d) > mpf("1e-20") else mpf("1e-20"))) / (d if abs(d) > mpf("1e-20") else mpf("1e-20"))


def modulus(n):
    """`sqrt((J_n^2 + Y_n^2) pi x / 2)` of `1 / x^2`."""

    def f(v):
        x = 1 / sqrt(v)
        return sqrt((besselj(n, x) ** 2 + bessely(n, x) ** 2) * pi * x / 2)

    return at_zero(mpf(1), f)


def phase(n):
    """`(theta - x + pi / 4 + n pi / 2) x` of `1 / x^2`, where `J_n` is the modulus times `cos theta`."""

    def f(v):
        x = 1 / sqrt(v)
        start = x - pi / 4 - n * pi / 2
        j, y = besselj(n, x), bessely(n, x)
        return atan2(y * cos(start) - j * sin(start), j * cos(start) + y * sin(start)) * x

    return at_zero(mpf(4 * n * n - 1) / 8, f)


def scaled_bessel(n):
    """`I_n(x) e^-x sqrt(x)` of `1 / x`."""
    return at_zero(1 / sqrt(2 * pi), lambda w: besseli(n, 1 / w) * exp(-1 / w) / sqrt(w))


def bessel_fits(name, counts, rounding):
    """The fits of the Bessel functions, with these numbers of coefficients."""
    zeros = [[besseljzero(n, i) for i in (1, 2)] for n in (0, 1)]
    y_zeros = [[besselyzero(n, i) for i in (1, 2, 3)] for n in (0, 1)]
    far = mpf(1) / 64
    table = {
        "j0 below 4": (without_zero(0, zeros[0][0], 8), -8, 8, None),
        "j0 below 8": (without_zero(0, zeros[0][1], 40), -24, 24, None),
        "j1 below 5.4": (without_zero(1, zeros[1][0], 14), -14, mpf("15.16"), None),
        "j1 below 8": (without_zero(1, zeros[1][1], 46), mpf("-16.84"), 18, None),
        "y0 below 2.2": (beside_logarithm(y_zeros[0][0]), mpf("-2.4"), mpf("2.44"), None),
        "y0 below 5.6": (around_zero(0, y_zeros[0][1]), mpf("2.2") - y_zeros[0][1], mpf("5.6") - y_zeros[0][1], None),
        "y0 below 8": (around_zero(0, y_zeros[0][2]), mpf("5.6") - y_zeros[0][2], 8 - y_zeros[0][2], None),
        "y1 below 1.5": (of_square((euler - log(2) - mpf("0.5")) / pi, beside_pole), 0, mpf("2.25"), None),
        "y1 below 3.9": (around_zero(1, y_zeros[1][0]), mpf("1.5") - y_zeros[1][0], mpf("3.9") - y_zeros[1][0], None),
        "y1 below 8": (around_zero(1, y_zeros[1][1]), mpf("3.9") - y_zeros[1][1], 8 - y_zeros[1][1], None),
        "modulus 0": (modulus(0), 0, far, None),
        "phase 0": (phase(0), 0, far, lambda v: sqrt(v) + mpf("1e-4")),
        "modulus 1": (modulus(1), 0, far, None),
        "phase 1": (phase(1), 0, far, lambda v: sqrt(v) + mpf("1e-4")),
        "i0 below 8": (lambda s: besseli(0, sqrt(s)), 0, 64, None),
        "i0 above 8": (scaled_bessel(0), 0, mpf(1) / 8, None),
        "i1 below 8": (of_square(mpf("0.5"), lambda x: besseli(1, x) / x), 0, 64, None),
        "i1 above 8": (scaled_bessel(1), 0, mpf(1) / 8, None),
    }
    return {
        f"{part} {name}": (f, mpf(low), mpf(high), count, weight, rounding)
        for (part, (f, low, high, weight)), count in zip(table.items(), counts)
    }


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
    "gamma f32": (gamma_part, mpf(0), mpf(1), 8, None, single),
    "power of gamma f32": (at_zero(log(2), lambda x: (mpf(2) ** x - 1) / x), mpf("-0.51"), mpf("0.51"), 6,
                           lambda x: x / mpf(2) ** x, single),
    "tail of lgamma f32": (tail_of_log_gamma, mpf(0), THIRD, 3, of_log_gamma, single),
    "lgamma around 1 f32": (log_gamma_around(1), mpf("-0.305"), mpf("0.505"), 11, None, single),
    "lgamma around 2 f32": (log_gamma_around(2), mpf("-0.505"), mpf("1.005"), 11, None, single),
    "erfinv f32": (slope_of_erfinv, mpf("-3.59"), mpf("3.61"), 10,
                   lambda u: (u + mpf("3.6")) / erfinv_over_x((u + mpf("3.6")) * log(2)), single),
    "far of erfinv f32": (lambda u: inverse_of(log(2) / (u + mpf("0.21875")) ** 2) * (u + mpf("0.21875")),
                          1 / sqrt(mpf(150)) - mpf("0.21875"), 1 / sqrt(mpf("7.19")) - mpf("0.21875"), 9, None, single),
    "gamma f64": (gamma_part, mpf(0), THIRD, 17, None, double),
    "tail of lgamma f64": (tail_of_log_gamma, mpf(0), THIRD, 13, of_log_gamma, double),
    "lgamma around 1 f64": (log_gamma_around(1), mpf("-0.301"), mpf("0.501"), 22, None, double),
    "lgamma around 2 f64": (log_gamma_around(2), mpf("-0.501"), mpf("1.001"), 22, None, double),
    "erfinv f64": (lambda u: erfinv_over_x(u + mpf("3.125")), mpf("-3.125"), mpf("3.125"), 23, None, double),
    "middle of erfinv f64": (lambda u: erfinv_over_x((u + mpf("3.25")) ** 2), mpf("-0.75"), mpf("0.75"), 19, None, double),
    "far of erfinv f64": (lambda u: erfinv_over_x((u + 5) ** 2), mpf("-1.001"), mpf("1.06"), 17, None, double),
    "farthest of erfinv f64": (far_of_erfinv, mpf(-7) / 19, (mpf("27.32") - 13) / (mpf("27.32") + 13), 24, None, double),
}

FITS |= bessel_fits("f32", [9, 10, 9, 9, 7, 13, 9, 5, 12, 15, 3, 3, 3, 3, 11, 6, 11, 6], single)
FITS |= bessel_fits("f64", [13, 15, 15, 14, 11, 25, 22, 10, 28, 30, 12, 12, 12, 12, 24, 22, 23, 22], double)

for name in sys.argv[1:] or FITS:
    f, low, high, count, weight, rounding = FITS[name]
    coefficients, error = fit(f, low, high, range(count), weight, rounding)
    digits = 9 if rounding is single else 17
    text = ", ".join(nstr(coefficients[e], digits) for e in reversed(range(count)))
    print(f"{name}, error 2^{nstr(log(error, 2), 4)}:\n    {text}")
