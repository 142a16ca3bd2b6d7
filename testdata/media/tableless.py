"""Takes the Huffman tables out of a JPEG: stdin to stdout. It must have been written with those of ITU T.81, K.3."""
import sys

data = sys.stdin.buffer.read()
written, at = bytearray(data[:2]), 2
while data[at + 1] != 0xDA:
    end = at + 2 + int.from_bytes(data[at + 2:at + 4], "big")
    if data[at + 1] != 0xC4:
        written += data[at:end]
    at = end
sys.stdout.buffer.write(written + data[at:])
