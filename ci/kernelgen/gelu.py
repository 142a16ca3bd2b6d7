"""Fits the polynomial of GELU, and prints its coefficients from the lowest power. Needs mpmath.

GELU(x) = max(x, 0) - a·Φ(-a) with a = |x|, and Φ(-a) = 1 / p(a)⁴, so that large inputs need no case
of their own. p is fitted to Φ(-a)^(-1/4) such that the largest error of a·Φ(-a) is least, by least
squares whose weights grow where the error is large (Lawson's method). Coefficients are rounded to
32 bits from the lowest power on, and the others fitted again after each.
"""
import struct

import mpmath as mp

mp.mp.dps = 30
DEGREE, POWER, END, POINTS = 11, 4, 6, 160


def phi(a):
    return mp.erfc(a / mp.sqrt(2)) / 2


def to_float32(v):
    return mp.mpf(struct.unpack("f", struct.pack("f", float(v)))[0])


points = [END * (1 - mp.cos(mp.pi * (i + 0.5) / POINTS)) / 2 for i in range(POINTS)]
target = [phi(a) ** (-mp.mpf(1) / POWER) for a in points]
# The derivative of a·p⁻⁴ by p; near zero, where GELU is a/2, the relative error counts too.
slope = [max(a, 0.1) * POWER * t ** (-POWER - 1) for a, t in zip(points, target)]


def fit(known):
    """Returns all coefficients, of which the first are known, and the largest error."""
    free = range(len(known), DEGREE + 1)
    weights = [mp.mpf(1)] * POINTS
    for _ in range(12):
        left, right = mp.zeros(len(free), len(free)), mp.zeros(len(free), 1)
        for a, t, s, w in zip(points, target, slope, weights):
            row = [s * a**j for j in free]
            rest = s * (t - mp.polyval(known[::-1], a)) if known else s * t
            for i, u in enumerate(row):
                right[i] += w * u * rest
                for j, v in enumerate(row):
                    left[i, j] += w * u * v
        all = known + list(mp.lu_solve(left, right))
        errors = [s * abs(mp.polyval(all[::-1], a) - t) for a, t, s in zip(points, target, slope)]
        largest = max(errors)
        weights = [w * (e / largest + mp.mpf("1e-3")) for w, e in zip(weights, errors)]
        total = sum(weights)
        weights = [w * POINTS / total for w in weights]
    return all, largest


coefficients = [to_float32(mp.mpf(2) ** (mp.mpf(1) / POWER))]  # Φ(0) is 1/2
print("the relative error of Φ(0):", mp.nstr(coefficients[0] ** -POWER * 2 - 1, 3))
while len(coefficients) <= DEGREE:
    all, largest = fit(coefficients)
    coefficients.append(to_float32(all[len(coefficients)]))
dense = [mp.mpf(i) / 1000 for i in range(30001)]
error = max(abs(a * (mp.polyval(coefficients[::-1], a) ** -POWER - phi(a))) for a in dense)
print("largest error in exact arithmetic:", mp.nstr(error, 3))
print(", ".join(mp.nstr(c, 9) for c in coefficients))
