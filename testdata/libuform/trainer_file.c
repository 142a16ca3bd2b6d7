/** The file that a run is saved in: every tensor of the one it started from, but for the projection
 *  and moments. */
#include <stdio.h>  // `snprintf`
#include <string.h> // `memcpy`

#include "safetensors.h"
#include "trainer.h"

/** Bytes that are counted first, and written the second time. */
typedef struct writer_t {
    unsigned char *block;
    size_t used;
} writer_t;

static void put(writer_t *writer, void const *bytes, size_t count) {
    if (writer->block) memcpy(writer->block + writer->used, bytes, count);
    writer->used += count;
}

static void put_text(writer_t *writer, char const *text) { put(writer, text, strlen(text)); }

/** A JSON string. What JSON does not take as it is becomes an escape; everything else is UTF-8
 *  already. */
static void put_string(writer_t *writer, json_text_t text) {
    put_text(writer, "\"");
    for (uint32_t i = 0; i != text.length; ++i) {
        unsigned char const byte = (unsigned char)text.data[i];
        char escape[8];
        snprintf(escape, sizeof(escape), "\\u%04x", byte);
        if (byte < 0x20 || byte == '"' || byte == '\\') put_text(writer, escape);
        else put(writer, &text.data[i], 1);
    }
    put_text(writer, "\"");
}

static bool ends_with(json_text_t name, char const *end) {
    size_t const length = strlen(end);
    return name.length >= length && memcmp(name.data + name.length - length, end, length) == 0;
}

/** Moments are another optimizer's, and would not fit to the weights of this one's next step. */
static bool is_dropped(tensor_t const *tensor) {
    return ends_with(tensor->name, ".moment1") || ends_with(tensor->name, ".moment2") ||
           json_text_is(tensor->name, "projection") || json_text_is(tensor->name, "projection.scales");
}

static void put_metadata(writer_t *writer, container_t const *container, uint64_t step) {
    json_t const *header = &container->header;
    char text[48];
    snprintf(text, sizeof(text), "{\"__metadata__\":{\"uform.step\":\"%llu\"", (unsigned long long)step);
    put_text(writer, text);
    json_node_t const *member = json_first(header, container->metadata);
    for (; member; member = json_next(header, member)) {
        if (json_text_is(member->name, "uform.step")) continue;
        put_text(writer, ",");
        put_string(writer, member->name);
        put_text(writer, ":");
        put_string(writer, member->text);
    }
    put_text(writer, "}");
}

/** The member of the header that a tensor was read from. */
static json_node_t const *member_of(container_t const *container, tensor_t const *tensor) {
    json_node_t const *member = json_first(&container->header, &container->header.nodes[0]);
    while (member->name.data != tensor->name.data) member = json_next(&container->header, member);
    return member;
}

static void put_entry(writer_t *writer, container_t const *container, tensor_t const *tensor, int64_t begin) {
    json_node_t const *dtype = json_member(&container->header, member_of(container, tensor), "dtype");
    char text[64];
    put_text(writer, ",");
    put_string(writer, tensor->name);
    put_text(writer, ":{\"dtype\":");
    put_string(writer, dtype->text);
    put_text(writer, ",\"shape\":[");
    for (uint32_t i = 0; i != tensor->dimensions; ++i) {
        snprintf(text, sizeof(text), i ? ",%lld" : "%lld", (long long)tensor->shape[i]);
        put_text(writer, text);
    }
    snprintf(text, sizeof(text), "],\"data_offsets\":[%lld,%lld]}", (long long)begin,
             (long long)(begin + (tensor->end - tensor->begin)));
    put_text(writer, text);
}

/** The projection comes first, as wide as any; the others keep their order, in which wider elements
 *  come earlier. */
static void put_file(writer_t *writer, trainer_t const *trainer, container_t const *container, size_t *header_bytes) {
    uint64_t const length = *header_bytes;
    int64_t const projection_bytes = (int64_t)(trainer->projection_count * sizeof(float));
    matrix_t const *projection = &trainer->model->projection;
    put(writer, &length, sizeof(length));
    size_t const begin = writer->used;
    put_metadata(writer, container, trainer->step);
    char text[128];
    snprintf(text, sizeof(text), ",\"projection\":{\"dtype\":\"F32\",\"shape\":[%lu,%lu],\"data_offsets\":[0,%lld]}",
             (unsigned long)projection->rows, (unsigned long)projection->columns, (long long)projection_bytes);
    put_text(writer, text);
    int64_t place = projection_bytes;
    for (size_t i = 0; i != container->count; ++i) {
        tensor_t const *tensor = &container->tensors[i];
        if (is_dropped(tensor)) continue;
        put_entry(writer, container, tensor, place);
        place += tensor->end - tensor->begin;
    }
    put_text(writer, "}");
    while (writer->used % 8) put_text(writer, " ");
    *header_bytes = writer->used - begin;
    put(writer, trainer->projection, (size_t)projection_bytes);
    for (size_t i = 0; i != container->count; ++i) {
        tensor_t const *tensor = &container->tensors[i];
        if (!is_dropped(tensor)) put(writer, container->body + tensor->begin, (size_t)(tensor->end - tensor->begin));
    }
}

fault_t trainer_write(trainer_t const *trainer, unsigned char **bytes, size_t *size) {
    container_t container;
    fault_t const fault = container_read(&container, trainer->file, trainer->file_bytes);
    if (fault.status) return fault;
    writer_t writer = {0};
    size_t header_bytes = 0;
    put_file(&writer, trainer, &container, &header_bytes);
    *size = writer.used;
    *bytes = memory_take(writer.used);
    writer = (writer_t){.block = *bytes};
    if (*bytes) put_file(&writer, trainer, &container, &header_bytes);
    container_drop(&container);
    return *bytes ? fault_none() : fault_memory("the file of a run");
}
