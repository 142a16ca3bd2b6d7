/** Reading and checking the container. */
#include "safetensors.h"

#include <stdlib.h> // `qsort`
#include <string.h> // `memcpy`

#include "memory.h"
#include "text.h"

enum {
    header_bytes_most_k = 16 * 1024 * 1024,
    tensors_most_k = 65536,
};

static fault_t malformed(char const *text) { return fault_make(uform_status_malformed_k, text); }

static fault_t tensor_malformed(tensor_t const *tensor, char const *why) {
    // Names are the file's, so they are clipped and never trusted to end.
    int const length = tensor->name.length > 80 ? 80 : (int)tensor->name.length;
    return fault_format(uform_status_malformed_k, "tensor %.*s %s", length, tensor->name.data, why);
}

/** The dtype of a name, with the bytes of its elements; false if the page does not define it. */
static bool dtype_find(json_text_t name, dtype_t *dtype, int64_t *bytes) {
    static struct {
        char const *name;
        dtype_t dtype;
        int64_t bytes;
    } const known[] = {
        {"F32", dtype_f32_k, 4},   {"BF16", dtype_bf16_k, 2}, {"I8", dtype_i8_k, 1},     {"U8", dtype_u8_k, 1},
        {"F16", dtype_other_k, 2}, {"F64", dtype_other_k, 8}, {"I16", dtype_other_k, 2}, {"I32", dtype_other_k, 4},
        {"I64", dtype_other_k, 8}, {"U16", dtype_other_k, 2}, {"U32", dtype_other_k, 4}, {"U64", dtype_other_k, 8},
        {"BOOL", dtype_other_k, 1},
    };
    for (size_t i = 0; i != sizeof(known) / sizeof(known[0]); ++i) {
        if (!json_text_is(name, known[i].name)) continue;
        *dtype = known[i].dtype, *bytes = known[i].bytes;
        return true;
    }
    return false;
}

static bool is_natural(json_node_t const *node) {
    return node && node->type == json_number_k && node->whole && node->integer >= 0;
}

static fault_t tensor_read(json_t const *header, json_node_t const *member, tensor_t *tensor) {
    *tensor = (tensor_t){.name = member->name};
    json_node_t const *dtype = json_member(header, member, "dtype");
    json_node_t const *shape = json_member(header, member, "shape");
    json_node_t const *range = json_member(header, member, "data_offsets");
    if (!dtype || dtype->type != json_string_k || !shape || shape->type != json_array_k || !range ||
        range->type != json_array_k)
        return tensor_malformed(tensor, "lacks a dtype, a shape or data_offsets");
    int64_t bytes;
    if (!dtype_find(dtype->text, &tensor->dtype, &bytes)) return tensor_malformed(tensor, "has an unknown dtype");
    if (shape->count > dimensions_most_k) return tensor_malformed(tensor, "has more than 8 dimensions");
    for (json_node_t const *side = json_first(header, shape); side; side = json_next(header, side)) {
        if (!is_natural(side)) return tensor_malformed(tensor, "has a dimension that is no natural number");
        if (side->integer && bytes > INT64_MAX / side->integer) return tensor_malformed(tensor, "overflows");
        bytes *= side->integer;
        tensor->shape[tensor->dimensions++] = side->integer;
    }
    json_node_t const *begin = json_first(header, range);
    json_node_t const *end = begin ? json_next(header, begin) : NULL;
    if (range->count != 2 || !is_natural(begin) || !is_natural(end))
        return tensor_malformed(tensor, "has data_offsets that are not two natural numbers");
    tensor->begin = begin->integer, tensor->end = end->integer;
    if (tensor->end < tensor->begin || tensor->end - tensor->begin != bytes)
        return tensor_malformed(tensor, "has data_offsets of another size than its shape");
    return fault_none();
}

/** By place, empty tensors before the one that they share it with. */
static int tensor_order(void const *left, void const *right) {
    tensor_t const *a = left, *b = right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return a->end == b->end ? 0 : a->end < b->end ? -1 : 1;
}

static fault_t check_cover(container_t const *container) {
    int64_t at = 0;
    for (size_t i = 0; i != container->count; ++i) {
        tensor_t const *tensor = &container->tensors[i];
        if (tensor->begin != at)
            return tensor_malformed(tensor, tensor->begin < at ? "overlaps another" : "leaves a gap before it");
        at = tensor->end;
    }
    if ((uint64_t)at != container->body_bytes) return malformed("the tensors end elsewhere than the file");
    return fault_none();
}

static fault_t read_members(container_t *container) {
    json_t const *header = &container->header;
    json_node_t const *root = &header->nodes[0];
    if (root->type != json_object_k) return malformed("the header is not a JSON object");
    container->metadata = json_member(header, root, "__metadata__");
    size_t const count = root->count - (container->metadata ? 1 : 0);
    if (count > tensors_most_k) return malformed("the header has more than 65,536 tensors");
    if (!container->metadata || container->metadata->type != json_object_k)
        return malformed("the header has no object __metadata__");
    json_node_t const *member = json_first(header, container->metadata);
    for (; member; member = json_next(header, member))
        if (member->type != json_string_k) return malformed("__metadata__ maps to something else than a string");
    container->tensors = memory_take(count * sizeof(tensor_t));
    if (!container->tensors) return fault_memory("the table of tensors");
    for (member = json_first(header, root); member; member = json_next(header, member)) {
        if (member == container->metadata) continue;
        fault_t const fault = tensor_read(header, member, &container->tensors[container->count++]);
        if (fault.status) return fault;
    }
    qsort(container->tensors, container->count, sizeof(tensor_t), tensor_order);
    return check_cover(container);
}

fault_t container_read(container_t *container, unsigned char const *bytes, size_t size) {
    *container = (container_t){0};
    if (size < 8) return malformed("the file is shorter than 8 bytes");
    uint64_t length;
    memcpy(&length, bytes, sizeof(length));
    if (length > header_bytes_most_k) return malformed("the header is longer than 16 MiB");
    if (length > size - 8) return malformed("the header is longer than the file");
    container->body = bytes + 8 + length;
    container->body_bytes = size - 8 - (size_t)length;
    if (utf8_valid(bytes + 8, (size_t)length) != length) return malformed("the header is not UTF-8");
    fault_t fault = json_read(&container->header, (char const *)bytes + 8, (size_t)length, "the header");
    if (!fault.status) fault = read_members(container);
    if (fault.status) container_drop(container);
    return fault;
}

void container_drop(container_t *container) {
    json_drop(&container->header);
    memory_give(container->tensors);
    *container = (container_t){0};
}

tensor_t const *container_find(container_t const *container, char const *name) {
    for (size_t i = 0; i != container->count; ++i)
        if (json_text_is(container->tensors[i].name, name)) return &container->tensors[i];
    return NULL;
}
