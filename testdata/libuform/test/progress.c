/** Progress and cancelling: A25, R16, R17, and a load's report in bytes. */
#include <stdatomic.h> // `atomic_int`
#include <string.h>    // `memset`

#include "harness.h"

/** What a callback saw, and when it says stop. */
typedef struct watch_t {
    atomic_int inside;
    size_t calls, last, total, repeats;
    size_t stop_at; // the number of the report that answers false, zero for none
    bool overlapped, went_back, began_at_zero;
} watch_t;

static bool watch(size_t finished, size_t total, void *state) {
    watch_t *seen = state;
    if (atomic_fetch_add(&seen->inside, 1)) seen->overlapped = true;
    if (!seen->calls) seen->began_at_zero = finished == 0;
    if (seen->calls && finished < seen->last) seen->went_back = true;
    if (seen->calls && finished == seen->last) seen->repeats++;
    seen->calls++, seen->last = finished, seen->total = total;
    pause_briefly();
    bool const go_on = seen->calls != seen->stop_at;
    atomic_fetch_sub(&seen->inside, 1);
    return go_on;
}

/** Forty items, the long ones among them of slices of their own. */
typedef struct batch_t {
    char data[40 * 300];
    size_t offsets[41];
    uform_outcome_t outcome;
    uform_rows_view_t embeddings;
    uform_rows_tape_view_t states;
    watch_t seen;
} batch_t;

static uform_text_encode_t batch_fill(batch_t *batch, bench_t *bench, size_t stop_at) {
    memset(batch, 0, sizeof(batch_t));
    memset(batch->data, 'x', sizeof(batch->data));
    for (size_t i = 0; i != 40; ++i) batch->offsets[i + 1] = batch->offsets[i] + (i % 20 == 7 ? 280 : i % 5);
    batch->seen.stop_at = stop_at;
    uform_text_encode_t arguments = {.model = bench->model, .executor = bench->executor, .outcome = &batch->outcome};
    arguments.count = 40, arguments.texts = (uform_tape_view_t){batch->data, batch->offsets};
    arguments.progress = watch, arguments.progress_state = &batch->seen;
    arguments.arena = bench->arena, arguments.embeddings = &batch->embeddings, arguments.states = &batch->states;
    return arguments;
}

static void test_reports(uint32_t threads, uform_caller_exclusivity_t exclusivity) {
    static batch_t batch;
    bench_t bench;
    bench_open(&bench, threads, exclusivity);
    uform_text_encode_t arguments = batch_fill(&batch, &bench, 0);
    uform_text_encode(&arguments);
    CHECK_STATUS(batch.outcome, uform_status_success_k);
    watch_t const *seen = &batch.seen;
    CHECK(seen->began_at_zero && !seen->went_back && !seen->overlapped); // R16, R17
    CHECK(seen->last == 40 && seen->total == 40 && seen->calls > 4);
    CHECK(seen->repeats == 2); // each of the two long items reports between its two layers
    size_t const calls = seen->calls;
    for (size_t stop_at = 1; stop_at <= calls; ++stop_at) {
        arguments = batch_fill(&batch, &bench, stop_at);
        arguments.completion = threads ? uform_completion_deferring_k : uform_completion_blocking_k;
        uform_text_encode(&arguments);
        uform_status_t const status = uform_outcome_wait(&batch.outcome);
        // Only the report of the whole comes too late to stop anything. With threads the order of
        // reports varies.
        bool const whole = batch.seen.last == 40;
        CHECK(status == (whole ? uform_status_success_k : uform_status_cancelled_k));
        CHECK(whole == (batch.embeddings.data != NULL) && whole == (batch.states.offsets != NULL)); // A25
        CHECK(whole || batch.seen.calls == stop_at); // nothing is reported after a stop
        CHECK(!batch.seen.overlapped);
    }
    arguments = batch_fill(&batch, &bench, 0);
    uform_text_encode(&arguments); // a stopped call leaves nothing broken
    CHECK_STATUS(batch.outcome, uform_status_success_k);
    arguments.count = 0;
    batch.seen = (watch_t){.stop_at = 1};
    uform_text_encode(&arguments); // nothing to do, and yet it can be stopped before
    CHECK_STATUS(batch.outcome, uform_status_cancelled_k);
    CHECK(batch.seen.calls == 1 && batch.seen.total == 0);
    batch.seen = (watch_t){0};
    uform_text_encode(&arguments);
    CHECK_STATUS(batch.outcome, uform_status_success_k);
    bench_close(&bench);
}

static void test_loads(void) {
    fixture_t *fixture = fixture_rich();
    char const *path = fixture_write(fixture);
    uform_executor_t executor = executor_open(1, uform_caller_exclusive_k, uform_mood_parked_k);
    uform_outcome_t outcome;
    uform_model_t model;
    size_t calls = 0;
    for (size_t stop_at = 0; stop_at <= calls; ++stop_at) {
        watch_t seen = {.stop_at = stop_at};
        uform_model_load(&(uform_model_load_t){.model = &model, .executor = stop_at % 2 ? executor : NULL,
                                               .outcome = &outcome, .path = path, .progress = watch,
                                               .progress_state = &seen});
        bool const whole = stop_at == 0 || stop_at == calls;
        CHECK_STATUS(outcome, whole ? uform_status_success_k : uform_status_cancelled_k);
        CHECK(whole == (model != NULL) && whole == (seen.last == seen.total) && seen.began_at_zero && !seen.went_back);
        if (!stop_at) calls = seen.calls;
        uform_model_free(model);
    }
    CHECK(calls > 10);
    uform_executor_free(executor);
    fixture_free(fixture);
}

/** A slow call reports while nothing is finished yet, so it can be stopped too. */
static void test_slow(void) {
    static batch_t batch;
    bench_t bench;
    bench_open(&bench, 1, uform_caller_exclusive_k);
    control("slow_call_us", 20000, NULL);
    uform_text_encode_t arguments = batch_fill(&batch, &bench, 5);
    uform_text_encode(&arguments);
    CHECK_STATUS(batch.outcome, uform_status_cancelled_k);
    CHECK(batch.seen.last == 0 && batch.seen.calls == 5);
    control("slow_call_us", 0, NULL);
    bench_close(&bench);
}

void test_progress(void) {
    test_reports(0, uform_caller_inclusive_k);
    test_reports(1, uform_caller_inclusive_k);
    test_reports(3, uform_caller_inclusive_k);
    test_reports(2, uform_caller_exclusive_k);
    test_loads();
    test_slow();
}
