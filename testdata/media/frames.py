#!/usr/bin/env python3
"""Writes frames of a clip, one below the other, as a PPM: frames.py CLIP OUT NUMBER...

The ffmpeg program decodes and turns them, and gives luma and chroma as they are; what colours those are is computed here, in
fractions, by the words of sections 9 and 10 of docs/checkpoint.md. Frames are counted from 0 in the order of presentation.
"""
import json
import re
import subprocess
import sys

WEIGHTS = {"bt709": (0.2126, 0.0722), "fcc": (0.30, 0.11), "smpte240m": (0.212, 0.087), "bt2020nc": (0.2627, 0.0593)}
SHARED = {"410": (4, 4), "411": (4, 1), "420": (2, 2), "422": (2, 1), "440": (1, 2), "444": (1, 1)}


def spread(samples, count, shared):
    """An axis of chroma at the places of pixels: a quarter of the far sample, or the near one where four share it."""
    if shared != 2:
        return [samples[i // shared] for i in range(count)]
    out = []
    for i in range(count):
        far = min(max(i // 2 + (1 if i % 2 else -1), 0), len(samples) - 1)
        out.append(0.75 * samples[i // 2] + 0.25 * samples[far])
    return out


def chroma(plane, columns, width, height, across, down):
    rows = [plane[at:at + columns] for at in range(0, len(plane), columns)]
    if across > 2 or down > 2:
        return [[rows[y // down][x // across] for x in range(width)] for y in range(height)]
    rows = [spread(row, width, across) for row in rows]
    return list(zip(*[spread(column, height, down) for column in zip(*rows)]))


def main(clip, out, numbers):
    probe = json.loads(subprocess.check_output(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_streams", "-of", "json", clip]))["streams"][0]
    pattern = "+".join(f"eq(n,{n})" for n in numbers)
    command = ["ffmpeg", "-nostdin", "-v", "error", "-i", clip, "-map", "0:v:0", "-vf", f"select='{pattern}'", "-vsync", "passthrough"]
    raw = subprocess.check_output(command + ["-f", "rawvideo", "-"])
    kind = probe["pix_fmt"]
    width, height = probe["width"], probe["height"]
    turns = [side["rotation"] for side in probe.get("side_data_list", []) if "rotation" in side]
    if turns and turns[0] % 180:
        width, height = height, width
    name, layout, deep = re.fullmatch(r"(gray|yuvj?)(\d{3})?p?(\d+)?(?:le)?", kind).groups()
    if name == "gray" and layout:  # gray10: the digits are its depth
        layout, deep = None, layout
    deep = int(deep or 8)
    across, down = SHARED[layout] if layout else (1, 1)
    full = name == "yuvj" or probe.get("color_range") == "pc"
    red, blue = WEIGHTS.get(probe.get("color_space"), (0.299, 0.114))
    wide, high = -(-width // across), -(-height // down)
    sizes = [width * height] + ([wide * high] * 2 if layout else [])
    bytes_each = 2 if deep > 8 else 1
    samples = [int.from_bytes(raw[i:i + bytes_each], "little") / 2 ** (deep - 8) for i in range(0, len(raw), bytes_each)]
    assert len(samples) == sum(sizes) * len(numbers), (kind, len(samples), sizes)
    pixels, at = bytearray(), 0
    for _ in numbers:
        luma = samples[at:at + sizes[0]]
        at += sizes[0]
        differences = []
        for size in sizes[1:]:
            differences.append(chroma(samples[at:at + size], wide, width, height, across, down))
            at += size
        for y in range(height):
            for x in range(width):
                light = luma[y * width + x]
                cb, cr = (d[y][x] - 128 for d in differences) if layout else (0, 0)
                if not full:
                    light, cb, cr = (light - 16) * 255 / 219, cb * 255 / 224, cr * 255 / 224
                colours = (light + 2 * (1 - red) * cr,
                           light - (2 * (1 - blue) * blue * cb + 2 * (1 - red) * red * cr) / (1 - red - blue),
                           light + 2 * (1 - blue) * cb)
                pixels += bytes(min(max(int(v + 0.5) if v > 0 else 0, 0), 255) for v in colours)
    with open(out, "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (width, height * len(numbers)) + pixels)


main(sys.argv[1], sys.argv[2], [int(n) for n in sys.argv[3:]])
