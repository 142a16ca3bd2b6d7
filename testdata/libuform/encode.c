/** What every verb that encodes does: checks, outputs, and the forward pass of an item. */
#include "encode.h"

#include <string.h> // `memset`

#include "arena.h"
#include "control.h"
#include "named.h"
#include "tape.h"
#include "trunk.h"

/** The kind of the outputs; the model's own is f32. */
static uform_scalar_t encode_scalar(call_t const *call) {
    return call->scalar == uform_scalar_unknown_k ? uform_scalar_f32_k : call->scalar;
}

static fault_t encode_admit(call_t *call) {
    medium_t const *medium = call->medium;
    uform_status_t const refused = uform_status_invalid_argument_k;
    fault_t fault = call_check_handles(call, true);
    if (fault.status) return fault;
    if (!scalar_named(call->scalar)) return fault_make(refused, "scalar is no known kind");
    if (!call->embeddings_view && !call->states_view)
        return fault_make(refused, "no output is asked for: name embeddings, states or both");
    fault = tape_check_fields(&call->inputs, call->total, medium->items);
    if (!fault.status && medium->check) fault = medium->check(call);
    if (fault.status) return fault;
    uform_scalar_t const scalar = encode_scalar(call);
    if (!scalar_bytes(scalar)) return fault_make(uform_status_unsupported_k, "outputs are f32, f16, bf16 or i8");
    if (scalar == uform_scalar_i8_k && call->states_view)
        return fault_make(uform_status_unsupported_k, "states are not unit rows, so they have no i8");
    if (!medium->served)
        return fault_format(uform_status_unsupported_k, "%s need FFmpeg, which the library was built without",
                            medium->items);
    if (!model_has(call->model, medium->modality))
        return fault_format(uform_status_unsupported_k, "the model encodes no %s", medium->items);
    fault = call_check_places(call);
    if (!fault.status)
        fault = tape_check_memory(&call->inputs, call->total, medium->element, medium->items, call->arena);
    if (!fault.status && medium->check_memory) fault = medium->check_memory(call);
    return fault;
}

static fault_t encode_begin(call_t *call) {
    medium_t const *medium = call->medium;
    model_t const *model = call->model;
    size_t const count = call->total, bytes = scalar_bytes(encode_scalar(call));
    fault_t fault = medium->measure(call);
    if (fault.status || atomic_load(&call->stopped)) return fault;
    uint64_t rows = 0, used = 0, embeddings = 0, states = 0, offsets = 0;
    for (size_t i = 0; i != count; ++i) rows += call_tokens(call, i);
    bool fits = true;
    if (call->embeddings_view) fits = outputs_lay(&used, count, model_columns(model) * bytes, &embeddings);
    if (fits && call->states_view)
        fits = outputs_lay(&used, rows, model->config.width * bytes, &states) &&
               outputs_lay(&used, (uint64_t)count + 1, sizeof(size_t), &offsets);
    if (!fits) return fault_memory("outputs of that size");
    fault = arena_reserve(call->arena, (size_t)used);
    if (fault.status) return fault;
    if (call->embeddings_view) call->embeddings = output_at(call->arena, count, embeddings);
    if (call->states_view) {
        call->states = output_at(call->arena, rows, states);
        call->offsets = output_at(call->arena, (uint64_t)count + 1, offsets);
        size_t *boundaries = output_open(call, &call->offsets, 0);
        boundaries[0] = 0;
        for (size_t i = 0; i != count; ++i) boundaries[i + 1] = boundaries[i] + call_tokens(call, i);
    }
    return trunk_prepare(call, medium->modality, false);
}

/** Makes the states of an item that has tokens. False once the call was stopped or the item has a
 *  fault. */
static bool encode_states(call_t *call, size_t item, size_t tokens, rooms_t *rooms) {
    medium_t const *medium = call->medium;
    model_t const *model = call->model;
    if (medium->modality == uform_modality_text_k)
        trunk_read_text(model, trunk_text(call, item, false), tokens, rooms);
    else {
        fault_t const fault = medium->patches(call, item, rooms->patches);
        if (fault.status) call_fail(call, fault);
        if (fault.status || atomic_load(&call->stopped)) return false;
        trunk_read_patches(model, medium->modality, tokens, rooms);
    }
    return trunk_run(model, rooms, call);
}

/** The states of an item: those of its tokens, or, of a folded text, for each byte that of the
 *  token it went to. */
static void encode_store(call_t const *call, rooms_t const *rooms, size_t tokens, unsigned char *out) {
    uform_scalar_t const scalar = encode_scalar(call);
    size_t const width = call->model->config.width, bytes = width * scalar_bytes(scalar);
    if (!rooms->places) scalars_store(scalar, rooms->states, tokens * width, out);
    else if (!rooms->tokens) memset(out, 0, tokens * bytes);
    for (size_t i = 0; rooms->places && rooms->tokens && i != tokens; ++i)
        scalars_store(scalar, rooms->states + rooms->places[i] * width, width, out + i * bytes);
}

/** One item: its rows, and whatever is asked of them. */
static bool encode_item(call_t *call, size_t item, scratch_t *scratch) {
    medium_t const *medium = call->medium;
    model_t const *model = call->model;
    uform_scalar_t const scalar = encode_scalar(call);
    size_t const tokens = call_tokens(call, item), width = model->config.width, columns = model_columns(model);
    rooms_t rooms;
    rooms_lay(call, medium->modality, scratch->base, &rooms);
    float const *embedding = model->empty;
    if (tokens) {
        if (!encode_states(call, item, tokens, &rooms)) return false;
        if (call->states_view) {
            size_t const first = ((size_t const *)(void const *)call->offsets.own)[item];
            void *out = output_open(call, &call->states, first * width * scalar_bytes(scalar));
            encode_store(call, &rooms, tokens, out);
        }
        if (call->embeddings_view) trunk_embed(model, &rooms, rooms.dense);
        embedding = rooms.dense;
    }
    if (call->embeddings_view) {
        void *out = output_open(call, &call->embeddings, item * columns * scalar_bytes(scalar));
        scalars_store(scalar, embedding, columns, out);
    }
    return true;
}

static void encode_publish(call_t *call, bool success) {
    if (call->embeddings_view) *call->embeddings_view = (uform_rows_view_t){0};
    if (call->states_view) *call->states_view = (uform_rows_tape_view_t){0};
    if (!success) return;
    uform_scalar_t const scalar = encode_scalar(call);
    size_t const width = call->model->config.width, columns = model_columns(call->model), bytes = scalar_bytes(scalar);
    if (call->embeddings_view)
        *call->embeddings_view = (uform_rows_view_t){.data = call->embeddings.address, .stride = columns * bytes,
            .columns = columns, .scalar = scalar};
    if (call->states_view) {
        call->states_view->rows = (uform_rows_view_t){.data = call->states.address, .stride = width * bytes,
            .columns = width, .scalar = scalar};
        call->states_view->offsets = (size_t const *)(void const *)call->offsets.address;
    }
}

static verb_t const encode_verb = {encode_admit, encode_begin, encode_item, encode_publish};

void encode_start(call_t *call) {
    call->verb = &encode_verb;
    call_start(call);
}

/* -------------------- Texts ------------------------------------------------------------------- */

static fault_t texts_measure(call_t *call) { return tape_check_texts(&call->inputs, call->total); }

static medium_t const texts = {
    .items = "texts", .modality = uform_modality_text_k, .served = true, .element = 1, .measure = texts_measure};

void uform_text_encode(uform_text_encode_t *arguments) {
    if (!arguments || control_silences()) return;
    call_t call = ENCODE_CALL(arguments, texts);
    encode_start(&call);
}
