/** Faults on demand. */
#include "control.h"

#include <stdatomic.h> // `atomic_int`
#include <string.h>    // `strcmp`

#include "arena.h"
#include "call.h"
#include "device.h"
#include "executor.h"
#include "memory.h"
#include "stream.h"
#include "system.h"

static atomic_int odd_status, odd_pending, silent_calls, slow_microseconds, pretended_version;
/** Under the library's lock. */
static bool hold_everything;
static int64_t stopped_calls;
static char lie_name[96];
static size_t lie_bytes;

/** Takes one from a counter that is above zero. */
static bool counter_take(atomic_int *counter) {
    int left = atomic_load(counter);
    while (left > 0 && !atomic_compare_exchange_weak(counter, &left, left - 1)) {}
    return left > 0;
}

bool control_silences(void) { return counter_take(&silent_calls); }

bool control_odd(fault_t *fault) {
    if (!counter_take(&odd_pending)) return false;
    *fault = fault_make((uform_status_t)atomic_load(&odd_status), "a status that a test planted");
    if (fault->status == uform_status_success_k) *fault = fault_none();
    return true;
}

void control_pause(call_t *call) {
    executor_t *executor = call->executor;
    bool told = false;
    library_lock();
    for (; hold_everything || (executor && executor->hold); told = true) {
        if (executor) executor->holding = true;
        stopped_calls += !told;
        library_wait();
    }
    if (executor) executor->holding = false;
    stopped_calls -= told;
    library_unlock();
}

void control_linger(call_t *call) {
    for (int left = atomic_load(&slow_microseconds); left > 0; left -= 1000) {
        system_sleep(left < 1000 ? (uint32_t)left : 1000);
        if (call->verb->item && !call_advance(call, 0)) return;
    }
}

int control_version(void) { return atomic_load(&pretended_version); }

size_t control_lie(char const *name) {
    library_lock();
    size_t const bytes = lie_name[0] && strcmp(lie_name, name) == 0 ? lie_bytes : 0;
    library_unlock();
    return bytes;
}

/** Holds or releases one executor, or every call for `NULL`. The lock is held. */
static int64_t hold(bool held, executor_t *executor) {
    if (executor && !handle_alive(executor, kind_executor_k)) return -1;
    if (executor) executor->hold = held;
    else hold_everything = held;
    library_announce();
    return 0;
}

static int64_t lie(size_t bytes, char const *name) {
    if (name && strlen(name) >= sizeof(lie_name)) return -1;
    strcpy(lie_name, name ? name : "");
    lie_bytes = bytes;
    return 0;
}

static int64_t reset(void) {
    memory_fail_at(0);
    atomic_store(&odd_pending, 0);
    atomic_store(&silent_calls, 0);
    atomic_store(&slow_microseconds, 0);
    atomic_store(&pretended_version, 0);
    for (handle_t *handle = NULL; (handle = handle_next(handle, kind_executor_k));)
        ((executor_t *)handle)->hold = false;
    lie(0, NULL);
    return hold(false, NULL);
}

static int64_t device_copy(uform_test_copy_t const *copy) {
    return copy && device_copy_out(copy->device, copy->host, copy->bytes) ? 0 : -1;
}

/** Controls that need the library's lock, which is held. */
static int64_t control_locked(char const *name, int64_t value, void *pointer) {
    arena_t const *arena = handle_alive(pointer, kind_arena_k) ? pointer : NULL;
    executor_t *executor = handle_alive(pointer, kind_executor_k) ? pointer : NULL;
    if (strcmp(name, "reset") == 0) return reset();
    if (strcmp(name, "arena_allocations") == 0) return arena ? (int64_t)arena->allocations : -1;
    if (strcmp(name, "arena_bytes") == 0) return arena ? (int64_t)arena->capacity : -1;
    if (strcmp(name, "hold_executor") == 0) return hold(value != 0, pointer);
    if (strcmp(name, "is_holding") == 0) return executor ? executor->holding : pointer ? -1 : stopped_calls;
    if (strcmp(name, "worker_looks") == 0) return executor ? (int64_t)atomic_load(&executor->looks) : -1;
    if (strcmp(name, "worker_sleeps") == 0) return executor ? (int64_t)atomic_load(&executor->sleeps) : -1;
    if (strcmp(name, "layout_lie") == 0) return lie((size_t)value, pointer);
    if (strcmp(name, "first_stream") == 0) return executor ? (int64_t)executor->first_stream : -1;
    if (strcmp(name, "stream_works") == 0) return streams_logged();
    if (strcmp(name, "stream_work") == 0) return pointer && stream_logged(value, pointer) ? 0 : -1;
    if (strcmp(name, "device_copy") == 0) return device_copy(pointer);
    return -1;
}

int64_t uform_test_control(char const *name, int64_t value, void *pointer) {
    if (!name) return -1;
    if (strcmp(name, "allocations") == 0) return (int64_t)memory_taken();
    if (strcmp(name, "live_allocations") == 0) return (int64_t)memory_live();
    if (strcmp(name, "live_workers") == 0) return (int64_t)executors_workers();
    if (strcmp(name, "fail_allocation") == 0) return memory_fail_at(value), 0;
    if (strcmp(name, "slow_call_us") == 0) return atomic_store(&slow_microseconds, (int)value), 0;
    if (strcmp(name, "write_nothing") == 0) return atomic_store(&silent_calls, (int)value), 0;
    if (strcmp(name, "version_major") == 0) return atomic_store(&pretended_version, (int)value), 0;
    if (strcmp(name, "odd_status") == 0) {
        atomic_store(&odd_status, (int)value);
        atomic_store(&odd_pending, 1);
        return 0;
    }
    library_lock();
    int64_t const answer = control_locked(name, value, pointer);
    library_unlock();
    return answer;
}
