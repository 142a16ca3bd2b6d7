/** The training step: the forward pass of every text, a contrastive loss of groups, and an update
 *  of the projection. */
#include <math.h>   // `exp`, `log`, `sqrt`
#include <string.h> // `memcpy`

#include "arena.h"
#include "control.h"
#include "named.h"
#include "tape.h"
#include "trainer_step.h"
#include "trunk.h"

static uform_scalar_t step_scalar(uform_trainer_step_t const *arguments) {
    return arguments->scalar == uform_scalar_unknown_k ? uform_scalar_f32_k : arguments->scalar;
}

static fault_t step_admit(call_t *call) {
    uform_trainer_step_t const *arguments = call->arguments;
    uform_status_t const refused = uform_status_invalid_argument_k;
    size_t const count = arguments->count;
    fault_t fault = trainer_check_handles(call);
    if (fault.status) return fault;
    call->model = call->trainer->model;
    if (call->arena && !handle_alive(call->arena, kind_arena_k))
        return fault_make(refused, "the arena is not one, or was freed");
    if (!scalar_named(arguments->scalar)) return fault_make(refused, "scalar is no known kind");
    if (arguments->reserved) return fault_make(refused, "reserved is not zero");
    if (arguments->embeddings && !call->arena) return fault_make(refused, "embeddings need an arena to lie in");
    if (!(arguments->learning_rate >= 0 && arguments->learning_rate <= 1000))
        return fault_make(refused, "the learning rate is no number from 0 to 1000");
    if (count && !arguments->modalities) return fault_make(refused, "modalities is NULL: name what each item is");
    fault = tape_check_fields(&arguments->contents, count, "contents");
    if (fault.status) return fault;
    if (!scalar_bytes(step_scalar(arguments)))
        return fault_make(uform_status_unsupported_k, "embeddings are f32, f16, bf16 or i8");
    fault = call_check_places(call);
    if (!fault.status) fault = tape_check_memory(&arguments->contents, count, 1, "contents", call->arena);
    if (!fault.status) fault = range_check(arguments->modalities, count * 4, "modalities", call->arena);
    if (!fault.status && arguments->groups) fault = range_check(arguments->groups, count * 4, "groups", call->arena);
    return fault;
}

double step_rate(call_t const *call) {
    uform_trainer_step_t const *arguments = call->arguments;
    return arguments->learning_rate > 0 ? arguments->learning_rate : call->trainer->learning_rate;
}

/* -------------------- Begin ------------------------------------------------------------------- */

static fault_t step_check_items(call_t const *call) {
    uform_trainer_step_t const *arguments = call->arguments;
    for (size_t i = 0; i != arguments->count; ++i) {
        if (!modality_named(arguments->modalities[i]))
            return fault_item(uform_status_invalid_argument_k, i, "an item has a modality that is none");
        if (arguments->modalities[i] != uform_modality_text_k)
            return fault_item(uform_status_unsupported_k, i, "this library trains on texts alone");
    }
    return tape_check_texts(&arguments->contents, arguments->count);
}

/** Items match by the group of the caller's, which all processes share, or as neighbours in their
 *  process. */
static uint64_t step_key(call_t const *call, size_t i) {
    uform_trainer_step_t const *arguments = call->arguments;
    if (arguments->groups) return arguments->groups[i];
    return ((uint64_t)call->trainer->process + 1) << 40 | i / 2;
}

static bool pairs(crowd_t const *crowd, size_t i, size_t j) { return i != j && crowd->keys[i] == crowd->keys[j]; }

static bool has_pair(crowd_t const *crowd, size_t i) {
    for (size_t j = 0; j != crowd->count; ++j)
        if (pairs(crowd, i, j)) return true;
    return false;
}

static size_t count_paired(crowd_t const *crowd) {
    size_t paired = 0;
    for (size_t i = 0; i != crowd->count; ++i) paired += has_pair(crowd, i);
    return paired;
}

static void *carve(unsigned char **base, size_t count, size_t element) {
    unsigned char *place = *base;
    *base += (count * element + 63) / 64 * 64;
    return place;
}

static step_t *step_make(model_t const *model, size_t count) {
    size_t const wide = model->projection.columns, columns = model->config.columns, all = model_columns(model);
    double const bytes = (double)count * (double)(wide + columns + all + 4) * 8 + (double)columns * (double)wide * 8;
    if (bytes > (double)(SIZE_MAX / 4)) return NULL;
    unsigned char *base = memory_take(sizeof(step_t) + 64 + (size_t)bytes + 64 * 8 + count * columns * 8);
    if (!base) return NULL;
    step_t *step = (step_t *)(void *)base;
    carve(&base, 1, sizeof(step_t));
    step->pooled = carve(&base, count * wide, sizeof(float));
    step->rows = carve(&base, count * all, sizeof(float));
    step->dense = carve(&base, count * columns, sizeof(float));
    step->lengths = carve(&base, count, sizeof(double));
    step->slopes = carve(&base, count * columns, sizeof(double));
    step->keys = carve(&base, count, sizeof(uint64_t));
    step->gradient = carve(&base, columns * wide + 1, sizeof(double));
    return step;
}

static void step_drop(step_t *step) {
    if (!step) return;
    memory_give(step->crowd.coefficients);
    memory_give(step->crowd.room);
    memory_give(step);
}

static fault_t nothing_matches(void) {
    return fault_item(uform_status_invalid_argument_k, 0, "no two items match, so there is nothing to learn");
}

static fault_t step_begin(call_t *call) {
    uform_trainer_step_t const *arguments = call->arguments;
    size_t const count = arguments->count;
    fault_t fault = step_check_items(call);
    if (fault.status) return fault;
    uint64_t used = 0, embeddings = 0;
    uint64_t const row_bytes = model_columns(call->model) * scalar_bytes(step_scalar(arguments));
    if (arguments->embeddings && !outputs_lay(&used, count, row_bytes, &embeddings))
        return fault_memory("outputs of that size");
    if (call->arena) fault = arena_reserve(call->arena, (size_t)used);
    if (fault.status) return fault;
    if (arguments->embeddings) call->embeddings = output_at(call->arena, count, embeddings);
    step_t *step = call->step = step_make(call->model, count);
    if (!step) return fault_memory("a step of that many items");
    for (size_t i = 0; i != count; ++i) step->keys[i] = step_key(call, i);
    step->crowd = (crowd_t){.count = count, .rows = step->rows, .keys = step->keys};
    if (!call->trainer->peers && count && !count_paired(&step->crowd)) return nothing_matches();
    return trunk_prepare(call, uform_modality_text_k, false);
}

/* -------------------- Items ------------------------------------------------------------------- */

static bool step_item(call_t *call, size_t item, scratch_t *scratch) {
    model_t const *model = call->model;
    step_t *step = call->step;
    size_t const wide = model->projection.columns, columns = model_columns(model), length = call_tokens(call, item);
    rooms_t rooms;
    rooms_lay(call, uform_modality_text_k, scratch->base, &rooms);
    if (length) trunk_read_text(model, trunk_text(call, item, false), length, &rooms);
    if (!length || !rooms.tokens) {
        memcpy(step->rows + item * columns, model->empty, columns * sizeof(float));
        return true;
    }
    if (!trunk_run(model, &rooms, call)) return false;
    trunk_embed(model, &rooms, step->rows + item * columns);
    memcpy(step->pooled + item * wide, rooms.pooled, wide * sizeof(float));
    // The same once more, as its length is lost in the embedding.
    float *dense = step->dense + item * model->config.columns;
    matrix_multiply(&model->projection, rooms.pooled, 1, dense, false, rooms.row);
    double square = 0;
    for (size_t k = 0; k != model->config.columns; ++k) square += (double)dense[k] * dense[k];
    step->lengths[item] = sqrt(square);
    for (size_t k = 0; square > 0 && k != model->config.columns; ++k) dense[k] = (float)(dense[k] / sqrt(square));
    return true;
}

/* -------------------- The end ----------------------------------------------------------------- */

static double cosine(crowd_t const *crowd, size_t columns, size_t i, size_t j) {
    double sum = 0;
    for (size_t k = 0; k != columns; ++k)
        sum += (double)crowd->rows[i * columns + k] * (double)crowd->rows[j * columns + k];
    return sum;
}

/** InfoNCE of one item, with its derivatives by the cosines: each match competes with everything
 *  that does not match. */
static double contend(call_t const *call, size_t i, double share) {
    crowd_t const *crowd = &call->step->crowd;
    size_t const count = crowd->count, columns = model_columns(call->model);
    double const temperature = call->trainer->temperature;
    double *row = crowd->coefficients + i * count, against = 0, drawn = 0, loss = 0, most = -HUGE_VAL;
    size_t matches = 0;
    for (size_t j = 0; j != count; ++j) {
        row[j] = i == j ? 0 : cosine(crowd, columns, i, j) / temperature;
        if (i != j && row[j] > most) most = row[j];
        matches += pairs(crowd, i, j);
    }
    for (size_t j = 0; j != count; ++j)
        if (i != j && !pairs(crowd, i, j)) against += exp(row[j] - most);
    share /= (double)matches;
    for (size_t j = 0; j != count; ++j) {
        if (!pairs(crowd, i, j)) continue;
        double const own = exp(row[j] - most), whole = own + against;
        if (whole == 0) {
            row[j] = 0;
            continue;
        }
        loss += share * (log(whole) - (row[j] - most));
        drawn += share / whole;
        row[j] = share * (own / whole - 1) / temperature;
    }
    for (size_t j = 0; j != count; ++j)
        if (i != j && !pairs(crowd, i, j)) row[j] = exp(row[j] - most) * drawn / temperature;
    return loss;
}

/** From the coefficients to the gradient of what the projection gives for one item of this
 *  process. */
static void pull(call_t const *call, size_t i) {
    step_t *step = call->step;
    crowd_t const *crowd = &step->crowd;
    size_t const count = crowd->count, columns = call->model->config.columns, all = model_columns(call->model);
    size_t const place = crowd->first + i;
    double *slope = step->slopes + i * columns, along = 0, share = 0;
    float const *dense = step->dense + i * columns;
    for (size_t j = 0; j != count; ++j) {
        double const both = crowd->coefficients[place * count + j] + crowd->coefficients[j * count + place];
        for (size_t k = 0; k != columns; ++k) slope[k] += both * (double)crowd->rows[j * all + k];
    }
    for (size_t k = 0; k != columns; ++k) along += slope[k] * (double)dense[k];
    for (size_t k = 0; k != columns; ++k) share += (double)step->rows[i * all + k] * (double)dense[k];
    for (size_t k = 0; k != columns; ++k)
        slope[k] = (slope[k] - along * (double)dense[k]) * share / step->lengths[i];
}

/** The loss of all items, and the part of the gradient that this process's have. */
static fault_t step_slope(call_t *call) {
    step_t *step = call->step;
    crowd_t *crowd = &step->crowd;
    size_t const wide = call->model->projection.columns, columns = call->model->config.columns;
    size_t const paired = count_paired(crowd);
    if (!paired) return nothing_matches();
    if (crowd->count > SIZE_MAX / 16 / crowd->count) return fault_memory("a step of that many items");
    crowd->coefficients = memory_take(crowd->count * crowd->count * sizeof(double));
    if (!crowd->coefficients) return fault_memory("a step of that many items");
    for (size_t i = 0; i != crowd->count; ++i)
        if (has_pair(crowd, i)) step->loss += contend(call, i, 1.0 / (double)paired);
    for (size_t i = 0; i != call->total; ++i) {
        if (step->lengths[i] == 0) continue;
        pull(call, i);
        for (size_t r = 0; r != columns; ++r)
            for (size_t k = 0; k != wide; ++k)
                step->gradient[r * wide + k] += step->slopes[i * columns + r] * (double)step->pooled[i * wide + k];
    }
    return fault_none();
}

/** A weight as it is after the step. */
static float step_weight(trainer_t const *trainer, size_t k, double decay, double slope) {
    return (float)((double)trainer->projection[k] * (1 - decay) - slope);
}

/** Moves the weights along the gradient of all. */
static fault_t step_apply(call_t *call) {
    trainer_t *trainer = call->trainer;
    step_t *step = call->step;
    double square = 0;
    for (size_t k = 0; k != trainer->projection_count; ++k) square += step->gradient[k] * step->gradient[k];
    step->norm = sqrt(square);
    if (!isfinite(step->norm)) return fault_make(uform_status_malformed_k, "the gradient is not finite");
    double const rate = step_rate(call);
    double const clip = step->norm > trainer->clip ? trainer->clip / step->norm : 1;
    double const decay = rate * trainer->weight_decay;
    for (size_t k = 0; k != trainer->projection_count; ++k)
        if (!isfinite(step_weight(trainer, k, decay, rate * clip * step->gradient[k])))
            return fault_make(uform_status_malformed_k, "the step is too large for the weights: use a smaller learning rate");
    for (size_t k = 0; k != trainer->projection_count; ++k)
        trainer->projection[k] = step_weight(trainer, k, decay, rate * clip * step->gradient[k]);
    trainer->step++;
    return fault_none();
}

static fault_t step_end(call_t *call, fault_t fault) {
    peers_t *peers = call->trainer->peers;
    if (peers) fault = step_gather(call, fault);
    if (fault.status || !call->step->crowd.count) return fault;
    fault = step_slope(call);
    if (peers) fault = step_reduce(call, fault);
    return fault.status ? fault : step_apply(call);
}

static void step_publish(call_t *call, bool success) {
    uform_trainer_step_t const *arguments = call->arguments;
    if (arguments->embeddings) *arguments->embeddings = (uform_rows_view_t){0};
    if (arguments->stats) *arguments->stats = (uform_trainer_stats_t){0};
    if (success && arguments->stats) {
        step_t const *step = call->step;
        *arguments->stats = (uform_trainer_stats_t){.step = call->trainer->step, .items = step->crowd.count,
            .loss = step->loss, .gradient_norm = step->norm};
    }
    if (success && arguments->embeddings) {
        uform_scalar_t const scalar = step_scalar(arguments);
        size_t const columns = model_columns(call->model);
        scalars_store(scalar, call->step->rows, arguments->count * columns, output_open(call, &call->embeddings, 0));
        *arguments->embeddings =
            (uform_rows_view_t){.data = call->embeddings.address, .stride = columns * scalar_bytes(scalar),
            .columns = columns, .scalar = scalar};
    }
    step_drop(call->step);
    call->step = NULL;
}

static verb_t const step_verb = {step_admit, step_begin, step_item, step_publish};

void uform_trainer_step(uform_trainer_step_t *arguments) {
    if (!arguments || control_silences()) return;
    call_t call = {.verb = &step_verb,
                   .end = step_end,
                   .arguments = arguments,
                   .trainer = arguments->trainer,
                   .executor = arguments->executor,
                   .arena = arguments->arena,
                   .outcome = arguments->outcome,
                   .completion = arguments->completion,
                   .progress = arguments->progress,
                   .progress_state = arguments->progress_state,
                   .total = arguments->count,
                   .inputs = arguments->contents};
    call_start(&call);
}
