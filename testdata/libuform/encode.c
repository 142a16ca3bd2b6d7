/** The verb that embeds texts. */
#include "arena.h"
#include "control.h"
#include "tape.h"
#include "trunk.h"

/** The kind of the outputs; the model's own is f32. */
static uform_scalar_t encode_scalar(uform_text_encode_t const *arguments) {
    return arguments->scalar == uform_scalar_unknown_k ? uform_scalar_f32_k : arguments->scalar;
}

static fault_t encode_admit(call_t *call) {
    uform_text_encode_t const *arguments = call->arguments;
    uform_status_t const refused = uform_status_invalid_argument_k;
    fault_t fault = call_check_handles(call, true);
    if (fault.status) return fault;
    if ((unsigned)arguments->scalar > uform_scalar_e3m2_k) return fault_make(refused, "scalar is no known kind");
    if (!arguments->embeddings && !arguments->states)
        return fault_make(refused, "no output is asked for: name embeddings, states or both");
    fault = tape_check_fields(&arguments->texts, arguments->count, "texts");
    if (fault.status) return fault;
    uform_scalar_t const scalar = encode_scalar(arguments);
    if (!scalar_bytes(scalar)) return fault_make(uform_status_unsupported_k, "outputs are f32, f16, bf16 or i8");
    if (scalar == uform_scalar_i8_k && arguments->states)
        return fault_make(uform_status_unsupported_k, "states are not unit rows, so they have no i8");
    fault = call_check_places(call);
    if (!fault.status) fault = tape_check_memory(&arguments->texts, arguments->count, "texts", call->arena);
    return fault;
}

static fault_t encode_begin(call_t *call) {
    uform_text_encode_t const *arguments = call->arguments;
    model_t const *model = call->model;
    size_t const count = arguments->count, bytes = scalar_bytes(encode_scalar(arguments));
    fault_t fault = tape_check_texts(&call->texts, count);
    if (fault.status) return fault;
    uint64_t rows = 0, used = 0, embeddings = 0, states = 0, offsets = 0;
    for (size_t i = 0; i != count; ++i) rows += call_tokens(call, i);
    bool fits = true;
    if (arguments->embeddings) fits = outputs_lay(&used, count, model_columns(model) * bytes, &embeddings);
    if (fits && arguments->states)
        fits = outputs_lay(&used, rows, model->config.width * bytes, &states) &&
               outputs_lay(&used, (uint64_t)count + 1, sizeof(size_t), &offsets);
    if (!fits) return fault_memory("outputs of that size");
    fault = arena_reserve(call->arena, (size_t)used);
    if (fault.status) return fault;
    if (arguments->embeddings) call->embeddings = output_at(call->arena, count, embeddings);
    if (arguments->states) {
        call->states = output_at(call->arena, rows, states);
        call->offsets = output_at(call->arena, (uint64_t)count + 1, offsets);
        size_t *boundaries = (size_t *)(void *)call->offsets.own;
        boundaries[0] = 0;
        for (size_t i = 0; i != count; ++i) boundaries[i + 1] = boundaries[i] + call_tokens(call, i);
    }
    return trunk_prepare(call);
}

/** One item: its rows, and whatever is asked of them. False once the call was stopped. */
static bool encode_item(call_t *call, size_t item, scratch_t *scratch) {
    uform_text_encode_t const *arguments = call->arguments;
    model_t const *model = call->model;
    uform_scalar_t const scalar = encode_scalar(arguments);
    size_t const tokens = call_tokens(call, item), width = model->config.width, columns = model_columns(model);
    unsigned char const *text = tape_item(&call->texts, item);
    rooms_t rooms;
    rooms_lay(model, tokens, scratch->base, &rooms);
    float const *embedding = model->empty;
    if (tokens) {
        if (!trunk_run(model, text, tokens, &rooms, call)) return false;
        if (arguments->states) {
            size_t const first = ((size_t const *)(void const *)call->offsets.own)[item];
            unsigned char *out = call->states.own + first * width * scalar_bytes(scalar);
            scalars_store(scalar, rooms.states, tokens * width, out);
        }
        if (arguments->embeddings) trunk_embed(model, text, tokens, &rooms, rooms.dense);
        embedding = rooms.dense;
    }
    if (arguments->embeddings)
        scalars_store(scalar, embedding, columns, call->embeddings.own + item * columns * scalar_bytes(scalar));
    return true;
}

static void encode_publish(call_t *call, bool success) {
    uform_text_encode_t const *arguments = call->arguments;
    if (arguments->embeddings) *arguments->embeddings = (uform_rows_view_t){0};
    if (arguments->states) *arguments->states = (uform_rows_tape_view_t){0};
    if (!success) return;
    uform_scalar_t const scalar = encode_scalar(arguments);
    size_t const width = call->model->config.width, columns = model_columns(call->model), bytes = scalar_bytes(scalar);
    if (arguments->embeddings)
        *arguments->embeddings = (uform_rows_view_t){call->embeddings.address, columns * bytes, columns, scalar};
    if (arguments->states) {
        arguments->states->rows = (uform_rows_view_t){call->states.address, width * bytes, width, scalar};
        arguments->states->offsets = (size_t const *)(void const *)call->offsets.address;
    }
}

static verb_t const encode_verb = {encode_admit, encode_begin, encode_item, encode_publish};

void uform_text_encode(uform_text_encode_t *arguments) {
    if (!arguments || control_silences()) return;
    call_t call = {.verb = &encode_verb,
                   .arguments = arguments,
                   .model = arguments->model,
                   .executor = arguments->executor,
                   .arena = arguments->arena,
                   .outcome = arguments->outcome,
                   .completion = arguments->completion,
                   .progress = arguments->progress,
                   .progress_state = arguments->progress_state,
                   .total = arguments->count,
                   .texts = arguments->texts};
    call_start(&call);
}
