/**
 *  @brief The way of a call: checked, taken, run or held, made final.
 *
 *  Why an outcome may be freed once @ref uform_outcome_wait has returned, or as soon as its status
 *  reads final: the last access of the library to anything of the caller's - outputs, argument
 *  struct, outcome - is the store of the status, in @ref outcome_close at the end of @ref
 *  call_finish. What comes after it (the announcement, the unlocking) touches the library's own
 *  lock and condition alone, and those are never freed. A waiter looks at an outcome before it
 *  returns only, and holds the lock under which the status is stored while it decides to sleep.
 */
#include "call.h"

#include "arena.h"
#include "control.h"
#include "executor.h"
#include "model.h"
#include "trainer.h"

/** Calls that are not final, under the library's lock. */
static call_t *calls;
static uintptr_t last_sequence;

/* -------------------- Checks ------------------------------------------------------------------ */

fault_t call_check_handles(call_t const *call, bool needs_arena) {
    uform_status_t const refused = uform_status_invalid_argument_k;
    if (!handle_alive(call->model, kind_model_k))
        return fault_make(refused, "the model is NULL, not one, or was freed");
    if (call->executor && !handle_alive(call->executor, kind_executor_k))
        return fault_make(refused, "the executor is not one, or was freed");
    if (needs_arena && !handle_alive(call->arena, kind_arena_k))
        return fault_make(refused, "the arena is NULL, not one, or was freed");
    if (call->completion != uform_completion_blocking_k && call->completion != uform_completion_deferring_k)
        return fault_make(refused, "completion is neither blocking nor deferring");
    if (call->completion == uform_completion_deferring_k && !call->executor)
        return fault_make(refused, "a deferred call needs an executor to run on");
    return fault_none();
}

fault_t call_check_places(call_t const *call) {
    int32_t const device = call->executor ? call->executor->device : -1;
    if (call->model && call->model->device != device)
        return fault_make(uform_status_device_k, "the model lives elsewhere than the executor computes");
    if (call->arena && call->arena->device != device)
        return fault_make(uform_status_device_k, "the arena lives elsewhere than the executor computes");
    if (call->arena && device >= 0 && call->arena->maker != call->executor)
        return fault_make(uform_status_device_k, "a GPU arena serves only the executor that made it");
    return fault_none();
}

/* -------------------- Progress ---------------------------------------------------------------- */

static bool call_report(call_t *call, size_t units) {
    if (atomic_load(&call->stopped)) return false;
    call->finished += units;
    if (!call->progress || call->progress(call->finished, call->total, call->progress_state)) return true;
    if (call->finished == call->total && call->total) return true; // too late to stop anything
    atomic_store(&call->stopped, true);
    return false;
}

bool call_advance(call_t *call, size_t units) {
    if (!call->executor) return call_report(call, units);
    mutex_lock(&call->executor->progress);
    bool const go_on = call_report(call, units);
    mutex_unlock(&call->executor->progress);
    return go_on;
}

/* -------------------- Work -------------------------------------------------------------------- */

fault_t call_prepare(call_t *call, size_t scratch_bytes) {
    executor_t *executor = call->executor;
    if (!executor) {
        call->scratch = model_scratch_take(call->model, scratch_bytes);
        return call->scratch ? fault_none() : fault_memory("the scratch of a call on the calling thread");
    }
    // Every participant gets memory for the longest item, so that the same work never grows it
    // twice.
    bool enough = true;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i != executor->participants; ++i) {
        enough = enough && scratch_grow(&executor->scratch[i], scratch_bytes);
        bytes += executor->scratch[i].bytes;
    }
    library_lock();
    if (bytes > executor->scratch_bytes) executor->scratch_bytes = bytes;
    library_unlock();
    call->scratch = &executor->scratch[call->participant];
    return enough ? fault_none() : fault_memory("the executor's scratch");
}

/** Takes the next items for one thread; false where none are left or the call is to end. */
static bool call_take_slice(call_t *call, size_t *first, size_t *last) {
    library_lock();
    bool const some = call->cursor != call->total && !atomic_load(&call->stopped);
    if (some) {
        size_t const *offsets = call->inputs.offsets;
        // What has to be decoded goes item by item.
        size_t end = *first = call->cursor, most = *first + (call->lengths ? 1 : slice_items_k);
        if (most > call->total) most = call->total;
        do ++end;
        while (end != most && offsets[end + 1] - offsets[*first] <= slice_tokens_k);
        call->cursor = *last = end;
    }
    library_unlock();
    return some;
}

void call_fail(call_t *call, fault_t fault) {
    library_lock();
    // Threads continue with items before this one, so that the first fault does not depend on the
    // threads.
    if (!call->fault.status || fault.item < call->fault.item) call->fault = fault;
    call->cursor = call->total;
    library_unlock();
}

void call_work(call_t *call, scratch_t *scratch) {
    size_t first, last;
    while (call_take_slice(call, &first, &last)) {
        for (size_t i = first; i != last; ++i)
            if (!call->verb->item(call, i, scratch)) return;
        call_advance(call, last - first);
    }
}

/** Outputs, then the handles, then the outcome: a reader of the status may use all of them
 *  again. */
static void call_finish(call_t *call, fault_t fault) {
    call->verb->publish(call, fault.status == uform_status_success_k);
    if (!call->executor && call->scratch) model_scratch_give(call->model, call->scratch);
    for (size_t i = 0; call->heard && i != call->total; ++i) memory_give(call->heard[i]);
    memory_give(call->heard);
    memory_give(call->lengths);
    library_lock();
    call_t **place = &calls;
    while (*place != call) place = &(*place)->next;
    *place = call->next;
    if (call->model) call->model->handle.pins--;
    if (call->trainer) call->trainer->handle.pins--, call->trainer->busy = false;
    if (call->arena) call->arena->handle.pins--, call->arena->busy = false;
    if (call->executor) call->executor->handle.pins--, call->executor->state = executor_idle_k;
    outcome_close(call->outcome, fault);
    library_announce();
    library_unlock();
}

void call_run(call_t *call, uint32_t participant) {
    call->participant = participant;
    control_pause(call);
    fault_t fault = fault_none();
    if (call->verb->item) call_advance(call, 0);
    control_linger(call);
    if (!atomic_load(&call->stopped)) fault = call->verb->begin(call);
    if (!fault.status && call->verb->item) {
        if (call->executor) executor_share(call->executor, call);
        else call_work(call, call->scratch);
        fault = call->fault;
    }
    if (!fault.status && atomic_load(&call->stopped))
        fault = fault_make(uform_status_cancelled_k, "the progress callback asked to stop");
    if (call->end) fault = call->end(call, fault);
    call_finish(call, fault);
}

/* -------------------- Submission -------------------------------------------------------------- */

/** Runs a call that its executor holds. The lock is held before and after. */
static void call_claim(call_t *call) {
    call->executor->state = executor_running_k;
    library_unlock();
    call_run(call, 0);
    library_lock();
}

bool call_run_held(handle_t const *handle) {
    for (call_t *call = calls; call; call = call->next) {
        bool const named = (call->model && &call->model->handle == handle) ||
                           (call->trainer && &call->trainer->handle == handle) ||
                           (call->arena && &call->arena->handle == handle) ||
                           (call->executor && &call->executor->handle == handle);
        if (!named || !call->executor || call->executor->state != executor_held_k) continue;
        call_claim(call);
        return true;
    }
    return false;
}

void call_await(executor_t *executor, uintptr_t sequence) {
    executor->handle.pins++; // its free must not overtake this thread
    while (executor->state != executor_idle_k && executor->call.sequence == sequence) library_wait();
    executor->handle.pins--;
    library_announce();
}

/** The status for an arena or executor that is in use; runs a held call that blocks a blocking
 *  one. */
static fault_t call_clear(call_t *request) {
    executor_t *executor = request->executor;
    for (;;) {
        fault_t const fault = request->verb->admit(request);
        if (fault.status) return fault;
        if (request->arena && request->arena->busy)
            return fault_make(uform_status_contended_k, "another call holds the arena");
        if (request->trainer && request->trainer->busy)
            return fault_make(uform_status_contended_k, "another call holds the trainer");
        if (!executor || executor->state == executor_idle_k) return fault;
        if (request->deferring || executor->state != executor_held_k)
            return fault_make(uform_status_contended_k, "another call holds the executor");
        call_claim(&executor->call);
    }
}

/** Registers the call, which then holds its handles, in its executor's slot or in the verb's own
 *  memory. */
static call_t *call_take(call_t *request) {
    call_t *call = request->executor ? &request->executor->call : request;
    if (call != request) *call = *request;
    if (!++last_sequence) ++last_sequence;
    call->sequence = last_sequence;
    call->next = calls, calls = call;
    if (call->model) call->model->handle.pins++;
    if (call->trainer) call->trainer->handle.pins++, call->trainer->busy = true;
    if (call->arena) call->arena->handle.pins++, call->arena->busy = true;
    if (call->executor) call->executor->handle.pins++;
    if (call->outcome) call->outcome->call = call->sequence;
    return call;
}

void call_start(call_t *request) {
    outcome_open(request->outcome);
    request->verb->publish(request, false);
    // Without an outcome the end could not be reported, so such a call blocks.
    request->deferring = request->completion == uform_completion_deferring_k && request->outcome;
    fault_t fault = fault_none();
    bool const odd = control_odd(&fault);
    library_lock();
    if (!odd) fault = call_clear(request);
    if (odd || fault.status) {
        library_unlock();
        outcome_close(request->outcome, fault);
        return;
    }
    bool const deferring = request->deferring;
    executor_t *executor = request->executor;
    call_t *call = call_take(request);
    uintptr_t const sequence = call->sequence;
    if (!executor || (!deferring && executor->exclusivity == uform_caller_inclusive_k)) {
        if (executor) executor->state = executor_running_k;
        library_unlock();
        call_run(call, 0);
        return;
    }
    executor->state = executor->workers_count ? executor_submitted_k : executor_held_k;
    if (executor->workers_count) executor_wake(executor);
    if (!deferring) call_await(executor, sequence);
    library_unlock();
}

uform_status_t uform_outcome_wait(uform_outcome_t *outcome) {
    if (!outcome) return uform_status_invalid_argument_k;
    uform_status_t status = uform_outcome_status(outcome);
    if (status != uform_status_deferred_k) return status;
    library_lock();
    while ((status = uform_outcome_status(outcome)) == uform_status_deferred_k) {
        call_t *call = calls;
        while (call && call->outcome != outcome) call = call->next;
        if (!call) break;
        if (call->executor && call->executor->state == executor_held_k) call_claim(call);
        else library_wait();
    }
    library_unlock();
    // Unchanged if no call ever had this outcome: no call would ever finish it.
    return status == uform_status_deferred_k ? uform_status_invalid_argument_k : status;
}
