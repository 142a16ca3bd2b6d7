/** The container: a JSON header, and tensors that cover the rest of the file exactly. */
#pragma once

#include "json.h"
#include "outcome.h"

enum { dimensions_most_k = 8 };

typedef enum dtype_t { dtype_f32_k, dtype_bf16_k, dtype_i8_k, dtype_u8_k, dtype_other_k } dtype_t;

typedef struct tensor_t {
    json_text_t name;
    dtype_t dtype;
    uint32_t dimensions;
    int64_t shape[dimensions_most_k];
    /** Bytes of the body. */
    int64_t begin, end;
} tensor_t;

/** A checked file. It refers to the bytes that it was read from. */
typedef struct container_t {
    json_t header;
    json_node_t const *metadata;
    tensor_t *tensors;
    size_t count;
    unsigned char const *body;
    size_t body_bytes;
} container_t;

/** Checks the whole container. Nothing is kept after a fault. */
fault_t container_read(container_t *container, unsigned char const *bytes, size_t size);
/** Safe on a container that was never read. */
void container_drop(container_t *container);

/** `NULL` where there is none. */
tensor_t const *container_find(container_t const *container, char const *name);
