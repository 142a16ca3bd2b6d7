/** Making and writing random checkpoints. */
#include "fixture.h"

#include <math.h>   // `sqrt`
#include <stdio.h>  // `snprintf`, `fopen`
#include <stdlib.h> // `calloc`
#include <string.h> // `strcmp`

/** A number within -1 and 1, the same on every machine. */
static double random_number(fixture_t *fixture) {
    fixture->random = fixture->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(int32_t)(fixture->random >> 32) / 2147483648.0;
}

static fixture_tensor_t *tensor_add(fixture_t *fixture, char const *name, char const *dtype, size_t rows,
                                    size_t columns, size_t stored_columns, size_t element) {
    fixture_tensor_t *tensor = &fixture->tensors[fixture->count++];
    snprintf(tensor->name, sizeof(tensor->name), "%s", name);
    snprintf(tensor->dtype, sizeof(tensor->dtype), "%s", dtype);
    tensor->rows = rows, tensor->columns = columns, tensor->stored_columns = stored_columns;
    tensor->bytes = rows * (columns ? stored_columns : 1) * element;
    tensor->data = calloc(1, tensor->bytes + 1);
    tensor->values = calloc(rows * (columns ? columns : 1) + 1, sizeof(float));
    return tensor;
}

static float value_store(fixture_tensor_t *tensor, size_t index, float value) {
    if (strcmp(tensor->dtype, "BF16") == 0) {
        uint32_t bits;
        memcpy(&bits, &value, 4);
        uint16_t const half = (uint16_t)(bits >> 16);
        bits = (uint32_t)half << 16;
        memcpy(&value, &bits, 4);
        memcpy(tensor->data + 2 * index, &half, 2);
    }
    else memcpy(tensor->data + 4 * index, &value, 4);
    tensor->values[index] = value;
    return value;
}

static void vector_add(fixture_t *fixture, char const *name, char const *dtype, size_t length, double base,
                       double spread) {
    fixture_tensor_t *tensor = tensor_add(fixture, name, dtype, length, 0, 0, strcmp(dtype, "F32") == 0 ? 4 : 2);
    for (size_t i = 0; i != length; ++i) value_store(tensor, i, (float)(base + spread * random_number(fixture)));
}

static void matrix_add(fixture_t *fixture, char const *name, char const *dtype, size_t rows, size_t columns,
                       double spread) {
    bool const i8 = strcmp(dtype, "I8") == 0, i4 = strcmp(dtype, "U8") == 0;
    size_t const stored = i4 ? (columns + 1) / 2 : columns, element = strcmp(dtype, "F32") == 0 ? 4 : i8 || i4 ? 1 : 2;
    fixture_tensor_t *tensor = tensor_add(fixture, name, dtype, rows, columns, stored, element);
    if (!i8 && !i4) {
        for (size_t i = 0; i != rows * columns; ++i) value_store(tensor, i, (float)(spread * random_number(fixture)));
        return;
    }
    char scales_name[80];
    snprintf(scales_name, sizeof(scales_name), "%s.scales", name);
    fixture_tensor_t *scales = tensor_add(fixture, scales_name, "F32", rows, 0, 0, 4);
    for (size_t r = 0; r != rows; ++r) {
        double const wanted = spread / (i8 ? 127 : 7) * (1 + 0.2 * random_number(fixture));
        float const scale = value_store(scales, r, (float)wanted);
        for (size_t c = 0; c != columns; ++c) {
            int const whole = (int)((i8 ? 127.99 : 7.99) * random_number(fixture));
            if (i8) tensor->data[r * stored + c] = (unsigned char)(signed char)whole;
            else tensor->data[r * stored + c / 2] |= (unsigned char)((whole + 8) << (c % 2 * 4));
            tensor->values[r * columns + c] = (float)whole * scale;
        }
    }
}

static void layer_add(fixture_t *fixture, uint32_t index) {
    static struct {
        char const *name, *dtype;
    } const parts[] = {{"attention.query", "F32"}, {"attention.key", "BF16"},  {"attention.value", "I8"},
                       {"attention.output", "U8"}, {"feedforward.up", "BF16"}, {"feedforward.down", "I8"}};
    size_t const width = fixture->width, hidden = fixture->hidden;
    char name[80];
    snprintf(name, sizeof(name), "layers.%u.attention.norm", (unsigned)index);
    vector_add(fixture, name, "F32", width, 1, 0.2);
    snprintf(name, sizeof(name), "layers.%u.feedforward.norm", (unsigned)index);
    vector_add(fixture, name, "BF16", width, 1, 0.2);
    for (size_t i = 0; i != 6; ++i) {
        snprintf(name, sizeof(name), "layers.%u.%s", (unsigned)index, parts[i].name);
        matrix_add(fixture, name, parts[i].dtype, i == 4 ? hidden : width, i == 5 ? hidden : width, 0.4);
    }
}

static void fill(fixture_t *fixture) {
    size_t const whole = fixture->columns + (fixture->lexical ? fixture->lexical_columns : 0);
    matrix_add(fixture, "bytes", fixture->layers ? "U8" : "F32", 256, fixture->width, 1);
    if (fixture->grams)
        matrix_add(fixture, "grams", fixture->layers ? "I8" : "F32", fixture->buckets, fixture->width, 0.5);
    for (uint32_t i = 0; i != fixture->layers; ++i) layer_add(fixture, i);
    if (fixture->layers) vector_add(fixture, "norm", "F32", fixture->width, 1, 0.2);
    matrix_add(fixture, "projection", "BF16", fixture->columns, fixture->width * (fixture->skip ? 2 : 1), 0.5);
    vector_add(fixture, "empty", "F32", whole, 0, 1);
    fixture_tensor_t *empty = fixture_find(fixture, "empty");
    double square = 0;
    for (size_t i = 0; i != whole; ++i) square += (double)empty->values[i] * empty->values[i];
    for (size_t i = 0; i != whole; ++i) value_store(empty, i, (float)(empty->values[i] / sqrt(square)));
    if (fixture->lexical) vector_add(fixture, "lexical", "BF16", fixture->lexical_buckets, 1, 0.9);
    if (fixture->decoder) {
        matrix_add(fixture, "decoder.head", "U8", 256, fixture->width, 1);
        vector_add(fixture, "decoder.empty", "F32", fixture->width, 0, 1);
    }
    char *at = fixture->config, *end = at + sizeof(fixture->config);
    at += snprintf(at, (size_t)(end - at),
                   "{\"format\":\"uform\",\"version\":1,\"modalities\":[\"text\"],\"context\":%u,\"width\":%u,"
                   "\"layers\":%u,\"heads\":%u,\"hidden\":%u,\"columns\":%u,\"norm_epsilon\":1e-5,"
                   "\"rotary_base\":5e2,\"skip\":%s",
                   (unsigned)fixture->context, (unsigned)fixture->width, (unsigned)fixture->layers,
                   (unsigned)fixture->heads, (unsigned)fixture->hidden, (unsigned)fixture->columns,
                   fixture->skip ? "true" : "false");
    if (fixture->grams)
        at += snprintf(at, (size_t)(end - at),
                       ",\"grams\":{\"sizes\":[1,2,3,5],\"hashes\":%u,\"buckets\":%u,\"words\":%s,\"fold\":%s,\"within\":%s}",
                       (unsigned)fixture->hashes, (unsigned)fixture->buckets, fixture->words ? "true" : "false",
                       fixture->fold ? "true" : "false", fixture->within ? "true" : "false");
    if (fixture->lexical)
        at += snprintf(at, (size_t)(end - at),
                       ",\"lexical\":{\"sizes\":[3,4],\"buckets\":%u,\"fold\":true,\"within\":true,\"columns\":%u,\"share\":0.3}",
                       (unsigned)fixture->lexical_buckets, (unsigned)fixture->lexical_columns);
    if (fixture->decoder)
        at += snprintf(at, (size_t)(end - at),
                       ",\"decoder\":{\"question_types\":[{\"name\":\"plain\",\"inverse_temperature\":1},"
                       "{\"name\":\"sharp\",\"inverse_temperature\":2.5}]}");
    snprintf(at, (size_t)(end - at), "}");
}

fixture_t *fixture_rich(void) {
    fixture_t *fixture = calloc(1, sizeof(fixture_t));
    // Odd column counts where a nibble is left over, and a context that longer texts are cut to.
    *fixture = (fixture_t){.context = 600, .width = 24, .layers = 2, .heads = 3, .hidden = 31, .columns = 21,
                           .skip = true, .grams = true, .words = true, .fold = true, .lexical = true,
                           .decoder = true, .hashes = 2, .buckets = 97, .lexical_buckets = 53, .lexical_columns = 64,
                           .epsilon = 1e-5, .base = 500, .share = 0.3, .heats = {1, 2.5}, .random = 7};
    fill(fixture);
    return fixture;
}

fixture_t *fixture_plain(void) {
    fixture_t *fixture = calloc(1, sizeof(fixture_t));
    *fixture = (fixture_t){.context = 64, .width = 9, .columns = 16, .grams = true, .within = true, .hashes = 1, .buckets = 32,
                           .epsilon = 1e-5, .base = 500, .random = 11};
    fill(fixture);
    return fixture;
}

fixture_t *fixture_tiny(void) {
    fixture_t *fixture = calloc(1, sizeof(fixture_t));
    *fixture = (fixture_t){.context = 8, .width = 1, .columns = 2, .random = 13};
    fill(fixture);
    return fixture;
}

void fixture_free(fixture_t *fixture) {
    for (size_t i = 0; i != fixture->count; ++i) free(fixture->tensors[i].data), free(fixture->tensors[i].values);
    free(fixture);
}

fixture_tensor_t *fixture_find(fixture_t *fixture, char const *name) {
    for (size_t i = 0; i != fixture->count; ++i)
        if (strcmp(fixture->tensors[i].name, name) == 0) return &fixture->tensors[i];
    return NULL;
}

float const *fixture_values(fixture_t const *fixture, char const *name) {
    return fixture_find((fixture_t *)fixture, name)->values;
}

unsigned char *fixture_file(fixture_t const *fixture, char const *extra, size_t *size) {
    static char header[32768];
    size_t at = 0, begin = 0;
    at += (size_t)snprintf(header + at, sizeof(header) - at, "{\"__metadata__\":{\"uform\":\"");
    for (char const *c = fixture->config; *c; ++c) {
        if (*c == '"') header[at++] = '\\';
        header[at++] = *c;
    }
    at += (size_t)snprintf(header + at, sizeof(header) - at, "\"}");
    for (size_t i = 0; i != fixture->count; ++i) {
        fixture_tensor_t const *tensor = &fixture->tensors[i];
        char second[32] = "";
        if (tensor->columns) snprintf(second, sizeof(second), ",%lu", (unsigned long)tensor->stored_columns);
        at += (size_t)snprintf(header + at, sizeof(header) - at,
                               ",\"%s\":{\"dtype\":\"%s\",\"shape\":[%lu%s],\"data_offsets\":[%lu,%lu]}", tensor->name,
                               tensor->dtype, (unsigned long)tensor->rows, second, (unsigned long)begin,
                               (unsigned long)(begin + tensor->bytes));
        begin += tensor->bytes;
    }
    at += (size_t)snprintf(header + at, sizeof(header) - at, "%s}", extra);
    while (at % 8) header[at++] = ' ';
    uint64_t const length = at;
    unsigned char *bytes = malloc(8 + at + begin), *body = bytes + 8 + at;
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, header, at);
    for (size_t i = 0; i != fixture->count; body += fixture->tensors[i++].bytes)
        memcpy(body, fixture->tensors[i].data, fixture->tensors[i].bytes);
    *size = 8 + at + begin;
    return bytes;
}

char const *file_write(unsigned char const *bytes, size_t size) {
    static char names[4][32];
    static unsigned last;
    char *name = names[last++ % 4];
    snprintf(name, sizeof(names[0]), "fixture-%u.safetensors", last % 4);
    FILE *file = fopen(name, "wb");
    if (!file) return name;
    fwrite(bytes, 1, size, file);
    fclose(file);
    return name;
}

char const *fixture_write(fixture_t const *fixture) {
    size_t size;
    unsigned char *bytes = fixture_file(fixture, "", &size);
    char const *name = file_write(bytes, size);
    free(bytes);
    return name;
}
