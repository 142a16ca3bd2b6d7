/** Executors: making and freeing them, their own threads, and how threads share a call. */
#include "executor.h"

#include "arena.h"
#include "control.h"
#include "stream.h"
#include "system.h"

enum {
    threads_most_k = 1024,
    streams_most_k = 64,
};

/* -------------------- Threads ----------------------------------------------------------------- */

static atomic_uint workers_alive;

unsigned executors_workers(void) { return atomic_load(&workers_alive); }

void executor_wake(executor_t *executor) {
    atomic_fetch_add(&executor->signal, 1);
    condition_broadcast(&executor->wake);
}

/** Waits for the next wake-up, spinning or parked. The lock is held before and after. */
static void worker_idle(executor_t *executor) {
    if (executor->mood == uform_mood_parked_k) {
        atomic_fetch_add(&executor->sleeps, 1);
        library_sleep(&executor->wake);
        return;
    }
    // The signal changes under the lock only, so no wake-up is missed.
    unsigned const seen = atomic_load(&executor->signal);
    library_unlock();
    while (atomic_load(&executor->signal) == seen) {
        atomic_fetch_add(&executor->looks, 1);
        thread_yield();
    }
    library_lock();
}

static bool worker_can_help(executor_t const *executor) {
    return executor->sharing && executor->call.cursor != executor->call.total && !atomic_load(&executor->call.stopped);
}

static void worker_main(void *state) {
    worker_t *worker = state;
    executor_t *executor = worker->executor;
    library_lock();
    while (!executor->stopping) {
        if (executor->state == executor_submitted_k) {
            executor->state = executor_running_k;
            library_unlock();
            call_run(&executor->call, worker->participant);
            library_lock();
        }
        else if (worker_can_help(executor)) {
            executor->helpers++;
            library_unlock();
            call_work(&executor->call, &executor->scratch[worker->participant]);
            library_lock();
            if (--executor->helpers == 0) library_announce();
        }
        else worker_idle(executor);
    }
    library_unlock();
}

void executor_share(executor_t *executor, call_t *call) {
    if (executor->workers_count && call->total > 1) {
        library_lock();
        executor->sharing = true;
        executor_wake(executor);
        library_unlock();
    }
    call_work(call, call->scratch);
    library_lock();
    executor->sharing = false;
    while (executor->helpers) library_wait();
    library_unlock();
}

/** Ends the threads that were started and frees everything. No other thread has the executor. */
static void executor_destroy(executor_t *executor) {
    library_lock();
    executor->stopping = true;
    executor_wake(executor);
    library_unlock();
    for (uint32_t i = 0; i != executor->workers_count; ++i) {
        thread_join(&executor->workers[i].thread);
        atomic_fetch_sub(&workers_alive, 1);
        memory_dismiss();
    }
    library_lock();
    for (uint32_t i = 0; i != executor->devices_count; ++i) device_close(executor->devices[i]);
    library_unlock();
    for (uint32_t i = 0; executor->scratch && i != executor->participants; ++i) scratch_drop(&executor->scratch[i]);
    condition_destroy(&executor->wake);
    mutex_destroy(&executor->progress);
    memory_give(executor->scratch);
    memory_give(executor->workers);
    memory_give(executor);
}

/* -------------------- Making ------------------------------------------------------------------ */

/** What is being made, past the checks that differ between hosts and devices. */
typedef struct plan_t {
    int32_t devices[devices_count_k];
    uint32_t devices_count, streams, threads;
    uform_caller_exclusivity_t exclusivity;
    uform_mood_t mood;
} plan_t;

static fault_t executor_furnish(executor_t *executor, uint32_t workers) {
    executor->scratch = memory_take(executor->participants * sizeof(scratch_t));
    executor->workers = memory_take((workers ? workers : 1) * sizeof(worker_t));
    if (!executor->scratch || !executor->workers) return fault_memory("an executor");
    for (uint32_t i = 0; i != workers; ++i) {
        worker_t *worker = &executor->workers[i];
        worker->thread.body = worker_main, worker->thread.state = worker;
        worker->executor = executor;
        // A participating caller comes first.
        worker->participant = executor->participants - workers + i;
        if (!memory_admit()) return fault_memory("a thread of an executor");
        if (!thread_start(&worker->thread)) {
            memory_dismiss();
            return fault_memory("a thread of an executor");
        }
        atomic_fetch_add(&workers_alive, 1);
        executor->workers_count++; // joined at the end, also when the next one fails
    }
    return fault_none();
}

static fault_t executor_make(plan_t const *plan, executor_t **made) {
    executor_t *executor = memory_take(sizeof(executor_t));
    if (!executor) return fault_memory("an executor");
    executor->device = plan->devices_count ? plan->devices[0] : -1;
    executor->streams = plan->streams;
    executor->exclusivity = plan->exclusivity, executor->mood = plan->mood;
    executor->participants = plan->threads;
    mutex_init(&executor->progress);
    condition_init(&executor->wake);
    fault_t fault = fault_none();
    library_lock();
    for (uint32_t i = 0; i != plan->devices_count && !fault.status; ++i)
        if (device_open(plan->devices[i])) executor->devices[executor->devices_count++] = plan->devices[i];
        else fault = fault_memory("a device");
    if (plan->streams) executor->first_stream = streams_open(plan->streams);
    library_unlock();
    uint32_t const callers = plan->exclusivity == uform_caller_inclusive_k;
    if (!fault.status) fault = executor_furnish(executor, plan->threads - callers);
    if (fault.status) {
        executor_destroy(executor);
        return fault;
    }
    library_lock();
    handle_link(&executor->handle, kind_executor_k);
    library_unlock();
    *made = executor;
    return fault;
}

static bool mood_known(uform_mood_t mood) { return mood == uform_mood_parked_k || mood == uform_mood_spinning_k; }

void uform_executor_init(uform_executor_init_t *arguments) {
    if (!arguments || control_silences()) return;
    uform_status_t const refused = uform_status_invalid_argument_k;
    outcome_open(arguments->outcome);
    if (arguments->executor) *arguments->executor = NULL;
    plan_t plan = {.exclusivity = arguments->exclusivity, .mood = arguments->mood, .threads = arguments->threads};
    if (!plan.threads) plan.threads = system_cores();
    fault_t fault = fault_none();
    if (control_odd(&fault)) {}
    else if (!arguments->executor) fault = fault_make(refused, "executor is NULL: name where the handle goes");
    else if (arguments->reserved) fault = fault_make(refused, "reserved is not zero");
    else if (!mood_known(plan.mood)) fault = fault_make(refused, "mood is neither parked nor spinning");
    else if (plan.exclusivity != uform_caller_inclusive_k && plan.exclusivity != uform_caller_exclusive_k)
        fault = fault_make(refused, "exclusivity is neither inclusive nor exclusive");
    else if (arguments->memory_domains > 1)
        fault = fault_make(refused, "memory_domains names a domain above 0, the only one");
    else if (plan.threads > threads_most_k) fault = fault_make(refused, "threads is above 1024");
    else fault = executor_make(&plan, arguments->executor);
    outcome_close(arguments->outcome, fault);
}

/** Copies the ordinals, refusing unknown and repeated ones. */
static fault_t plan_devices(plan_t *plan, int32_t const *devices, size_t count) {
    uform_status_t const refused = uform_status_invalid_argument_k;
    plan->devices_count = 1; // device zero
    if (!devices && count > 1) return fault_make(refused, "devices is NULL though several are counted");
    if (!devices || !count) return fault_none();
    if (count > devices_count_k) return fault_make(refused, "more devices than uform_gpu_devices lists");
    plan->devices_count = (uint32_t)count;
    for (size_t i = 0; i != count; ++i) {
        if (devices[i] < 0 || devices[i] >= devices_count_k)
            return fault_make(refused, "a device is none that uform_gpu_devices lists");
        for (size_t j = 0; j != i; ++j)
            if (devices[i] == devices[j]) return fault_make(refused, "a device is named twice");
        plan->devices[i] = devices[i];
    }
    return fault_none();
}

void uform_executor_init_vram(uform_executor_init_vram_t *arguments) {
    if (!arguments || control_silences()) return;
    uform_status_t const refused = uform_status_invalid_argument_k;
    outcome_open(arguments->outcome);
    if (arguments->executor) *arguments->executor = NULL;
    // One thread stands for all the streams, and the caller never computes.
    plan_t plan = {.exclusivity = uform_caller_exclusive_k, .mood = arguments->mood, .threads = 1};
    plan.streams = arguments->streams ? arguments->streams : 1;
    fault_t fault = fault_none();
    if (control_odd(&fault)) {}
    else if (!arguments->executor) fault = fault_make(refused, "executor is NULL: name where the handle goes");
    else if (!mood_known(plan.mood)) fault = fault_make(refused, "mood is neither parked nor spinning");
    else if (plan.streams > streams_most_k) fault = fault_make(refused, "streams is above 64");
    else {
        fault = plan_devices(&plan, arguments->devices, arguments->devices_count);
        if (!fault.status) fault = executor_make(&plan, arguments->executor);
    }
    outcome_close(arguments->outcome, fault);
}

/* -------------------- The rest ---------------------------------------------------------------- */

void uform_executor_drain(uform_executor_drain_t *arguments) {
    if (!arguments || control_silences()) return;
    outcome_open(arguments->outcome);
    fault_t fault = fault_none();
    if (!control_odd(&fault)) {
        library_lock();
        executor_t *executor = arguments->executor;
        if (!handle_alive(executor, kind_executor_k))
            fault = fault_make(uform_status_invalid_argument_k, "the executor is NULL, not one, or was freed");
        else if (executor->state == executor_held_k) call_run_held(&executor->handle);
        else if (executor->state != executor_idle_k) call_await(executor, executor->call.sequence);
        library_unlock();
    }
    outcome_close(arguments->outcome, fault);
}

void uform_executor_describe(uform_executor_describe_t *arguments) {
    if (!arguments || control_silences()) return;
    outcome_open(arguments->outcome);
    fault_t fault = fault_none();
    if (!control_odd(&fault)) {
        library_lock();
        executor_t const *executor = arguments->executor;
        if (!arguments->description)
            fault = fault_make(uform_status_invalid_argument_k, "description is NULL: name where the report goes");
        else if (!handle_alive(executor, kind_executor_k))
            fault = fault_make(uform_status_invalid_argument_k, "the executor is NULL, not one, or was freed");
        else
            *arguments->description = (uform_executor_description_t){
                .residency = executor->device < 0 ? uform_residency_ram_k : uform_residency_vram_k,
                .device = executor->device,
                .exclusivity = executor->exclusivity,
                .mood = executor->mood,
                .devices_count = executor->devices_count,
                .threads = executor->device < 0 ? executor->participants : 0,
                .streams = executor->streams,
                .memory_domains_count = executor->device < 0,
                .scratch_bytes = executor->scratch_bytes,
            };
        library_unlock();
    }
    outcome_close(arguments->outcome, fault);
}

void uform_executor_free(uform_executor_t executor) {
    library_lock();
    bool const closed = handle_close(executor, kind_executor_k);
    if (closed) arenas_orphan(executor);
    library_unlock();
    if (closed) executor_destroy(executor);
}
