/** Heads of frames, and the information frame that encoders write. */
#include "mp3.h"

#include <string.h> // `memcmp`

bool mp3_read(unsigned char const *bytes, size_t size, mp3_t *frame) {
    static unsigned const kilobits[2][16] = {{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0},
                                             {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0}};
    static unsigned const hertz[3] = {44100, 48000, 32000};
    if (size < 4 || bytes[0] != 0xFF || (bytes[1] & 0xE0) != 0xE0) return false;
    // Both codes count downwards.
    unsigned const version = bytes[1] >> 3 & 3, layer = bytes[1] >> 1 & 3;
    unsigned const bitrate = bytes[2] >> 4, rate = bytes[2] >> 2 & 3;
    if (version == 1 || !layer || bitrate == 15 || rate == 3) return false;
    *frame = (mp3_t){.layer = 4 - layer, .low = version != 3, .mono = bytes[3] >> 6 == 3};
    unsigned const samples = hertz[rate] >> (version == 3 ? 0 : version == 2 ? 1 : 2);
    if (bitrate)
        frame->bytes = (frame->low ? 72000u : 144000u) * kilobits[frame->low][bitrate] / samples + (bytes[2] >> 1 & 1);
    return true;
}

bool mp3_whole(unsigned char const *bytes, size_t size) {
    mp3_t frame;
    size_t at = 0;
    while (mp3_read(bytes + at, size - at, &frame) && frame.bytes) {
        if (frame.bytes > size - at) return false;
        at += frame.bytes;
    }
    return size - at >= 4 || at == size; // a shorter one is no tag
}

static uint64_t big(unsigned char const *bytes, unsigned count) {
    uint64_t value = 0;
    while (count--) value = value << 8 | *bytes++;
    return value;
}

uint64_t mp3_promise(unsigned char const *bytes, size_t size, mp3_t const *first, size_t *lead) {
    enum { decoder_delay_k = 529 };
    *lead = 0;
    size_t const at = 4 + (first->low ? (first->mono ? 9 : 17) : (first->mono ? 17 : 32));
    if (size < at + 156 || (memcmp(bytes + at, "Xing", 4) != 0 && memcmp(bytes + at, "Info", 4) != 0)) return 0;
    uint64_t const flags = big(bytes + at + 4, 4);
    if (!(flags & 1)) return 0;
    uint64_t const samples = big(bytes + at + 8, 4) * (first->low ? 576 : 1152);
    size_t const encoder = at + 12 + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0);
    if (size < encoder + 24 || !bytes[encoder]) return samples;
    uint64_t const trims = big(bytes + encoder + 21, 3), trimmed = (trims >> 12) + (trims & 4095);
    *lead = (size_t)(trims >> 12) + decoder_delay_k;
    return trimmed < samples ? samples - trimmed : 0;
}
