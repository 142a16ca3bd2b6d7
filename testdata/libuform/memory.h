/** The only place where the library allocates memory, so that tests can plant every failure and see
 *  every leak. */
#pragma once

#include <stdbool.h> // `bool`
#include <stddef.h>  // `size_t`
#include <stdint.h>  // `int64_t`

/** Zeroed bytes, `NULL` where there are none or a failure was planted. Zero bytes are one. */
void *memory_take(size_t bytes);
/** `NULL` is safe. */
void memory_give(void *block);

/** Whole zeroed pages, for what outlives calls and is handed to callers. */
void *pages_take(size_t bytes);
void pages_give(void *pages, size_t bytes);
/** Rounds up to whole pages, zero where that overflows. */
size_t pages_round(size_t bytes);

/** Working memory that only grows, and whose content no call leaves to the next. */
typedef struct scratch_t {
    unsigned char *base;
    size_t bytes;
} scratch_t;

/** Makes room for @p bytes; false, with no room left at all, where there are none. */
bool scratch_grow(scratch_t *scratch, size_t bytes);
void scratch_drop(scratch_t *scratch);

/**
 *  Counts one more resource of another kind, such as a thread or a mapping, as an allocation; false
 *  where a failure was planted here. Each admission is paired with a dismissal.
 */
bool memory_admit(void);
void memory_dismiss(void);

/** Makes the @p nth allocation from now fail, the first being one; zero makes none fail. */
void memory_fail_at(int64_t nth);
/** Allocations so far, and those not given back. */
size_t memory_taken(void);
size_t memory_live(void);
