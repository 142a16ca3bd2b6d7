/**
 *  @brief A libuform whose calls take a time that the caller chooses, and work on nothing.
 *  @file library.c
 *
 *  - `uform_arena_describe` is the one of nothing.c;
 *  - `uform_text_encode` is final `count` microseconds after it was called. One thread of the
 *    library ends all calls. It leaves its clock in `outcome->call`, read right before it stores
 *    the status, and then reports progress, where the caller wants to hear by a callback;
 *  - `bench_loop` calls a verb in a loop, `bench_clock` tells the time.
 *
 *  Linux only: waiting is a futex on the status.
 */
#define _GNU_SOURCE
#include "uform.h"

#include <limits.h>       // `INT_MAX`
#include <linux/futex.h>  // `FUTEX_WAIT_PRIVATE`
#include <pthread.h>      // `pthread_create`
#include <stdlib.h>       // `abort`
#include <sys/syscall.h>  // `SYS_futex`
#include <time.h>         // `clock_gettime`
#include <unistd.h>       // `syscall`

#define BENCH_API __attribute__((visibility("default")))

/** A call in flight, and everything of it that is needed once it is final, when its arguments may
 *  be gone. */
typedef struct call_t {
    uint64_t due;
    uform_outcome_t *outcome;
    uform_progress_callback_t progress;
    void *progress_state;
} call_t;

/** The calls in flight, as a heap by when they are due. */
static struct {
    pthread_mutex_t mutex;
    pthread_cond_t earlier;
    pthread_once_t once;
    call_t *calls;
    size_t count, capacity;
} flying = {.mutex = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

static uint64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) abort();
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void push(call_t call) {
    if (flying.count == flying.capacity) {
        flying.capacity = flying.capacity ? flying.capacity * 2 : 1024;
        flying.calls = realloc(flying.calls, flying.capacity * sizeof(call_t));
        if (!flying.calls) abort();
    }
    size_t i = flying.count++;
    for (; i && flying.calls[(i - 1) / 2].due > call.due; i = (i - 1) / 2) flying.calls[i] = flying.calls[(i - 1) / 2];
    flying.calls[i] = call;
}

static call_t pop(void) {
    call_t const first = flying.calls[0], last = flying.calls[--flying.count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < flying.count; i = child) {
        if (child + 1 < flying.count && flying.calls[child + 1].due < flying.calls[child].due) child++;
        if (flying.calls[child].due >= last.due) break;
        flying.calls[i] = flying.calls[child];
    }
    flying.calls[i] = last;
    return first;
}

/* Past the store the outcome may be gone; waking somebody by a stale address is harmless, as every
 * waiter looks again. */
static void finish(call_t call) {
    call.outcome->item = 0;
    call.outcome->call = (uintptr_t)nanoseconds(CLOCK_MONOTONIC);
    __atomic_store_n((int32_t *)&call.outcome->status, uform_status_success_k, __ATOMIC_RELEASE);
    syscall(SYS_futex, &call.outcome->status, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
    if (call.progress) call.progress(1, 1, call.progress_state);
}

static void *run(void *unused) {
    (void)unused;
    pthread_mutex_lock(&flying.mutex);
    for (;;) {
        if (!flying.count) {
            pthread_cond_wait(&flying.earlier, &flying.mutex);
            continue;
        }
        uint64_t const due = flying.calls[0].due;
        if (nanoseconds(CLOCK_MONOTONIC) < due) {
            struct timespec const until = {.tv_sec = (time_t)(due / 1000000000u), .tv_nsec = (long)(due % 1000000000u)};
            pthread_cond_timedwait(&flying.earlier, &flying.mutex, &until);
            continue;
        }
        call_t const call = pop();
        pthread_mutex_unlock(&flying.mutex);
        finish(call);
        pthread_mutex_lock(&flying.mutex);
    }
    return NULL;
}

static void start(void) {
    pthread_condattr_t attributes;
    pthread_t thread;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&flying.earlier, &attributes);
    if (pthread_create(&thread, NULL, run, NULL) != 0) abort();
}

void uform_text_encode(uform_text_encode_t *arguments) {
    call_t const call = {
        .due = nanoseconds(CLOCK_MONOTONIC) + (uint64_t)arguments->count * 1000u,
        .outcome = arguments->outcome,
        .progress = arguments->progress,
        .progress_state = arguments->progress_state,
    };
    pthread_once(&flying.once, start);
    arguments->outcome->status = uform_status_deferred_k;
    pthread_mutex_lock(&flying.mutex);
    push(call);
    if (flying.calls[0].outcome == call.outcome) pthread_cond_signal(&flying.earlier);
    pthread_mutex_unlock(&flying.mutex);
}

uform_status_t uform_outcome_status(uform_outcome_t const *outcome) {
    return (uform_status_t)__atomic_load_n((int32_t const *)&outcome->status, __ATOMIC_ACQUIRE);
}

uform_status_t uform_outcome_wait(uform_outcome_t *outcome) {
    uform_status_t status;
    while ((status = uform_outcome_status(outcome)) == uform_status_deferred_k)
        syscall(SYS_futex, &outcome->status, FUTEX_WAIT_PRIVATE, uform_status_deferred_k, NULL, NULL, 0);
    return status;
}

/** Calls `verb` with `arguments` as often as told. */
BENCH_API void bench_loop(void (*verb)(void *), void *arguments, size_t count) {
    for (size_t i = 0; i != count; ++i) verb(arguments);
}

/** Tells the time in nanoseconds. */
BENCH_API void bench_clock(uint64_t *now) { *now = nanoseconds(CLOCK_MONOTONIC); }

/* What a loader asks for besides. */
void uform_arena_init(uform_arena_init_t *arguments) {
    *arguments->arena = (uform_arena_t)(void *)&flying;
    arguments->outcome->status = uform_status_success_k;
}
void uform_arena_free(uform_arena_t arena) { (void)arena; }
void uform_executor_init(uform_executor_init_t *arguments) { arguments->outcome->status = uform_status_unsupported_k; }
void uform_executor_drain(uform_executor_drain_t *arguments) { arguments->outcome->status = uform_status_unsupported_k; }
void uform_executor_free(uform_executor_t executor) { (void)executor; }
void uform_model_load(uform_model_load_t *arguments) { arguments->outcome->status = uform_status_unsupported_k; }
void uform_model_describe(uform_model_describe_t *arguments) { arguments->outcome->status = uform_status_unsupported_k; }
void uform_model_free(uform_model_t model) { (void)model; }
