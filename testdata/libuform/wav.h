/** WAV files: their chunks, and the samples in them. */
#pragma once

#include "outcome.h"

/** How samples lie in a file that is whole. */
typedef struct wav_t {
    /** The first of `frames` samples of every channel. */
    unsigned char const *sound;
    size_t frames;
    uint32_t rate;
    unsigned channels;
    /** Bytes of a sample, and the code of what they are: integers, floats, A-law or µ-law. */
    unsigned width, code;
} wav_t;

/** Walks the chunks of a file that begins as WAV. */
fault_t wav_read(unsigned char const *bytes, size_t size, wav_t *wav);
/** Writes the means of the channels of some frames. */
void wav_mix(wav_t const *wav, size_t from, size_t count, float *samples);
