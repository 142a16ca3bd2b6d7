/** Where the sound of a WAV file lies, and what its bytes mean. Section 11 of the checkpoint
 *  page. */
#include "wav.h"

#include <string.h> // `memcmp`, `memcpy`

enum { integers_k = 1, floats_k = 3, a_law_k = 6, mu_law_k = 7, extensible_k = 0xFFFE };

static fault_t ends_early(void) {
    return fault_make(uform_status_malformed_k, "the WAV ends early: record or copy it again");
}

static uint64_t little(unsigned char const *bytes, unsigned count) {
    uint64_t value = 0;
    while (count--) value = value << 8 | bytes[count];
    return value;
}

/* -------------------- Format ------------------------------------------------------------------ */

static bool coding_known(unsigned code, unsigned width) {
    if (code == integers_k) return (width >= 1 && width <= 4) || width == 8;
    if (code == floats_k) return width == 4 || width == 8;
    return (code == a_law_k || code == mu_law_k) && width == 1;
}

/** Reads a format. `padded` tells that its samples of three bytes may stand in the upper bytes of
 *  four. */
static fault_t format_read(unsigned char const *body, uint64_t length, wav_t *wav, bool *padded) {
    static unsigned char const tail[] = "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xAA\x00\x38\x9B\x71";
    if (length < 16) return fault_make(uform_status_malformed_k, "the format of the WAV is cut off");
    wav->code = (unsigned)little(body, 2);
    wav->channels = (unsigned)little(body + 2, 2), wav->rate = (uint32_t)little(body + 4, 4);
    unsigned const frame = (unsigned)little(body + 12, 2), bits = (unsigned)little(body + 14, 2);
    if (wav->code == extensible_k) {
        if (length < 40) return fault_make(uform_status_malformed_k, "the format of the WAV is cut off");
        if (memcmp(body + 26, tail, 14) != 0)
            return fault_make(uform_status_unsupported_k, "the WAV holds a coding with an unknown identifier");
        wav->code = (unsigned)little(body + 24, 2);
    }
    if (!wav->channels) return fault_make(uform_status_malformed_k, "the WAV has no channels");
    bool const telephone = wav->code == a_law_k || wav->code == mu_law_k;
    wav->width = telephone ? 1 : (bits + 7) / 8;
    *padded = wav->code == integers_k && wav->width == 3 && frame == 4 * wav->channels;
    if (coding_known(wav->code, wav->width)) return fault_none();
    // Bits that are no width leave the word to the bytes of a frame.
    unsigned const by_frame = frame % wav->channels ? 0 : frame / wav->channels;
    bool const known = wav->code == integers_k || wav->code == floats_k;
    if (known && !coding_known(wav->code, by_frame) && (!bits || by_frame != wav->width))
        return fault_format(uform_status_malformed_k,
                            "the WAV has %u bits a sample and %u bytes a frame, neither of which is a width", bits,
                            frame);
    wav->width = by_frame;
    if (coding_known(wav->code, by_frame)) return fault_none();
    return fault_format(uform_status_unsupported_k, "the WAV holds coding %u with samples of %u bits", wav->code, bits);
}

/** Whether the lowest of every four bytes is zero, as it is in samples of three bytes that stand in
 *  four. */
static bool sound_padded(unsigned char const *sound, size_t bytes, unsigned channels) {
    if (bytes % (4 * (size_t)channels)) return false;
    bool silent = bytes % (3 * (size_t)channels) == 0;
    for (size_t at = 0; at != bytes; at += 4) {
        if (sound[at]) return false;
        if (sound[at + 1] || sound[at + 2] || sound[at + 3]) silent = false;
    }
    return !silent;
}

/* -------------------- Chunks ------------------------------------------------------------------ */

/** A size that a writer leaves who cannot go back: the greatest of 31 or 32 bits, give or take a
 *  header or a block. */
static bool size_unfilled(uint64_t size) {
    uint64_t const near = 1 << 16, half = UINT64_C(1) << 31, whole = UINT64_C(1) << 32;
    return (size >= half - near && size < half + near) || (size >= whole - near && size < whole);
}

/** Chunks after the sound, up to where the first header says that the file ends. */
static bool tail_whole(unsigned char const *bytes, size_t size, uint64_t at, uint64_t end) {
    at += at % 2;
    while (at < end && at + 8 <= size) {
        at += 8 + little(bytes + at + 4, 4);
        if (at > size) return false;
        at += at % 2;
    }
    // The padding of the last chunk may be missing, or counted and missing.
    return end <= size || (at >= size && at + 1 >= end);
}

fault_t wav_read(unsigned char const *bytes, size_t size, wav_t *wav) {
    bool const wide = memcmp(bytes, "RF64", 4) == 0;
    uint64_t end = little(bytes + 4, 4) + 8, promised = UINT64_MAX;
    bool unsized = end == 8 || (size_unfilled(end - 8) && end > size), formed = false, padded = false;
    for (size_t at = 12;;) {
        if (size - at < 8) return ends_early();
        unsigned char const *name = bytes + at, *body = bytes + at + 8;
        uint64_t length = little(bytes + at + 4, 4);
        at += 8;
        size_t const left = size - at;
        if (memcmp(name, "data", 4) == 0) {
            if (!formed) return fault_make(uform_status_malformed_k, "the WAV has no format before its sound");
            bool const open = length > left ? unsized || size_unfilled(length) : !length && (unsized || at >= end);
            if (promised != UINT64_MAX && length == 0xFFFFFFFF) length = promised;
            else if (open) length = left, unsized = true;
            if (length > left || (!unsized && !tail_whole(bytes, size, at + length, end))) return ends_early();
            if (padded && sound_padded(body, (size_t)length, wav->channels)) wav->width = 4;
            size_t const frame = (size_t)wav->width * wav->channels;
            if (length % frame) return ends_early();
            wav->sound = body, wav->frames = (size_t)length / frame;
            return fault_none();
        }
        if (length > left) return ends_early();
        if (memcmp(name, "fmt ", 4) == 0 && !formed) {
            fault_t const fault = format_read(body, length, wav, &padded);
            if (fault.status) return fault;
            formed = true;
        }
        if (wide && memcmp(name, "ds64", 4) == 0) {
            if (length < 24) return fault_make(uform_status_malformed_k, "the sizes of the WAV are cut off");
            end = little(body, 8), promised = little(body + 8, 8);
            unsized = !end || end >> 63;
            end = end >> 62 ? UINT64_MAX >> 1 : end + 8;
            if (promised >> 63 || (!promised && unsized)) promised = UINT64_MAX;
        }
        length += length % 2;
        if (length > left) return ends_early();
        at += (size_t)length;
    }
}

/* -------------------- Samples ----------------------------------------------------------------- */

/** G.711's A-law: thirteen bits, every other one of the eight stored inverted. */
static double a_law(unsigned byte) {
    byte ^= 0x55;
    unsigned const exponent = byte >> 4 & 7;
    int sample = (int)(byte & 15) * 16 + 8;
    if (exponent) sample = (sample + 256) << (exponent - 1);
    return (byte & 0x80 ? sample : -sample) / 32768.0;
}

/** G.711's µ-law: fourteen bits, all of the eight stored inverted. */
static double mu_law(unsigned byte) {
    byte = ~byte & 255;
    int const sample = (((int)(byte & 15) * 8 + 132) << (byte >> 4 & 7)) - 132;
    return (byte & 0x80 ? -sample : sample) / 32768.0;
}

static double sample_read(wav_t const *wav, unsigned char const *bytes) {
    if (wav->code == a_law_k) return a_law(*bytes);
    if (wav->code == mu_law_k) return mu_law(*bytes);
    uint64_t const bits = little(bytes, wav->width);
    if (wav->code == floats_k && wav->width == 4) {
        uint32_t const narrow = (uint32_t)bits;
        float value;
        memcpy(&value, &narrow, sizeof(value));
        return (double)value;
    }
    if (wav->code == floats_k) {
        double value;
        memcpy(&value, &bits, sizeof(value));
        return value;
    }
    if (wav->width == 1) return ((double)bits - 128) / 128; // the only integers without a sign
    double const range = (double)(UINT64_C(1) << (8 * wav->width - 1)), value = (double)bits;
    return (value < range ? value : value - 2 * range) / range;
}

void wav_mix(wav_t const *wav, size_t from, size_t count, float *samples) {
    unsigned char const *at = wav->sound + from * wav->width * wav->channels;
    for (size_t i = 0; i != count; ++i) {
        double sum = 0;
        for (unsigned c = 0; c != wav->channels; ++c, at += wav->width) sum += sample_read(wav, at);
        samples[i] = (float)(sum / wav->channels);
    }
}
