/** Checking the tapes that calls read. */
#pragma once

#include "arena.h"
#include "model.h"

/** Fields that a count above zero needs, and no more items than offsets can bound. */
fault_t tape_check_fields(uform_tape_view_t const *tape, size_t count, char const *name);
/** Offsets that never decrease, and nothing that the call would read inside of memory that it would
 *  write. */
fault_t tape_check_memory(uform_tape_view_t const *tape, size_t count, size_t element, char const *name,
                          arena_t const *arena);
/** A range that the call would read, likewise. The library's lock is held. */
fault_t range_check(void const *data, size_t bytes, char const *name, arena_t const *arena);

/** Elements of one item: bytes, but samples where the tape is of those. */
static inline size_t tape_length(uform_tape_view_t const *tape, size_t item) {
    return tape->offsets[item + 1] - tape->offsets[item];
}
static inline unsigned char const *tape_item(uform_tape_view_t const *tape, size_t item) {
    return (unsigned char const *)tape->data + tape->offsets[item];
}

/** That every text is UTF-8, whatever is cut from it later. */
fault_t tape_check_texts(uform_tape_view_t const *tape, size_t count);
/** Tokens of an item: what was measured, or the bytes of a text that the model's context leaves of
 *  it. */
static inline size_t call_tokens(call_t const *call, size_t item) {
    if (call->lengths) return call->lengths[item];
    size_t const length = tape_length(&call->inputs, item), context = call->model->config.context;
    return length > context ? context : length;
}
