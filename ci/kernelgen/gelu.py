"""Fits the polynomial of GELU, and prints its coefficients from the lowest power. Needs mpmath.

GELU(x) = max(x, 0) + b·Φ(b) with b = -|x|, and Φ(b) = 1 / p(b)⁴, so that large inputs need no case
of their own. p is fitted to Φ(b)^(-1/4) such that the largest error of b·Φ(b) is least, by least
squares whose weights grow where the error is large (Lawson's method). Coefficients are rounded to
32 bits from the lowest power on, and the others fitted again after each.
"""
import struct

import mpmath as mp

mp.mp.dps = 30
DEGREE, POWER, END, POINTS = 11, 4, -6, 160


def phi(b):
    return mp.erfc(-b / mp.sqrt(2)) / 2


def to_float32(v):
    return mp.mpf(struct.unpack("f", struct.pack("f", float(v)))[0])


points = [END * (1 - mp.cos(mp.pi * (i + 0.5) / POINTS)) / 2 for i in range(POINTS)]
target = [phi(b) ** (-mp.mpf(1) / POWER) for b in points]
# The derivative of b·p⁻⁴ by p; near zero, where GELU is b/2, the relative error counts too.
slope = [max(-b, 0.1) * POWER * t ** (-POWER - 1) for b, t in zip(points, target)]


def fit(known):
    """Returns all coefficients, of which the first are known, and the largest error."""
    free = range(len(known), DEGREE + 1)
    weights = [mp.mpf(1)] * POINTS
    for _ in range(12):
        left, right = mp.zeros(len(free), len(free)), mp.zeros(len(free), 1)
        for b, t, s, w in zip(points, target, slope, weights):
            row = [s * b**j for j in free]
            rest = s * (t - mp.polyval(known[::-1], b)) if known else s * t
            for i, u in enumerate(row):
                right[i] += w * u * rest
                for j, v in enumerate(row):
                    left[i, j] += w * u * v
        all = known + list(mp.lu_solve(left, right))
        errors = [s * abs(mp.polyval(all[::-1], b) - t) for b, t, s in zip(points, target, slope)]
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
dense = [-mp.mpf(i) / 1000 for i in range(30001)]
error = max(abs(b * (mp.polyval(coefficients[::-1], b) ** -POWER - phi(b))) for b in dense)
print("largest error in exact arithmetic:", mp.nstr(error, 3))
print(", ".join(mp.nstr(c, 9) for c in coefficients))
