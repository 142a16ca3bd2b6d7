#!/usr/bin/env python3
"""Writes pillow.golden: checksums of pictures that Pillow resized.

    pip install pillow==13.0.0
    python3 pillow.py > pillow.golden

Each line has a picture's width and height, those after resizing, the number of the filter, and the CRC-32 of the bytes. The
pictures are noise over a gradient: byte i, in rows of red, green and blue, is noise(i), in the left half of
each row or'ed with a ramp.
"""
import binascii

from PIL import Image

SIZES = [(1, 1), (2, 3), (5, 1), (1, 7), (61, 41), (41, 61), (100, 10), (10, 100), (33, 200), (300, 17), (64, 64), (257, 129), (640, 360)]
RESULTS = [(1, 1), (24, 24), (35, 24), (24, 35), (224, 224), (64, 7), (7, 64), (61, 41), (41, 24), (64, 24), (24, 41)]


def noise(i):
    i = (i * 2654435761 + 12345) & 0xFFFFFFFF
    i ^= i >> 15
    i = i * 2246822519 & 0xFFFFFFFF
    return (i >> 13) & 255


def picture(width, height):
    data = bytearray(width * height * 3)
    for i in range(len(data)):
        value = noise(i)
        if i // 3 % width * 2 < width:
            value |= i // 3 % width * 255 // width
        data[i] = value
    return Image.frombytes("RGB", (width, height), bytes(data))


if __name__ == "__main__":
    for size in SIZES:
        source = picture(*size)
        for result in RESULTS:
            for filter in range(6):
                print(*size, *result, filter, binascii.crc32(source.resize(result, filter).tobytes()))
