"""Minimax polynomials by Remez's exchange, with coefficients rounded to the machine's formats."""

import struct

from mpmath import matrix, lu_solve, mp, mpf

mp.dps = 45


def single(x):
    """The nearest f32."""
    return mpf(struct.unpack("<f", struct.pack("<f", float(x)))[0])


def double(x):
    """The nearest f64."""
    return mpf(float(x))


def exchange(f, weight, low, high, exponents, grid=30, rounds=12):
    """Coefficients of x**exponents that minimise max |weight * (p - f)|, and that maximum."""
    n = len(exponents)
    if n == 0:
        points = [low + (high - low) * mpf(i) / 200 for i in range(201)]
        return [], max(abs(weight(x) * f(x)) for x in points)
    cosines = [mp.cos(mp.pi * (2 * i + 1) / (2 * n + 2)) for i in range(n + 1)]
    nodes = [(low + high) / 2 - (high - low) / 2 * c + (high - low) / 1000003 for c in cosines]
    count = grid * (n + 1)
    points = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * i / count) for i in range(count + 1)]
    # Where the weight vanishes, any value will do.
    points = [x for x in points if abs(weight(x)) > mpf("1e-9")]
    values = [(x, f(x), weight(x)) for x in points]
    for _ in range(rounds):
        system, right = matrix(n + 1, n + 1), matrix(n + 1, 1)
        for i, x in enumerate(nodes):
            for j, e in enumerate(exponents):
                system[i, j] = x**e
            w = weight(x)
            system[i, n] = mpf(-1) ** i / w
            right[i] = f(x)
        solution = lu_solve(system, right)
        coefficients, level = [solution[j] for j in range(n)], abs(solution[n])
        errors = []
        for x, y, w in values:
            errors.append(w * (sum(c * x**e for c, e in zip(coefficients, exponents)) - y))
        # One extremum for each run of errors of one sign.
        extrema = [0]
        for i in range(1, len(errors)):
            if (errors[i] > 0) != (errors[extrema[-1]] > 0):
                extrema.append(i)
            elif abs(errors[i]) > abs(errors[extrema[-1]]):
                extrema[-1] = i
        while len(extrema) > n + 1:
            if len(extrema) == n + 2:
                first_is_smaller = abs(errors[extrema[0]]) < abs(errors[extrema[-1]])
                extrema.pop(0 if first_is_smaller else -1)
            else:
                k = min(range(len(extrema) - 1), key=lambda k: max(abs(errors[extrema[k]]), abs(errors[extrema[k + 1]])))
                del extrema[k : k + 2]
        if len(extrema) < n + 1:
            break
        nodes = [points[i] for i in extrema]
        top = max(map(abs, errors))
        if top < level * mpf("1.005"):
            break
    return coefficients, max(map(abs, errors))


def fit(f, low, high, exponents, weight=None, rounding=single):
    """Rounded coefficients by exponent, and the largest weighted error.

    For f32, each coefficient is rounded before the others are fitted again. The coefficients of an
    f64 are rounded together: their rounding is far below the error of the evaluation.
    """
    low, high = mpf(low), mpf(high)
    given = weight or (lambda x: 1 / f(x))

    def weight(x):
        return abs(given(x))

    known, free = {}, list(exponents)

    def rest(x):
        return f(x) - sum(c * x**e for e, c in known.items())

    while free:
        coefficients, _ = exchange(rest, weight, low, high, free)
        count = 1 if rounding is single else len(free)
        for e, c in zip(free[:count], coefficients):
            known[e] = rounding(c)
        free = free[count:]
    points = [low + (high - low) * mpf(i) / 997 for i in range(998)]
    points = [x for x in points if weight(x) > mpf("1e-9")]
    return known, max(weight(x) * abs(rest(x)) for x in points)
