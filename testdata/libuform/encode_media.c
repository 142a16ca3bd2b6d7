/** The verbs that embed pictures, clips and recordings. */
#include <string.h> // `memcpy`

#include "control.h"
#include "encode.h"
#include "files.h"
#include "picture.h"
#include "sound.h"
#include "tape.h"

static fault_t lengths_take(call_t *call) {
    call->lengths = memory_take(call->total * sizeof(size_t));
    return call->lengths ? fault_none() : fault_memory("the lengths of items");
}

/** Every item but the empty ones has so many tokens. */
static fault_t lengths_fill(call_t *call, size_t tokens) {
    fault_t const fault = lengths_take(call);
    for (size_t i = 0; i != call->total && !fault.status; ++i)
        call->lengths[i] = tape_length(&call->inputs, i) ? tokens : 0;
    return fault;
}

/** Out of memory during a call is reported with the item, like every fault that is found this
 *  late. */
static fault_t fault_at(fault_t fault, size_t item) {
    return fault.status ? fault_item(fault.status, item, fault.message) : fault;
}

/* -------------------- Pictures ---------------------------------------------------------------- */

static fault_t images_measure(call_t *call) { return lengths_fill(call, image_tokens(&call->model->config)); }

static fault_t images_patches(call_t *call, size_t item, float *patches) {
    image_config_t const *config = &call->model->config.image;
    picture_t picture = {0};
    fault_t fault =
        image_decode(tape_item(&call->inputs, item), tape_length(&call->inputs, item), config->background, &picture);
    if (!fault.status) fault = picture_patches(&picture, config, patches);
    picture_drop(&picture);
    return fault_at(fault, item);
}

static medium_t const images = {.items = "images",
                                .modality = uform_modality_image_k,
                                .served = files_served,
                                .element = 1,
                                .measure = images_measure,
                                .patches = images_patches};

void uform_image_encode(uform_image_encode_t *arguments) {
    if (!arguments || control_silences()) return;
    call_t call = ENCODE_CALL(arguments, images);
    encode_start(&call);
}

/* -------------------- Pixels ------------------------------------------------------------------ */

static fault_t pixels_check(call_t *call) {
    uform_image_encode_pixels_t const *arguments = call->arguments;
    if (call->total && (!arguments->heights || !arguments->widths))
        return fault_make(uform_status_invalid_argument_k, "pixels has items and no heights or widths");
    return fault_none();
}

static fault_t pixels_check_memory(call_t *call) {
    uform_image_encode_pixels_t const *arguments = call->arguments;
    size_t const bytes = call->total * sizeof(uint32_t); // fits, as the offsets of as many items do
    fault_t const fault = range_check(arguments->heights, bytes, "heights", call->arena);
    return fault.status ? fault : range_check(arguments->widths, bytes, "widths", call->arena);
}

static fault_t pixels_measure(call_t *call) {
    uform_image_encode_pixels_t const *arguments = call->arguments;
    for (size_t i = 0; i != call->total; ++i) {
        uint64_t const bytes = tape_length(&call->inputs, i);
        // The area fits a word; three times it may not.
        uint64_t const area = (uint64_t)arguments->heights[i] * arguments->widths[i];
        if (bytes % 3 || bytes / 3 != area)
            return fault_item(uform_status_shape_mismatch_k, i, "an item's bytes are not its height by its width by 3");
    }
    return images_measure(call);
}

static fault_t pixels_patches(call_t *call, size_t item, float *patches) {
    uform_image_encode_pixels_t const *arguments = call->arguments;
    picture_t const picture = {arguments->widths[item], arguments->heights[item], tape_item(&call->inputs, item), NULL};
    return fault_at(picture_patches(&picture, &call->model->config.image, patches), item);
}

static medium_t const pixels = {.items = "pixels",
                                .modality = uform_modality_image_k,
                                .served = true,
                                .element = 1,
                                .check = pixels_check,
                                .check_memory = pixels_check_memory,
                                .measure = pixels_measure,
                                .patches = pixels_patches};

void uform_image_encode_pixels(uform_image_encode_pixels_t *arguments) {
    if (!arguments || control_silences()) return;
    call_t call = ENCODE_CALL(arguments, pixels);
    encode_start(&call);
}

/* -------------------- Clips ------------------------------------------------------------------- */

static fault_t videos_measure(call_t *call) {
    config_t const *config = &call->model->config;
    return lengths_fill(call, (size_t)config->video_frames * image_tokens(config));
}

static fault_t videos_patches(call_t *call, size_t item, float *patches) {
    config_t const *config = &call->model->config;
    return fault_at(video_patches(tape_item(&call->inputs, item), tape_length(&call->inputs, item), &config->image,
                                  config->video_frames, patches, call),
                    item);
}

static medium_t const videos = {.items = "videos",
                                .modality = uform_modality_video_k,
                                .served = files_served,
                                .element = 1,
                                .measure = videos_measure,
                                .patches = videos_patches};

void uform_video_encode(uform_video_encode_t *arguments) {
    if (!arguments || control_silences()) return;
    call_t call = ENCODE_CALL(arguments, videos);
    encode_start(&call);
}

/* -------------------- Recordings -------------------------------------------------------------- */

/** Decodes one recording, whose length is known only then, and keeps its patches. */
static fault_t recording_hear(call_t *call, size_t item) {
    config_t const *config = &call->model->config;
    size_t const bytes = tape_length(&call->inputs, item);
    if (!bytes) return fault_none();
    float *samples = NULL;
    sound_t sound = {0};
    fault_t fault = audio_decode(tape_item(&call->inputs, item), bytes, &sound, &samples, call);
    if (!fault.status && !atomic_load(&call->stopped)) {
        size_t const count = sound_resampled(sound.count, sound.rate, config->audio.rate);
        size_t const patches = sound_patches_count(&config->audio, count, config->context);
        size_t const scalars = (size_t)config->audio.frames * config->audio.mels;
        if (patches) {
            call->heard[item] = memory_take(patches * scalars * sizeof(float));
            if (!call->heard[item]) fault = fault_memory("the patches of a recording");
            else fault = sound_patches(&config->audio, &sound, patches, call->heard[item], call);
        }
        call->lengths[item] = patches;
    }
    memory_give(samples);
    return fault_at(fault, item);
}

static fault_t recordings_measure(call_t *call) {
    fault_t fault = lengths_take(call);
    if (fault.status) return fault;
    call->heard = memory_take(call->total * sizeof(float *));
    if (!call->heard) return fault_memory("the patches of recordings");
    for (size_t i = 0; i != call->total && !fault.status && call_advance(call, 0); ++i) fault = recording_hear(call, i);
    return fault;
}

static fault_t recordings_patches(call_t *call, size_t item, float *patches) {
    audio_config_t const *config = &call->model->config.audio;
    memcpy(patches, call->heard[item], call->lengths[item] * config->frames * config->mels * sizeof(float));
    return fault_none();
}

static medium_t const recordings = {.items = "recordings",
                                    .modality = uform_modality_audio_k,
                                    .served = files_served,
                                    .element = 1,
                                    .measure = recordings_measure,
                                    .patches = recordings_patches};

void uform_audio_encode(uform_audio_encode_t *arguments) {
    if (!arguments || control_silences()) return;
    call_t call = ENCODE_CALL(arguments, recordings);
    encode_start(&call);
}

/* -------------------- Samples ----------------------------------------------------------------- */

static fault_t samples_check(call_t *call) {
    uform_audio_encode_samples_t const *arguments = call->arguments;
    if (arguments->reserved) return fault_make(uform_status_invalid_argument_k, "reserved is not zero");
    if (arguments->sample_rate > rate_most_k)
        return fault_make(uform_status_invalid_argument_k, "sample_rate is above 2147483647 Hz");
    return fault_none();
}

/** The samples of an item, at the rate that all of them share. */
static sound_t samples_of(call_t const *call, size_t item) {
    uform_audio_encode_samples_t const *arguments = call->arguments;
    uint32_t const rate = arguments->sample_rate ? arguments->sample_rate : call->model->config.audio.rate;
    return (sound_t){(float const *)call->inputs.data + call->inputs.offsets[item], tape_length(&call->inputs, item),
                     rate};
}

static fault_t samples_measure(call_t *call) {
    config_t const *config = &call->model->config;
    fault_t const fault = lengths_take(call);
    for (size_t i = 0; i != call->total && !fault.status; ++i) {
        sound_t const sound = samples_of(call, i);
        for (size_t k = 0; k != sound.count; ++k)
            if (!sample_usable(sound.samples[k]))
                return fault_item(uform_status_malformed_k, i, "a sample is NaN, or beyond 2^32");
        size_t const count = sound_resampled(sound.count, sound.rate, config->audio.rate);
        call->lengths[i] = sound_patches_count(&config->audio, count, config->context);
    }
    return fault;
}

static fault_t samples_patches(call_t *call, size_t item, float *patches) {
    sound_t const sound = samples_of(call, item);
    return fault_at(sound_patches(&call->model->config.audio, &sound, call->lengths[item], patches, call), item);
}

static medium_t const samples = {.items = "samples",
                                 .modality = uform_modality_audio_k,
                                 .served = true,
                                 .element = sizeof(float),
                                 .check = samples_check,
                                 .measure = samples_measure,
                                 .patches = samples_patches};

void uform_audio_encode_samples(uform_audio_encode_samples_t *arguments) {
    if (!arguments || control_silences()) return;
    call_t call = ENCODE_CALL(arguments, samples);
    encode_start(&call);
}
