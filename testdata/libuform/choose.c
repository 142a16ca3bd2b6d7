/** The verb that computes probabilities of next bytes. */
#include <math.h> // `exp`

#include "arena.h"
#include "control.h"
#include "tape.h"
#include "trunk.h"

static fault_t choose_admit(call_t *call) {
    uform_text_choose_t const *arguments = call->arguments;
    uform_status_t const refused = uform_status_invalid_argument_k;
    size_t const count = arguments->count;
    fault_t fault = call_check_handles(call, true);
    if (fault.status) return fault;
    if (arguments->reserved) return fault_make(refused, "reserved is not zero");
    if (!arguments->probabilities) return fault_make(refused, "probabilities is NULL: name where the output goes");
    fault = tape_check_fields(&arguments->texts, count, "texts");
    if (!fault.status) fault = tape_check_fields(&arguments->choices, count, "choices");
    if (fault.status) return fault;
    if (!call->model->config.has_decoder)
        return fault_make(uform_status_unsupported_k, "the model has no byte decoder");
    fault = call_check_places(call);
    if (!fault.status) fault = tape_check_memory(&arguments->texts, count, 1, "texts", call->arena);
    if (!fault.status) fault = tape_check_memory(&arguments->choices, count, 1, "choices", call->arena);
    if (!fault.status && arguments->question_types)
        fault = range_check(arguments->question_types, count * sizeof(uint32_t), "question_types", call->arena);
    return fault;
}

static uint32_t choose_type(uform_text_choose_t const *arguments, size_t item) {
    return arguments->question_types ? arguments->question_types[item] : 0;
}

/** At least one choice, none twice, and a type that the model was calibrated for. */
static fault_t choose_check_item(call_t const *call, size_t item) {
    uform_text_choose_t const *arguments = call->arguments;
    uform_status_t const refused = uform_status_invalid_argument_k;
    unsigned char const *choices = tape_item(&arguments->choices, item);
    size_t const count = tape_length(&arguments->choices, item);
    if (!count) return fault_item(refused, item, "an item has no choices");
    bool seen[256] = {false};
    for (size_t i = 0; i != count; ++i) {
        if (seen[choices[i]]) return fault_item(refused, item, "an item has a choice twice");
        seen[choices[i]] = true;
    }
    if (choose_type(arguments, item) < call->model->config.question_types) return fault_none();
    return fault_item(refused, item, "an item has a question type that the model does not have");
}

static fault_t choose_begin(call_t *call) {
    uform_text_choose_t const *arguments = call->arguments;
    size_t const count = arguments->count;
    fault_t fault = tape_check_texts(&call->inputs, count);
    for (size_t i = 0; i != count && !fault.status; ++i) fault = choose_check_item(call, i);
    if (fault.status) return fault;
    uint64_t used = 0, choices = 0, offsets = 0;
    size_t const rows = count ? arguments->choices.offsets[count] - arguments->choices.offsets[0] : 0;
    if (!outputs_lay(&used, rows, sizeof(float), &choices) ||
        !outputs_lay(&used, (uint64_t)count + 1, sizeof(size_t), &offsets))
        return fault_memory("outputs of that size");
    fault = arena_reserve(call->arena, (size_t)used);
    if (fault.status) return fault;
    call->states = output_at(call->arena, rows, choices);
    call->offsets = output_at(call->arena, (uint64_t)count + 1, offsets);
    size_t *boundaries = output_open(call, &call->offsets, 0);
    for (size_t i = 0; i <= count; ++i)
        boundaries[i] = count ? arguments->choices.offsets[i] - arguments->choices.offsets[0] : 0;
    return trunk_prepare(call, uform_modality_text_k, true);
}

/** The softmax over an item's choices, out of the state that its text ends in. False once the call
 *  was stopped. */
static bool choose_item(call_t *call, size_t item, scratch_t *scratch) {
    uform_text_choose_t const *arguments = call->arguments;
    model_t const *model = call->model;
    size_t const width = model->config.width, length = call_tokens(call, item);
    rooms_t rooms;
    rooms_lay(call, uform_modality_text_k, scratch->base, &rooms);
    float const *state = model->decoder_empty;
    if (length) {
        trunk_read_text(model, trunk_text(call, item, true), length, &rooms);
        if (!trunk_run(model, &rooms, call)) return false;
        if (rooms.tokens) state = rooms.states + (rooms.tokens - 1) * width;
    }
    unsigned char const *choices = tape_item(&arguments->choices, item);
    size_t const count = tape_length(&arguments->choices, item);
    double const heat = model->config.inverse_temperatures[choose_type(arguments, item)];
    double logits[256], most = -HUGE_VAL, sum = 0;
    for (size_t i = 0; i != count; ++i) {
        matrix_row(&model->head, choices[i], rooms.row);
        logits[i] = heat * (double)dot(rooms.row, state, width);
        most = logits[i] > most ? logits[i] : most;
    }
    for (size_t i = 0; i != count; ++i) sum += logits[i] = exp(logits[i] - most);
    size_t const first = ((size_t const *)(void const *)call->offsets.own)[item];
    float *out = output_open(call, &call->states, first * sizeof(float));
    for (size_t i = 0; i != count; ++i) out[i] = (float)(logits[i] / sum);
    return true;
}

static void choose_publish(call_t *call, bool success) {
    uform_text_choose_t const *arguments = call->arguments;
    if (!arguments->probabilities) return;
    *arguments->probabilities = (uform_rows_tape_view_t){0};
    if (!success) return;
    arguments->probabilities->rows =
        (uform_rows_view_t){.data = call->states.address, .stride = sizeof(float),
            .columns = 1, .scalar = uform_scalar_f32_k};
    arguments->probabilities->offsets = (size_t const *)(void const *)call->offsets.address;
}

static verb_t const choose_verb = {choose_admit, choose_begin, choose_item, choose_publish};

void uform_text_choose(uform_text_choose_t *arguments) {
    if (!arguments || control_silences()) return;
    call_t call = {.verb = &choose_verb,
                   .arguments = arguments,
                   .model = arguments->model,
                   .executor = arguments->executor,
                   .arena = arguments->arena,
                   .outcome = arguments->outcome,
                   .completion = arguments->completion,
                   .progress = arguments->progress,
                   .progress_state = arguments->progress_state,
                   .total = arguments->count,
                   .inputs = arguments->texts};
    call_start(&call);
}
