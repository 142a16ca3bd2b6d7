/**
 *  @brief The forward pass of one item: from its bytes to states, and on to an embedding.
 *
 *  Items never share a computation, so a row of a batch is the item's own row bit for bit.
 */
#pragma once

#include "model.h"

/** Rooms inside of one scratch block, for an item of a number of tokens. */
typedef struct rooms_t {
    /** Sums over states, and over input rows. */
    double *state_sums, *input_sums;
    double *lane;
    /** States, `tokens` rows of `width`. */
    float *states;
    float *normed, *queries, *keys, *values;
    /** Cosine and sine of every angle of every position. */
    float *turns;
    float *scores, *hidden, *row, *pooled, *dense;
    unsigned char *padded;
    /** What fold_text works in, without the fold nothing. */
    unsigned char *fold;
    /** The text that tokens are the bytes of, and how many. */
    unsigned char const *text;
    size_t tokens;
    /** The token of each byte of the text before it was folded, `NULL` where they are the same. */
    uint32_t const *places;
    /** The patches of an item that is no text. */
    float *patches;
} rooms_t;

/** Scalars of a patch, zero for texts. */
uint32_t patch_scalars(model_t const *model, uform_modality_t modality);

/**
 *  Lays the rooms out for the longest of a call's items at @p base, or only measures where it is
 *  `NULL`; bytes, or zero where they overflow a word.
 */
size_t rooms_lay(call_t const *call, uform_modality_t modality, unsigned char *base, rooms_t *rooms);

/** Measures the longest of a call's items, texts from their ends where @p tail says so, and takes
 *  scratch for it. */
fault_t trunk_prepare(call_t *call, uform_modality_t modality, bool tail);

/** What the context leaves of a text, the end of it where @p tail says so. */
unsigned char const *trunk_text(call_t const *call, size_t item, bool tail);
/** Folds a text of at least one byte, where the model does that, and fills `rooms->states` with the
 *  input rows of what is left: `rooms->tokens`, of which there may be none. */
void trunk_read_text(model_t const *model, unsigned char const *text, size_t length, rooms_t *rooms);
/** Likewise of a picture, clip or recording, out of `rooms->patches`. */
void trunk_read_patches(model_t const *model, uform_modality_t modality, size_t tokens, rooms_t *rooms);

/** Makes states of input rows, and fills `rooms->input_sums`. False where the call was stopped
 *  between layers. */
bool trunk_run(model_t const *model, rooms_t *rooms, call_t *call);

/** Writes the embedding of an item whose states are filled in; `rooms->text` is `NULL` for one that
 *  is no text. */
void trunk_embed(model_t const *model, rooms_t *rooms, float *embedding);
