/** Trainers: V13 to V15, and allocations that fail at every place of them in turn. */
#include <stdio.h>  // `snprintf`, `remove`
#include <string.h> // `memset`

#include "harness.h"

static char const *const items[] = {"a small cat", "cats are small", "blue sea", "the sea is blue", "", ""};

typedef struct run_t {
    uform_executor_t executor;
    uform_trainer_t trainer;
    uform_arena_t arena;
    uform_outcome_t outcome;
    uform_trainer_stats_t stats;
    uform_rows_view_t embeddings;
} run_t;

static void start(run_t *run, char const *path, bool device) {
    uform_trainer_init_t init = {.trainer = &run->trainer, .executor = run->executor, .outcome = &run->outcome};
    init.path = path;
    if (device) uform_trainer_init_vram(&init);
    else uform_trainer_init(&init);
    CHECK((run->trainer != NULL) == (run->outcome.status == uform_status_success_k));
}

static void step(run_t *run, double rate) {
    static uform_modality_t const modalities[6];
    texts_t texts;
    texts_set(&texts, 6, items);
    uform_trainer_step_t arguments = {.trainer = run->trainer, .executor = run->executor, .outcome = &run->outcome};
    arguments.count = 6, arguments.modalities = modalities, arguments.contents = texts.tape;
    arguments.learning_rate = rate, arguments.arena = run->arena;
    arguments.embeddings = &run->embeddings, arguments.stats = &run->stats;
    uform_trainer_step(&arguments);
    CHECK((run->embeddings.data != NULL) == (run->outcome.status == uform_status_success_k));
}

static void save(run_t *run, char const *path) {
    uform_trainer_save(&(uform_trainer_save_t){
        .trainer = run->trainer, .executor = run->executor, .outcome = &run->outcome, .path = path});
}

/**
 *  A run that is started, makes a step, is saved and, where asked, resumed; the status of the first
 *  part that failed. What comes after a save costs the disk's time.
 */
static uform_status_t round_trip(char const *path, bool device, bool resume) {
    char saved[600];
    snprintf(saved, sizeof(saved), "%s.run", path);
    run_t run = {0};
    if (device)
        uform_executor_init_vram(&(uform_executor_init_vram_t){.executor = &run.executor, .outcome = &run.outcome});
    else
        uform_executor_init(
            &(uform_executor_init_t){.executor = &run.executor, .outcome = &run.outcome, .threads = 2});
    if (run.executor)
        uform_arena_init(
            &(uform_arena_init_t){.arena = &run.arena, .executor = run.executor, .outcome = &run.outcome});
    if (run.arena) start(&run, path, device);
    if (run.trainer) step(&run, 0.1);
    bool saving = run.embeddings.data != NULL;
    if (saving) save(&run, saved), saving = run.outcome.status == uform_status_success_k;
    if (saving && resume) {
        run_t resumed = run;
        resumed.trainer = NULL;
        start(&resumed, saved, device);
        if (resumed.trainer) step(&resumed, 0.1);
        run.outcome = resumed.outcome;
        CHECK(!resumed.trainer || resumed.outcome.status || resumed.stats.step == 2);
        uform_trainer_free(resumed.trainer);
    }
    uform_trainer_free(run.trainer);
    uform_arena_free(run.arena);
    uform_executor_free(run.executor);
    remove(saved);
    return run.outcome.status;
}

static void fail_everywhere(char const *path, bool device) {
    int64_t const live = control("live_allocations", 0, NULL);
    CHECK(round_trip(path, device, true) == uform_status_success_k);
    int64_t const before = control("allocations", 0, NULL);
    CHECK(round_trip(path, device, false) == uform_status_success_k);
    int64_t const count = control("allocations", 0, NULL) - before;
    CHECK(count > 20 && control("live_allocations", 0, NULL) == live);
    for (int64_t nth = 1; nth <= count; ++nth) {
        control("fail_allocation", nth, NULL);
        CHECK(round_trip(path, device, false) == uform_status_out_of_memory_k);
        CHECK(control("live_allocations", 0, NULL) == live);
    }
    control("fail_allocation", 0, NULL);
}

/** Steps along the gradient make the loss smaller, by what the gradient's length says where they
 *  are short. */
static void learn(char const *path) {
    run_t run = {.executor = executor_open(2, uform_caller_inclusive_k, uform_mood_parked_k)};
    run.arena = arena_open(run.executor);
    start(&run, path, false);
    CHECK_STATUS(run.outcome, uform_status_success_k);
    step(&run, 1e-4);
    double const before = run.stats.loss, norm = run.stats.gradient_norm;
    double const moved = 1e-4 * (norm > 1 ? 1 : norm); // a longer gradient is clipped
    step(&run, 1e-4);
    double const fallen = before - run.stats.loss;
    CHECK(fallen > 0.9 * moved * norm && fallen < 1.1 * moved * norm);
    for (int i = 0; i != 30; ++i) step(&run, 0.1);
    CHECK(run.stats.loss < 0.9 * before && run.stats.step == 32 && run.stats.items == 6);
    uform_trainer_free(run.trainer);
    uform_trainer_free(NULL);
    uform_arena_free(run.arena);
    uform_executor_free(run.executor);
}

/** A step that would leave weights which no file can hold is refused, and leaves those before
 *  it. */
static void overflow(char const *path) {
    run_t run = {.executor = executor_open(1, uform_caller_inclusive_k, uform_mood_parked_k)};
    run.arena = arena_open(run.executor);
    uform_trainer_init_t init = {.trainer = &run.trainer, .executor = run.executor, .outcome = &run.outcome};
    init.path = path, init.weight_decay = 1000;
    uform_trainer_init(&init);
    CHECK_STATUS(run.outcome, uform_status_success_k);
    uint64_t steps = 0;
    for (; steps != 20; ++steps) {
        step(&run, 1000); // weights grow a million times
        if (run.outcome.status != uform_status_success_k) break;
    }
    CHECK_STATUS(run.outcome, uform_status_malformed_k);
    step(&run, 1e-9);
    CHECK_STATUS(run.outcome, uform_status_success_k);
    CHECK(run.stats.step == steps + 1);
    uform_trainer_free(run.trainer);
    uform_arena_free(run.arena);
    uform_executor_free(run.executor);
}

void test_training(void) {
    fixture_t *fixture = fixture_rich();
    char const *path = fixture_write(fixture);
    learn(path);
    overflow(path);
    fail_everywhere(path, false);
    fail_everywhere(path, true);
    fixture_free(fixture);
}
