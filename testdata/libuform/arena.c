/** Arenas: placed once, empty until a call writes, grown only when outgrown. */
#include "arena.h"

#include "control.h"
#include "device.h"
#include "executor.h"
#include "memory.h"
#include "stream.h"

void uform_arena_init(uform_arena_init_t *arguments) {
    if (!arguments || control_silences()) return;
    outcome_open(arguments->outcome);
    if (arguments->arena) *arguments->arena = NULL;
    fault_t fault = fault_none();
    if (control_odd(&fault)) {
        outcome_close(arguments->outcome, fault);
        return;
    }
    library_lock();
    executor_t *executor = arguments->executor;
    arena_t *arena = NULL;
    if (!arguments->arena)
        fault = fault_make(uform_status_invalid_argument_k, "arena is NULL: name where the handle goes");
    else if (executor && !handle_alive(executor, kind_executor_k))
        fault = fault_make(uform_status_invalid_argument_k, "the executor is not one, or was freed");
    else if (!(arena = memory_take(sizeof(arena_t)))) fault = fault_memory("an arena");
    else {
        arena->device = executor ? executor->device : -1;
        arena->maker = arena->device >= 0 ? executor : NULL;
        handle_link(&arena->handle, kind_arena_k);
        *arguments->arena = arena;
    }
    library_unlock();
    outcome_close(arguments->outcome, fault);
}

/** Frees the memory. The lock is held. */
static void arena_empty(arena_t *arena) {
    if (arena->device < 0) pages_give(arena->address, arena->capacity);
    else if (arena->maker) device_give(arena->device, arena->maker->first_stream, arena->address);
    arena->address = arena->own = NULL;
    arena->capacity = 0;
}

fault_t arena_reserve(arena_t *arena, size_t bytes) {
    fault_t fault = fault_none();
    size_t const capacity = pages_round(bytes);
    library_lock();
    if (bytes > arena->capacity) {
        // The old block goes first: its outputs are rewound already, and a device may not hold
        // both.
        arena_empty(arena);
        if (!capacity) fault = fault_memory("an arena of that size");
        else if (arena->device < 0) arena->address = arena->own = pages_take(capacity);
        else arena->address = device_take(arena->device, arena->maker->first_stream, capacity, &arena->own);
        if (arena->address) arena->capacity = capacity, arena->allocations++;
        else fault = fault_memory(arena->device < 0 ? "the arena's pages" : "the arena on its device");
    }
    library_unlock();
    return fault;
}

bool outputs_lay(uint64_t *used, uint64_t rows, uint64_t row_bytes, uint64_t *place) {
    if (row_bytes && rows > (SIZE_MAX / 2) / row_bytes) return false;
    *place = (*used + 63) / 64 * 64;
    *used = *place + rows * row_bytes;
    return *used <= SIZE_MAX / 2;
}

output_t output_at(arena_t const *arena, uint64_t rows, uint64_t place) {
    if (!rows) return (output_t){NULL, NULL}; // there is no first scalar to point at
    return (output_t){arena->own + (size_t)place, arena->address + (size_t)place};
}

void *output_open(call_t const *call, output_t const *output, size_t offset) {
    arena_t const *arena = call->arena;
    if (arena->device >= 0 && output->own) {
        library_lock();
        stream_work(arena->maker->first_stream, uform_test_fill_k, arena->device, output->address + offset);
        library_unlock();
    }
    return output->own + offset;
}

bool arena_holds(arena_t const *arena, void const *address, size_t bytes) {
    uintptr_t const first = (uintptr_t)arena->address, begin = (uintptr_t)address;
    return bytes && arena->capacity && begin < first + arena->capacity && first < begin + bytes;
}

void arenas_orphan(executor_t const *maker) {
    for (handle_t *handle = NULL; (handle = handle_next(handle, kind_arena_k));) {
        arena_t *arena = (arena_t *)handle;
        if (arena->maker != maker) continue;
        arena_empty(arena);
        arena->maker = NULL;
    }
}

void uform_arena_free(uform_arena_t arena) {
    library_lock();
    bool const closed = handle_close(arena, kind_arena_k);
    if (closed) arena_empty(arena);
    library_unlock();
    if (closed) memory_give(arena);
}

void uform_arena_describe(uform_arena_describe_t *arguments) {
    if (!arguments || control_silences()) return;
    outcome_open(arguments->outcome);
    fault_t fault = fault_none();
    if (!control_odd(&fault)) {
        library_lock();
        if (!arguments->description)
            fault = fault_make(uform_status_invalid_argument_k, "description is NULL: name where the report goes");
        else if (!handle_alive(arguments->arena, kind_arena_k))
            fault = fault_make(uform_status_invalid_argument_k, "the arena is NULL, not one, or was freed");
        else {
            int32_t const device = arguments->arena->device;
            arguments->description->residency = device < 0 ? uform_residency_ram_k : uform_residency_vram_k;
            arguments->description->device = device;
        }
        library_unlock();
    }
    outcome_close(arguments->outcome, fault);
}
