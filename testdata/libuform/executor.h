/** Executors: threads of their own, working memory, and room for one call. */
#pragma once

#include <stdatomic.h> // `atomic_uint`

#include "call.h"
#include "device.h"
#include "memory.h"
#include "registry.h"

typedef enum executor_state_t {
    executor_idle_k,
    /** The call waits for a thread to run it, as the executor has none of its own. */
    executor_held_k,
    /** The call waits for the executor's own thread to notice it. */
    executor_submitted_k,
    executor_running_k,
} executor_state_t;

/** A thread of the executor's own. */
typedef struct worker_t {
    thread_t thread;
    executor_t *executor;
    uint32_t participant;
} worker_t;

struct uform_executor_handle_t {
    handle_t handle;
    /** Where its arenas live, or -1 for the host. */
    int32_t device;
    int32_t devices[devices_count_k];
    uint32_t devices_count, streams;
    /** The number of its first stream, zero on the host: its arenas grow, fill and are freed on
     *  that one. */
    uint32_t first_stream;
    uform_caller_exclusivity_t exclusivity;
    uform_mood_t mood;
    /** Threads that work on a call, and how many of them are its own. */
    uint32_t participants, workers_count;
    worker_t *workers;
    /** One for each participant. */
    scratch_t *scratch;
    uint64_t scratch_bytes;

    executor_state_t state;
    call_t call;
    /** Serialises the progress reports of the call. */
    mutex_t progress;

    /** Wakes parked workers; spinning ones watch `signal`, which changes with every wake-up. */
    condition_t wake;
    atomic_uint signal;
    /** How often idle workers looked for a wake-up, and went to sleep, for tests. */
    atomic_uint looks, sleeps;
    /** Whether slices may be taken, and how many workers run beside the leader. */
    bool sharing;
    uint32_t helpers;
    bool stopping;
    /** Tests block calls inside, and check that one is blocked. */
    bool hold, holding;
};

/** Threads of all executors, from their start until they are joined. */
unsigned executors_workers(void);
/** Wakes idle workers for new work. The lock is held. */
void executor_wake(executor_t *executor);
/** Shares the call's slices with the workers, takes part, and returns once no thread works on it
 *  any more. */
void executor_share(executor_t *executor, call_t *call);
