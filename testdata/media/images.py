"""What make-images.sh needs beyond other people's tools: section 9 of docs/checkpoint.md, written from the page in double
precision, with nothing but Python's standard library.

    scene WIDTH HEIGHT SEED > ppm              a picture with edges, slopes, saturated colours and no symmetry
    inks PPM > samples                         the inks of a picture, C M Y K, as light: 255 is no ink
    light plain|adobe WIDTH HEIGHT < samples   the picture that four samples a pixel make, as PPM
    lay WIDTH HEIGHT < samples > ppm           RGBA of 16 bits, big-endian, laid over BACKGROUND
    place WIDTH HEIGHT X Y PPM > ppm           a picture on a canvas of BACKGROUND
    resize PPM SIDE > f32                      step 4
    patches PPM SIDE PATCH > f32               steps 4 to 6
"""
import math
import random
import struct
import sys

BACKGROUND = (16, 96, 240)
MEAN = (0.48145466, 0.4578275, 0.40821073)
DEVIATION = (0.26862954, 0.26130258, 0.27577711)


def ppm(width, height, pixels):
    return b"P6\n%d %d\n255\n" % (width, height) + bytes(pixels)


def read_ppm(path):
    with open(path, "rb") as file:
        magic, width, height, most, pixels = split_ppm(file.read())
    assert magic == b"P6" and most == b"255", path
    return int(width), int(height), pixels


def split_ppm(data):
    """The pixels begin after the single white space behind the fourth word, and may begin with white space."""
    words, at = [], 0
    while len(words) < 4:
        end = at
        while not data[end : end + 1].isspace():
            end += 1
        words.append(data[at:end])
        at = end + 1
    return (*words, data[at:])


def scene(width, height, seed):
    """Waves and discs of colour under some noise, a dark corner, and hard bars of pure colour."""
    chance = random.Random(seed)
    discs = [
        (chance.random() * width, chance.random() * height, (0.05 + 0.2 * chance.random()) * min(width, height),
         [chance.randrange(256) for _ in range(3)])
        for _ in range(9)
    ]
    out = bytearray()
    for y in range(height):
        for x in range(width):
            u, v = x / width, y / height
            c = [
                128 + 100 * math.sin(5 * u + 2 * v),
                255 * u * (1 - 0.5 * v),
                128 + 100 * math.cos(3 * v - 4 * u * v),
            ]
            for cx, cy, r, colour in discs:
                if math.hypot(x - cx, y - cy) < r:
                    c = [0.2 * a + 0.8 * b for a, b in zip(c, colour)]
            if v > 0.85:
                c = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0], [255, 255, 255], [0, 0, 0]][int(6 * u)]
            elif u < 0.25 and v < 0.25:
                c = [a * (u + v) * 2 for a in c]
            out += bytes(min(max(round(a + chance.gauss(0, 4)), 0), 255) for a in c)
    return ppm(width, height, out)


def inks(path):
    """The black of a colour is what its brightest channel lacks; the other inks are relative to it. As light, that is."""
    width, height, pixels = read_ppm(path)
    out = bytearray()
    for i in range(0, len(pixels), 3):
        c = pixels[i : i + 3]
        black = max(c)
        out += bytes((255 * v + black // 2) // black if black else 255 for v in c) + bytes([black])
    return bytes(out)


def light(kind, width, height, samples):
    out = bytearray()
    for i in range(0, len(samples), 4):
        ink = samples[i : i + 4] if kind == "plain" else bytes(255 - v for v in samples[i : i + 4])
        out += bytes(math.floor((255 - v) * (255 - ink[3]) / 255 + 0.5) for v in ink[:3])
    return ppm(width, height, out)


def lay(width, height, samples):
    out = bytearray()
    for pixel in struct.iter_unpack(">4H", samples):
        *colour, alpha = ((v + 128) // 257 for v in pixel)
        out += bytes((c * alpha + b * (255 - alpha) + 127) // 255 for c, b in zip(colour, BACKGROUND))
    return ppm(width, height, out)


def place(width, height, left, top, path):
    wide, high, pixels = read_ppm(path)
    rows = [bytearray(bytes(BACKGROUND) * width) for _ in range(height)]
    for y in range(high):
        rows[top + y][left * 3 : (left + wide) * 3] = pixels[y * wide * 3 : (y + 1) * wide * 3]
    return ppm(width, height, b"".join(rows))


def cubic(t):
    t = abs(t)
    if t < 1:
        return 1.5 * t**3 - 2.5 * t**2 + 1
    if t < 2:
        return -0.5 * t**3 + 2.5 * t**2 - 4 * t + 2
    return 0


def axis(length, side):
    """For each output, its inputs and their weights."""
    spread = max(length / side, 1)
    for o in range(side):
        z = (o + 0.5) * length / side
        terms = [(i, cubic((i + 0.5 - z) / spread)) for i in range(length) if abs(i + 0.5 - z) < 2 * spread]
        total = math.fsum(w for _, w in terms)
        yield [(i, w / total) for i, w in terms]


def resize(path, side):
    """[side][side][3], by fsum: every value is right to the last bit but one."""
    width, height, pixels = read_ppm(path)
    columns, rows = list(axis(width, side)), list(axis(height, side))
    wide = [
        [[math.fsum(w * pixels[(y * width + x) * 3 + c] for x, w in column) for c in range(3)] for column in columns]
        for y in range(height)
    ]
    return [
        [[min(max(math.fsum(w * wide[y][o][c] for y, w in row), 0), 255) for c in range(3)] for o in range(side)]
        for row in rows
    ]


def patches(path, side, size):
    square = resize(path, side)
    for top in range(0, side, size):
        for left in range(0, side, size):
            for y in range(top, top + size):
                for x in range(left, left + size):
                    for c in range(3):
                        yield (square[y][x][c] / 255 - MEAN[c]) / DEVIATION[c]


def floats(values):
    values = list(values)
    return struct.pack("<%df" % len(values), *values)


def main(verb, *rest):
    if verb == "scene":
        return scene(*map(int, rest))
    if verb == "inks":
        return inks(rest[0])
    if verb == "light":
        return light(rest[0], int(rest[1]), int(rest[2]), sys.stdin.buffer.read())
    if verb == "lay":
        return lay(*map(int, rest), sys.stdin.buffer.read())
    if verb == "place":
        return place(*map(int, rest[:4]), rest[4])
    if verb == "resize":
        return floats(c for row in resize(rest[0], int(rest[1])) for pixel in row for c in pixel)
    if verb == "patches":
        return floats(patches(rest[0], int(rest[1]), int(rest[2])))
    sys.exit(__doc__)


sys.stdout.buffer.write(main(*sys.argv[1:]))
