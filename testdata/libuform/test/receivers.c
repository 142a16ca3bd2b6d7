/** Executors and deferred calls: A14, A15, A24, A28, B08, R03, R04, R08, R09, R14, R15, D07,
 *  D10. */
#include <stdlib.h> // `calloc`
#include <string.h> // `memset`

#include "harness.h"

static char const *const items[] = {"a cat on a mat", "a dog in the fog"};

/** One heap block that owns everything of a call, so that a library that looks at it too late is
 *  seen to. */
typedef struct box_t {
    uform_outcome_t outcome;
    uform_text_encode_t arguments;
    texts_t texts;
    uform_rows_view_t embeddings;
} box_t;

static box_t *box_new(bench_t *bench, uform_arena_t arena, uform_completion_t completion) {
    box_t *box = calloc(1, sizeof(box_t));
    texts_set(&box->texts, 2, items);
    box->arguments = (uform_text_encode_t){.model = bench->model, .executor = bench->executor};
    box->arguments.outcome = &box->outcome, box->arguments.completion = completion;
    box->arguments.count = 2, box->arguments.texts = box->texts.tape;
    box->arguments.arena = arena, box->arguments.embeddings = &box->embeddings;
    return box;
}

static uform_status_t box_run(box_t *box) {
    uform_text_encode(&box->arguments);
    return uform_outcome_status(&box->outcome);
}

static void box_end(box_t *box, uform_status_t wanted) {
    CHECK(uform_outcome_wait(&box->outcome) == wanted);
    CHECK(uform_outcome_wait(&box->outcome) == wanted); // at once, however often
    CHECK_STATUS(box->outcome, wanted);
    CHECK((wanted == uform_status_success_k) == (box->embeddings.data != NULL));
    memset(box, 0xA5, sizeof(box_t));
    free(box);
}

/** An executor without threads holds one call until somebody runs it. */
static void test_held(void) {
    bench_t bench;
    bench_open(&bench, 1, uform_caller_inclusive_k);
    uform_outcome_t outcome;
    box_t *held = box_new(&bench, bench.arena, uform_completion_deferring_k);
    CHECK(box_run(held) == uform_status_deferred_k && !held->embeddings.data);
    box_t *second = box_new(&bench, bench.other, uform_completion_deferring_k);
    CHECK(box_run(second) == uform_status_contended_k); // R04
    box_end(second, uform_status_contended_k);
    second = box_new(&bench, bench.arena, uform_completion_blocking_k);
    CHECK(box_run(second) == uform_status_contended_k); // A14: the arena is the held call's
    box_end(second, uform_status_contended_k);
    CHECK(uform_outcome_status(&held->outcome) == uform_status_deferred_k);
    second = box_new(&bench, bench.other, uform_completion_blocking_k);
    CHECK(box_run(second) == uform_status_success_k); // R04: it ran the held one first
    CHECK(uform_outcome_status(&held->outcome) == uform_status_success_k);
    box_end(second, uform_status_success_k);
    box_end(held, uform_status_success_k);

    held = box_new(&bench, bench.arena, uform_completion_deferring_k);
    box_run(held);
    uform_executor_drain(&(uform_executor_drain_t){.executor = bench.executor, .outcome = &outcome}); // R15
    CHECK_STATUS(outcome, uform_status_success_k);
    CHECK(uform_outcome_status(&held->outcome) == uform_status_success_k);
    box_end(held, uform_status_success_k);
    held = box_new(&bench, bench.arena, uform_completion_deferring_k);
    box_run(held);
    box_end(held, uform_status_success_k); // R14: by its wait

    for (int which = 0; which != 3; ++which) { // D10, A28: by the free of what it names
        held = box_new(&bench, bench.arena, uform_completion_deferring_k);
        box_run(held);
        if (which == 0) uform_arena_free(bench.arena), bench.arena = arena_open(bench.executor);
        if (which == 1) uform_model_free(bench.model), bench.model = NULL;
        if (which == 1) bench.model = model_open(fixture_write(bench.fixture), uform_scalar_bf16_k, NULL, NULL);
        if (which == 2) uform_executor_free(bench.executor), bench.executor = NULL;
        CHECK(uform_outcome_status(&held->outcome) == uform_status_success_k);
        box_end(held, uform_status_success_k);
    }
    // A deferred call without an outcome blocks, and one without an executor is refused.
    box_t *bare = box_new(&bench, bench.arena, uform_completion_deferring_k);
    CHECK(box_run(bare) == uform_status_invalid_argument_k); // D07
    bench.executor = executor_open(1, uform_caller_inclusive_k, uform_mood_parked_k);
    bare->arguments.executor = bench.executor, bare->arguments.outcome = NULL;
    uform_text_encode(&bare->arguments);
    CHECK(bare->embeddings.data);
    free(bare);
    bench_close(&bench);
}

/** A call that a test stops inside: what meets it is contended, and changes nothing. */
static void test_running(uform_caller_exclusivity_t exclusivity, uint32_t threads, uform_mood_t mood) {
    bench_t bench;
    bench_open(&bench, threads, exclusivity);
    uform_executor_t parked = bench.executor;
    bench.executor = executor_open(threads, exclusivity, mood);
    uform_executor_free(parked);
    control("hold_executor", 1, bench.executor);
    box_t *running = box_new(&bench, bench.arena, uform_completion_deferring_k);
    CHECK(box_run(running) == uform_status_deferred_k);
    while (control("is_holding", 0, bench.executor) != 1) pause_briefly();
    for (int completion = 0; completion != 2; ++completion) {
        box_t *other = box_new(&bench, bench.other, (uform_completion_t)completion);
        CHECK(box_run(other) == uform_status_contended_k); // R03, R04
        box_end(other, uform_status_contended_k);
        other = box_new(&bench, bench.arena, (uform_completion_t)0);
        other->arguments.executor = NULL;
        CHECK(box_run(other) == uform_status_contended_k); // A14, A15
        box_end(other, uform_status_contended_k);
    }
    box_t *free_hand = box_new(&bench, bench.other, uform_completion_blocking_k);
    free_hand->arguments.executor = NULL;
    CHECK(box_run(free_hand) == uform_status_success_k); // D08
    box_end(free_hand, uform_status_success_k);
    CHECK(uform_outcome_status(&running->outcome) == uform_status_deferred_k); // R08
    control("hold_executor", 0, bench.executor);
    box_end(running, uform_status_success_k);
    bench_close(&bench);
}

static void wait_body(void *state) { box_end(state, uform_status_success_k); }
static void free_body(void *state) { uform_arena_free(state); }

/** R09: a wait on another thread, which frees the box at once; and a free that waits. */
static void test_elsewhere(uint32_t threads, uform_caller_exclusivity_t exclusivity) {
    bench_t bench;
    bench_open(&bench, threads, exclusivity);
    for (int i = 0; i != 200; ++i) {
        box_t *box = box_new(&bench, i % 2 ? bench.arena : bench.other, uform_completion_deferring_k);
        // The last one is final, so everything of it is free again.
        CHECK(box_run(box) != uform_status_contended_k);
        void *thread = thread_begin(wait_body, box);
        thread_end(thread);
    }
    for (int i = 0; i != 200; ++i) { // lock-free polling, and freeing the box on sight of the end
        box_t *box = box_new(&bench, bench.arena, uform_completion_deferring_k);
        CHECK(box_run(box) != uform_status_contended_k);
        while (threads > 1 && uform_outcome_status(&box->outcome) == uform_status_deferred_k) {}
        box_end(box, uform_status_success_k);
    }
    control("hold_executor", 1, bench.executor);
    box_t *box = box_new(&bench, bench.arena, uform_completion_deferring_k);
    box_run(box);
    void *thread = thread_begin(free_body, bench.arena);
    for (int i = 0; i != 10; ++i) pause_briefly();
    CHECK(uform_outcome_status(&box->outcome) == uform_status_deferred_k);
    control("hold_executor", 0, bench.executor);
    thread_end(thread);
    CHECK(uform_outcome_status(&box->outcome) == uform_status_success_k); // A28
    uform_outcome_wait(&box->outcome);
    free(box); // its view is of an arena that is no more
    bench.arena = NULL;
    bench_close(&bench);
}

typedef struct crowd_t {
    bench_t *bench;
    int succeeded;
} crowd_t;

static void crowd_body(void *state) {
    crowd_t *crowd = state;
    uform_arena_t arena = arena_open(crowd->bench->executor);
    for (int i = 0; i != 40; ++i) {
        box_t *box = box_new(crowd->bench, arena, (uform_completion_t)(i % 2));
        box_run(box);
        uform_status_t const status = uform_outcome_wait(&box->outcome);
        CHECK(status == uform_status_success_k || status == uform_status_contended_k);
        crowd->succeeded += status == uform_status_success_k;
        free(box);
    }
    uform_arena_free(arena);
}

/** Many threads on one executor: each call succeeds or is contended. */
static void test_crowd(uint32_t threads, uform_caller_exclusivity_t exclusivity) {
    bench_t bench;
    bench_open(&bench, threads, exclusivity);
    crowd_t crowds[6];
    void *handles[6];
    int succeeded = 0;
    for (int i = 0; i != 6; ++i) crowds[i] = (crowd_t){&bench, 0}, handles[i] = thread_begin(crowd_body, &crowds[i]);
    for (int i = 0; i != 6; ++i) thread_end(handles[i]), succeeded += crowds[i].succeeded;
    CHECK(succeeded > 0);
    bench_close(&bench);
}

void test_receivers(void) {
    test_held();
    test_running(uform_caller_exclusive_k, 1, uform_mood_parked_k);
    test_running(uform_caller_inclusive_k, 3, uform_mood_spinning_k);
    test_elsewhere(1, uform_caller_inclusive_k);
    test_elsewhere(3, uform_caller_inclusive_k);
    test_elsewhere(2, uform_caller_exclusive_k);
    test_crowd(1, uform_caller_inclusive_k);
    test_crowd(2, uform_caller_inclusive_k);
    test_crowd(1, uform_caller_exclusive_k);
    uform_outcome_t never = {.status = uform_status_deferred_k};
    CHECK(uform_outcome_wait(NULL) == uform_status_invalid_argument_k);
    CHECK(uform_outcome_status(NULL) == uform_status_invalid_argument_k);
    // No call, so no one would ever end it.
    CHECK(uform_outcome_wait(&never) == uform_status_invalid_argument_k);
}
