/** Memory that calls lay their outputs out in. */
#pragma once

#include "call.h"

struct uform_arena_handle_t {
    handle_t handle;
    /** The device of its memory, or -1 for host pages. */
    int32_t device;
    /** The executor that made a GPU arena, its only user; `NULL` for host arenas and after that
     *  executor is freed. */
    executor_t *maker;
    /** A call holds it, from submission until it is final. */
    bool busy;
    /** The address for callers, and the address for the library itself: the same on the host. */
    unsigned char *address, *own;
    size_t capacity;
    /** The number of its allocations, for tests. */
    size_t allocations;
};

/** Adds an output to those laid out so far, each starting on a multiple of 64; false where they
 *  overflow a word. */
bool outputs_lay(uint64_t *used, uint64_t rows, uint64_t row_bytes, uint64_t *place);
/** The output at an offset of an arena that is large enough; `NULL` if it has no rows. */
output_t output_at(arena_t const *arena, uint64_t rows, uint64_t place);
/** Where the call writes what is at an offset of an output: on a device, on the first stream of its
 *  arena's maker. */
void *output_open(call_t const *call, output_t const *output, size_t offset);
/** Makes room for @p bytes and discards everything in the arena. Called by the call that holds
 *  it. */
fault_t arena_reserve(arena_t *arena, size_t bytes);
/** Whether a range of the caller's overlaps memory of the arena's outputs. The lock is held. */
bool arena_holds(arena_t const *arena, void const *address, size_t bytes);
/** Takes device memory and maker from arenas that the executor's caller forgot to free. The lock is
 *  held. */
void arenas_orphan(executor_t const *maker);
