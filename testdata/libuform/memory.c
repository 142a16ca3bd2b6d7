/** Counted allocations with planted failures. */
#include "memory.h"

#include <stdatomic.h> // `atomic_size_t`
#include <stdlib.h>    // `calloc`, `free`

#include "system.h"

/** How many allocations until one fails, zero where none does. A word, since wider atomics are not
 *  free everywhere. */
static atomic_long fail_countdown;
static atomic_size_t taken, live;

bool memory_admit(void) {
    long left = atomic_load(&fail_countdown);
    while (left > 0 && !atomic_compare_exchange_weak(&fail_countdown, &left, left - 1)) {}
    if (left == 1) return false;
    atomic_fetch_add(&taken, 1);
    atomic_fetch_add(&live, 1);
    return true;
}

void memory_dismiss(void) { atomic_fetch_sub(&live, 1); }

void *memory_take(size_t bytes) {
    if (!memory_admit()) return NULL;
    void *block = calloc(1, bytes ? bytes : 1);
    if (!block) memory_dismiss();
    return block;
}

void memory_give(void *block) {
    if (!block) return;
    free(block);
    memory_dismiss();
}

void *pages_take(size_t bytes) {
    if (!memory_admit()) return NULL;
    void *pages = system_pages_map(bytes);
    if (!pages) memory_dismiss();
    return pages;
}

void pages_give(void *pages, size_t bytes) {
    if (!pages) return;
    system_pages_unmap(pages, bytes);
    memory_dismiss();
}

size_t pages_round(size_t bytes) {
    size_t const page = system_page_bytes();
    return bytes > SIZE_MAX - page ? 0 : (bytes + page - 1) / page * page;
}

bool scratch_grow(scratch_t *scratch, size_t bytes) {
    if (bytes <= scratch->bytes) return true;
    scratch_drop(scratch); // first, as both may not fit
    scratch->base = memory_take(bytes);
    if (scratch->base) scratch->bytes = bytes;
    return scratch->base;
}

void scratch_drop(scratch_t *scratch) {
    memory_give(scratch->base);
    *scratch = (scratch_t){0};
}

void memory_fail_at(int64_t nth) { atomic_store(&fail_countdown, (long)nth); }
size_t memory_taken(void) { return atomic_load(&taken); }
size_t memory_live(void) { return atomic_load(&live); }
