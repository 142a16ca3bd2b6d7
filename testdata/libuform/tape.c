/** Tapes of inputs. */
#include "tape.h"

#include "device.h"
#include "text.h"

fault_t tape_check_fields(uform_tape_view_t const *tape, size_t count, char const *name) {
    uform_status_t const refused = uform_status_invalid_argument_k;
    if (count && (!tape->data || !tape->offsets))
        return fault_format(refused, "%s has items and no data or offsets", name);
    if (count >= SIZE_MAX / sizeof(size_t)) return fault_format(refused, "%s counts more items than memory can", name);
    return fault_none();
}

fault_t range_check(void const *data, size_t bytes, char const *name, arena_t const *arena) {
    uform_status_t const refused = uform_status_invalid_argument_k;
    if (!bytes) return fault_none();
    if (arena && arena_holds(arena, data, bytes))
        return fault_format(refused, "%s lies inside the arena that the call rewinds: use another arena", name);
    if (device_holds(data, bytes))
        return fault_format(refused, "%s lies in device memory: inputs are read on the host", name);
    return fault_none();
}

fault_t tape_check_memory(uform_tape_view_t const *tape, size_t count, size_t element, char const *name,
                          arena_t const *arena) {
    if (!count) return fault_none();
    fault_t const fault = range_check(tape->offsets, (count + 1) * sizeof(size_t), name, arena);
    if (fault.status) return fault;
    for (size_t i = 0; i != count; ++i)
        if (tape->offsets[i + 1] < tape->offsets[i])
            return fault_item_format(uform_status_invalid_argument_k, i, "%s has offsets that decrease", name);
    if (tape->offsets[count] > SIZE_MAX / element)
        return fault_format(uform_status_invalid_argument_k, "%s has offsets past all memory", name);
    unsigned char const *data = tape->data;
    return range_check(data + tape->offsets[0] * element, (tape->offsets[count] - tape->offsets[0]) * element, name,
                       arena);
}

fault_t tape_check_texts(uform_tape_view_t const *tape, size_t count) {
    for (size_t i = 0; i != count; ++i) {
        size_t const length = tape_length(tape, i), good = utf8_valid(tape_item(tape, i), length);
        if (good != length)
            return fault_item_format(uform_status_malformed_k, i, "a text is not UTF-8 at its byte %lu",
                                     (unsigned long)good);
    }
    return fault_none();
}
