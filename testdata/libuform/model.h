/** A model: its configuration, its weights, and the scratch of calls on the calling thread. */
#pragma once

#include "call.h"
#include "json.h"
#include "matrix.h"
#include "memory.h"
#include "registry.h"
#include "system.h"
#include "text.h"

/** How pictures become tokens, and those of clips. */
typedef struct image_config_t {
    uint32_t side, patch;
    double mean[3], deviation[3];
    unsigned char background[3];
} image_config_t;

/** How recordings do. */
typedef struct audio_config_t {
    uint32_t rate, window, hop, mels, frames;
    double low, high, mean, deviation;
} audio_config_t;

/** What a checkpoint says about itself, section 2 of its page. */
typedef struct config_t {
    uint32_t modalities, context, width, layers, heads, hidden, columns;
    double norm_epsilon, rotary_base;
    /** `fold`: texts are folded before anything is read off them. */
    bool skip, fold, has_grams, has_lexical, has_decoder;
    grams_t grams, lexical;
    /** Zero without the lexical lane. */
    uint32_t lexical_columns;
    double lexical_share;
    /** Of zeroes without pictures and clips. */
    image_config_t image;
    /** Frames of a clip, zero without clips. */
    uint32_t video_frames;
    /** Of zeroes without recordings. */
    audio_config_t audio;
    /** One for each question type, the model's own memory; none without the decoder. */
    double *inverse_temperatures;
    uint32_t question_types;
} config_t;

typedef struct layer_t {
    float const *attention_norm, *feedforward_norm;
    matrix_t query, key, value, output, up, down;
} layer_t;

/** Scratch of one call on the calling thread, kept for the next. */
typedef struct spare_t {
    scratch_t scratch; // first, as a call knows it by this
    struct spare_t *next;
} spare_t;

struct uform_model_handle_t {
    handle_t handle;
    int32_t device;
    config_t config;
    matrix_t bytes, grams, projection, head;
    matrix_t image_patches, image_positions, video_times, audio_patches;
    float const *norm, *empty, *lexical, *decoder_empty;
    layer_t *layers;
    /** All of the above, in one block. */
    unsigned char *weights;
    size_t weights_bytes;
    uint64_t parameters;
    uform_scalar_t scalar;
    spare_t *spares;
};

static inline bool model_has(model_t const *model, uform_modality_t modality) {
    return model->config.modalities >> modality & 1;
}
/** Tokens of a picture; zero without any. */
static inline uint32_t image_tokens(config_t const *config) {
    uint32_t const across = config->image.patch ? config->image.side / config->image.patch : 0;
    return across * across;
}

/** Scalars of a pooled embedding. */
static inline uint32_t model_columns(model_t const *model) {
    return model->config.columns + model->config.lexical_columns;
}

/** Scratch of at least that size for a call without an executor, `NULL` where there is no
 *  memory. */
scratch_t *model_scratch_take(model_t *model, size_t bytes);
void model_scratch_give(model_t *model, scratch_t *scratch);
/** Frees everything, also of a model that was not completed. */
void model_discard(model_t *model);

/** Counts the weights on the model's device; on the host there is nothing to count. Takes the
 *  lock. */
fault_t model_charge(model_t const *model);
/** Undoes a charge, the lock held. */
void model_discharge(model_t const *model);

/** Reads and checks the text under the key `uform`. After a fault the caller still drops what was
 *  read. */
fault_t config_read(config_t *config, json_text_t text);
void config_drop(config_t *config);

/**
 *  Fills a zeroed model out of a whole checkpoint, packing matrices to `scalar` where it names a
 *  kind. Reports bytes to the call and ends early, without a fault, once it is stopped. The caller
 *  drops the model after a fault or a stop.
 */
fault_t checkpoint_read(model_t *model, unsigned char const *bytes, size_t size, uform_scalar_t scalar, call_t *call);

/** Maps the file at the path for as long as `read` takes. */
fault_t checkpoint_map(call_t *call, char const *path, fault_t (*read)(call_t *, file_t const *));
