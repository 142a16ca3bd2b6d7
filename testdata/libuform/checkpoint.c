/**
 *  @brief Binding the tensors of a checkpoint to a model, and packing them.
 *
 *  The tensors are gone through twice in the same order. The first time checks shapes and adds up
 *  sizes, then there is one block for everything, and the second time copies into it and checks
 *  every number.
 */
#include "model.h"

#include <math.h>   // `isfinite`
#include <stdio.h>  // `snprintf`
#include <string.h> // `memcpy`

#include "safetensors.h"

typedef struct binder_t {
    container_t const *container;
    model_t *model;
    call_t *call;
    uform_scalar_t scalar;
    /** The block, `NULL` the first time, and how much of it is used. */
    unsigned char *block;
    uint64_t used;
    /** Columns of the widest matrix. */
    uint32_t widest;
    /** Room for one widened row. */
    float *row;
    fault_t fault;
} binder_t;

typedef char name_t[96];
static char const not_finite[] = "holds a NaN or an infinity";

static void refuse(binder_t *binder, char const *name, char const *why) {
    if (!binder->fault.status)
        binder->fault = fault_format(uform_status_malformed_k, "tensor %s %s", name, why);
}

/** Room in the block, aligned for any number; `NULL` the first time. */
static unsigned char *reserve(binder_t *binder, uint64_t bytes) {
    unsigned char *place = binder->block ? binder->block + binder->used : NULL;
    binder->used += (bytes + 63) / 64 * 64;
    return place;
}

/** The tensor of that name and shape, where `columns` of zero asks for a vector; `NULL` once
 *  something was refused. */
static tensor_t const *find(binder_t *binder, char const *name, int64_t rows, int64_t columns) {
    if (binder->fault.status) return NULL;
    tensor_t const *tensor = container_find(binder->container, name);
    if (!tensor) refuse(binder, name, "is missing");
    else if (tensor->dimensions != (columns ? 2u : 1u) || tensor->shape[0] != rows ||
             (columns && tensor->shape[1] != (tensor->dtype == dtype_u8_k ? (columns + 1) / 2 : columns)))
        refuse(binder, name, "has another shape");
    return binder->fault.status ? NULL : tensor;
}

static unsigned char const *tensor_bytes(binder_t const *binder, tensor_t const *tensor) {
    return binder->container->body + tensor->begin;
}

/** Reports a tensor that was copied; after a stop nothing more is. */
static void advance(binder_t *binder, tensor_t const *tensor) {
    call_advance(binder->call, (size_t)(tensor->end - tensor->begin));
}

/** Widens a vector, stored as it may be. */
static float const *bind_vector(binder_t *binder, char const *name, uint32_t length) {
    tensor_t const *tensor = find(binder, name, length, 0);
    if (!tensor) return NULL;
    if (tensor->dtype != dtype_f32_k && tensor->dtype != dtype_bf16_k) {
        refuse(binder, name, "is neither F32 nor BF16");
        return NULL;
    }
    float *values = (float *)(void *)reserve(binder, (uint64_t)length * 4);
    if (!binder->block) {
        binder->model->parameters += length;
        return NULL;
    }
    if (atomic_load(&binder->call->stopped)) return values;
    matrix_t const stored = {.storage = tensor->dtype == dtype_f32_k ? storage_f32_k : storage_bf16_k,
                             .rows = 1,
                             .columns = length,
                             .data = tensor_bytes(binder, tensor)};
    matrix_row(&stored, 0, values);
    for (uint32_t i = 0; i != length; ++i)
        if (!isfinite(values[i])) refuse(binder, name, not_finite);
    advance(binder, tensor);
    return values;
}

static storage_t storage_of(dtype_t dtype) {
    switch (dtype) {
    case dtype_f32_k: return storage_f32_k;
    case dtype_bf16_k: return storage_bf16_k;
    case dtype_i8_k: return storage_i8_k;
    default: return storage_i4_k;
    }
}

/** Copies rows, rounding or widening where another kind was asked for. */
static void pack(binder_t *binder, char const *name, matrix_t const *stored, storage_t storage, unsigned char *out) {
    size_t const row_bytes = matrix_row_bytes(storage, stored->columns);
    uform_scalar_t const scalar = storage == storage_f32_k ? uform_scalar_f32_k : uform_scalar_bf16_k;
    bool const check = stored->storage == storage_f32_k || stored->storage == storage_bf16_k;
    float *row = binder->row;
    bool finite = true;
    for (uint32_t r = 0; r != stored->rows; ++r, out += row_bytes) {
        if (check || storage != stored->storage) matrix_row(stored, r, row);
        for (uint32_t i = 0; check && i != stored->columns; ++i) finite = finite && isfinite(row[i]);
        if (storage == stored->storage) memcpy(out, stored->data + r * row_bytes, row_bytes);
        else scalars_store(scalar, row, stored->columns, out);
    }
    if (!finite) refuse(binder, name, not_finite);
}

static void bind_matrix(binder_t *binder, char const *name, uint32_t rows, uint32_t columns, matrix_t *matrix) {
    tensor_t const *tensor = find(binder, name, rows, columns);
    if (tensor && tensor->dtype == dtype_other_k) refuse(binder, name, "is neither F32, BF16, I8 nor U8");
    if (!tensor || binder->fault.status) return;
    matrix_t stored = {storage_of(tensor->dtype), rows, columns, tensor_bytes(binder, tensor), NULL};
    tensor_t const *scales = NULL;
    if (stored.storage == storage_i8_k || stored.storage == storage_i4_k) {
        name_t scales_name;
        snprintf(scales_name, sizeof(scales_name), "%s.scales", name);
        scales = find(binder, scales_name, rows, 0);
        if (scales && scales->dtype != dtype_f32_k) refuse(binder, scales_name, "is not F32");
        if (!scales || binder->fault.status) return;
        stored.scales = tensor_bytes(binder, scales);
        for (uint32_t r = 0; binder->block && r != rows; ++r)
            if (!isfinite(float_load(stored.scales + (size_t)r * 4))) refuse(binder, scales_name, not_finite);
    }
    storage_t const storage = binder->scalar == uform_scalar_f32_k    ? storage_f32_k
                              : binder->scalar == uform_scalar_bf16_k ? storage_bf16_k
                                                                      : stored.storage;
    bool const scaled = storage == storage_i8_k || storage == storage_i4_k;
    unsigned char *data = reserve(binder, (uint64_t)rows * matrix_row_bytes(storage, columns));
    unsigned char *copied = scaled ? reserve(binder, (uint64_t)rows * 4) : NULL;
    if (!binder->block) {
        bool const table = strcmp(name, "bytes") == 0 || strcmp(name, "grams") == 0 ||
                           strcmp(name, "image.positions") == 0 || strcmp(name, "video.times") == 0;
        binder->model->parameters += (uint64_t)rows * columns;
        if (columns > binder->widest) binder->widest = columns;
        if (!table && storage != storage_bf16_k) binder->model->scalar = uform_scalar_f32_k;
        return;
    }
    *matrix = (matrix_t){storage, rows, columns, data, copied};
    if (atomic_load(&binder->call->stopped)) return;
    pack(binder, name, &stored, storage, data);
    if (scaled) memcpy(copied, stored.scales, (size_t)rows * 4);
    if (scales) advance(binder, scales);
    advance(binder, tensor);
}

static void bind_layer(binder_t *binder, uint32_t index, layer_t *layer) {
    uint32_t const width = binder->model->config.width, hidden = binder->model->config.hidden;
    struct {
        char const *name;
        uint32_t rows, columns;
        matrix_t *matrix;
    } const parts[] = {
        {"attention.query", width, width, &layer->query},   {"attention.key", width, width, &layer->key},
        {"attention.value", width, width, &layer->value},   {"attention.output", width, width, &layer->output},
        {"feedforward.up", hidden, width, &layer->up},      {"feedforward.down", width, hidden, &layer->down},
    };
    name_t name;
    snprintf(name, sizeof(name), "layers.%u.attention.norm", (unsigned)index);
    layer->attention_norm = bind_vector(binder, name, width);
    snprintf(name, sizeof(name), "layers.%u.feedforward.norm", (unsigned)index);
    layer->feedforward_norm = bind_vector(binder, name, width);
    for (size_t i = 0; i != sizeof(parts) / sizeof(parts[0]); ++i) {
        snprintf(name, sizeof(name), "layers.%u.%s", (unsigned)index, parts[i].name);
        bind_matrix(binder, name, parts[i].rows, parts[i].columns, parts[i].matrix);
    }
}

/** One pass over everything that the configuration asks for. */
static void bind_all(binder_t *binder) {
    model_t *model = binder->model;
    config_t const *config = &model->config;
    binder->used = 0;
    bind_matrix(binder, "bytes", 256, config->width, &model->bytes);
    if (config->has_grams) bind_matrix(binder, "grams", config->grams.buckets, config->width, &model->grams);
    for (uint32_t i = 0; i != config->layers; ++i) bind_layer(binder, i, &model->layers[i]);
    if (config->layers) model->norm = bind_vector(binder, "norm", config->width);
    bind_matrix(binder, "projection", config->columns, config->width * (config->skip ? 2 : 1), &model->projection);
    model->empty = bind_vector(binder, "empty", model_columns(model));
    if (config->has_lexical) model->lexical = bind_vector(binder, "lexical", config->lexical.buckets);
    if (config->image.side) {
        uint32_t const patch = config->image.patch;
        bind_matrix(binder, "image.patches", config->width, 3 * patch * patch, &model->image_patches);
        bind_matrix(binder, "image.positions", image_tokens(config), config->width, &model->image_positions);
    }
    if (config->video_frames)
        bind_matrix(binder, "video.times", config->video_frames, config->width, &model->video_times);
    if (config->audio.rate)
        bind_matrix(binder, "audio.patches", config->width, config->audio.frames * config->audio.mels,
                    &model->audio_patches);
    if (!config->has_decoder) return;
    bind_matrix(binder, "decoder.head", 256, config->width, &model->head);
    model->decoder_empty = bind_vector(binder, "decoder.empty", config->width);
}

/** What the page requires of values beyond being finite. */
static void check_values(binder_t *binder) {
    model_t const *model = binder->model;
    if (binder->fault.status || atomic_load(&binder->call->stopped)) return;
    double square = 0;
    for (uint32_t i = 0; i != model_columns(model); ++i) square += (double)model->empty[i] * model->empty[i];
    if (!(fabs(sqrt(square) - 1) <= 1e-3)) refuse(binder, "empty", "is not of length 1");
    for (uint32_t i = 0; model->lexical && i != model->config.lexical.buckets; ++i)
        if (model->lexical[i] < 0) refuse(binder, "lexical", "holds a negative weight");
}

static fault_t bind_model(model_t *model, container_t const *container, uform_scalar_t scalar, call_t *call) {
    binder_t binder = {.container = container, .model = model, .call = call, .scalar = scalar};
    model->scalar = uform_scalar_bf16_k;
    if (model->config.layers) {
        model->layers = memory_take(model->config.layers * sizeof(layer_t));
        if (!model->layers) return fault_memory("the layers");
    }
    bind_all(&binder);
    if (binder.fault.status) return binder.fault;
    if (binder.used > SIZE_MAX / 2) return fault_memory("the weights");
    // One spare step, so that the first element can sit on a multiple of 64.
    model->weights = memory_take((size_t)binder.used + 64);
    if (!model->weights) return fault_memory("the weights");
    model->weights_bytes = (size_t)binder.used;
    binder.block = model->weights + (64 - (uintptr_t)model->weights % 64);
    binder.row = memory_take(binder.widest * sizeof(float));
    if (!binder.row) return fault_memory("a row of weights");
    bind_all(&binder);
    check_values(&binder);
    memory_give(binder.row);
    return binder.fault;
}

fault_t checkpoint_read(model_t *model, unsigned char const *bytes, size_t size, uform_scalar_t scalar, call_t *call) {
    container_t container;
    fault_t fault = container_read(&container, bytes, size);
    if (fault.status) return fault;
    json_node_t const *text = json_member(&container.header, container.metadata, "uform");
    if (!text) fault = fault_make(uform_status_malformed_k, "__metadata__ lacks the key uform: no checkpoint of UForm");
    else fault = config_read(&model->config, text->text);
    if (!fault.status && call_advance(call, size - container.body_bytes)) {
        fault = bind_model(model, &container, scalar, call);
        // Ignored tensors are reported too, so that the last report is of the whole file.
        size_t const rest = call->total - call->finished;
        if (!fault.status && rest) call_advance(call, rest);
    }
    container_drop(&container);
    return fault;
}
