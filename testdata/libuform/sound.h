/** Recordings: resampling and logarithmic bands, section 11 of the checkpoint page. */
#pragma once

#include "model.h"

/** Samples of one channel at one rate. */
typedef struct sound_t {
    float const *samples;
    size_t count;
    uint32_t rate;
} sound_t;

enum {
    /** The highest rate that is resampled from. */
    rate_most_k = INT32_MAX,
};

/** The greatest magnitude of a sample: the power of much more would not be a finite number. */
static inline bool sample_usable(float sample) { return sample >= -4294967296.f && sample <= 4294967296.f; }

/** Samples at the model's rate that so many become: rounded up, `SIZE_MAX` where that overflows. */
size_t sound_resampled(size_t count, uint32_t from, uint32_t to);
/** Patches that so many samples at the model's rate make, as far as the context reaches. */
size_t sound_patches_count(audio_config_t const *config, size_t count, size_t context);
/** Writes the first patches of a recording, `frames * mels` scalars each. The call may be stopped,
 *  which is no fault. */
fault_t sound_patches(audio_config_t const *config, sound_t const *sound, size_t patches, float *out, call_t *call);
