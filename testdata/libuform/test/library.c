/** What the library says of itself, descriptions, and the faults that a test can plant: V12,
 *  B07. */
#include <stddef.h> // `offsetof`
#include <string.h> // `strcmp`

#include "../files.h"
#include "harness.h"

static void test_layout(void) {
    CHECK(uform_layout_of("uform_outcome_t") == sizeof(uform_outcome_t));
    CHECK(uform_layout_of("uform_outcome_t.status") == 0);
    CHECK(uform_layout_of("uform_trainer_step_t.stats") == offsetof(uform_trainer_step_t, stats));
    CHECK(uform_layout_of("uform_model_description_t.device") == offsetof(uform_model_description_t, device));
    CHECK(uform_layout_of("uform_audio_encode_samples_t.states") == offsetof(uform_audio_encode_samples_t, states));
    CHECK(uform_layout_of("uform_status_t") == 4 && uform_layout_of("uform_arena_t") == sizeof(void *));
    CHECK(uform_layout_of(NULL) == SIZE_MAX && uform_layout_of("uform_outcome_t.state") == SIZE_MAX);
    control("layout_lie", 8, "uform_outcome_t.call");
    CHECK(uform_layout_of("uform_outcome_t.call") == offsetof(uform_outcome_t, call) + 8);
    CHECK(uform_layout_of("uform_outcome_t.item") == 4);
    control("reset", 0, NULL);
    CHECK(uform_layout_of("uform_outcome_t.call") == offsetof(uform_outcome_t, call));
}

static void test_words(void) {
    CHECK(uform_version_major() == UFORM_VERSION_MAJOR && uform_version_minor() == 0 && uform_version_patch() == 0);
    control("version_major", 3, NULL);
    CHECK(uform_version_major() == 3);
    control("version_major", 0, NULL);
    uint64_t compiled = 0, detected = 0;
    uform_capabilities(&compiled, &detected);
    CHECK(compiled & detected & UINT64_C(1) << uform_capability_serial_k && compiled & detected & UINT64_C(1) << uform_capability_training_k);
    CHECK((compiled >> uform_capability_image_files_k & 1) == files_served);
    uform_capabilities(NULL, NULL);
    for (int status = -12; status != 3; ++status) CHECK(strlen(uform_status_to_string((uform_status_t)status)) > 0);
    CHECK(strcmp(uform_status_to_string((uform_status_t)77), uform_status_to_string(uform_status_unknown_k)) == 0);
    CHECK(control("no such control", 0, NULL) == -1 && control(NULL, 0, NULL) == -1);
    CHECK(control("arena_bytes", 0, NULL) == -1);
}

static void test_descriptions(bench_t *bench) {
    uform_outcome_t outcome;
    uform_model_description_t shape = {0};
    uform_model_describe_t describe = {.model = bench->model, .outcome = &outcome, .description = &shape};
    for (int how = 0; how != 3; ++how) { // bare, on an executor, deferred
        shape = (uform_model_description_t){0};
        describe.executor = how ? bench->executor : NULL;
        describe.completion = how == 2 ? uform_completion_deferring_k : uform_completion_blocking_k;
        uform_model_describe(&describe);
        CHECK(uform_outcome_wait(&outcome) == uform_status_success_k);
        CHECK(shape.embedding_columns == 85 && shape.state_columns == 24 && shape.context == 600 && shape.layers == 2);
        CHECK(shape.heads == 3 && shape.byte_decoder == 1 && shape.question_types == 2 && shape.sample_rate == 0);
        CHECK(shape.modalities == 1 && shape.residency == uform_residency_ram_k && shape.device == -1);
        CHECK(shape.parameters > 20000 && shape.weights_bytes > 0 && shape.scalar != uform_scalar_unknown_k);
    }
    describe.completion = uform_completion_blocking_k, describe.reserved = 1;
    uform_model_describe(&describe);
    CHECK_STATUS(outcome, uform_status_invalid_argument_k);
    describe.reserved = 0, describe.description = NULL;
    uform_model_describe(&describe);
    CHECK_STATUS(outcome, uform_status_invalid_argument_k);
    uform_executor_description_t made;
    uform_executor_describe(
        &(uform_executor_describe_t){.executor = bench->executor, .outcome = &outcome, .description = &made});
    CHECK_STATUS(outcome, uform_status_success_k);
    CHECK(made.device == -1 && made.threads == 2 && made.memory_domains_count == 1 && made.streams == 0);
    CHECK(made.exclusivity == uform_caller_inclusive_k && made.mood == uform_mood_parked_k && made.scratch_bytes == 0);
}

/** A04: scratch grows to a high-water mark and stays there. */
static void test_scratch(bench_t *bench) {
    uform_outcome_t outcome;
    uform_executor_description_t made;
    uform_executor_describe_t describe = {.executor = bench->executor, .outcome = &outcome, .description = &made};
    texts_t texts;
    uform_rows_view_t embeddings;
    static char const *const items[] = {"one two three", "four", "five six", "seven"};
    texts_set(&texts, 4, items);
    uint64_t first = 0;
    for (int i = 0; i != 4; ++i) {
        if (i == 2) texts_set(&texts, 1, &items[1]); // less work takes nothing back
        outcome = encode(bench->model, bench->executor, bench->arena, &texts, &embeddings, NULL);
        CHECK_STATUS(outcome, uform_status_success_k);
        uform_executor_describe(&describe);
        CHECK(made.scratch_bytes > 0 && (!first || made.scratch_bytes == first));
        first = made.scratch_bytes;
    }
}

static void test_inits(void) {
    uform_outcome_t outcome;
    uform_executor_t executor = NULL;
    static struct {
        uint64_t domains;
        uint32_t threads;
        int exclusivity, mood;
        uint32_t reserved;
        uform_status_t wanted;
    } const cases[] = {
        {0, 1, 0, 0, 0, uform_status_success_k},          {1, 0, 0, 1, 0, uform_status_success_k},
        {2, 1, 0, 0, 0, uform_status_invalid_argument_k}, {0, 1025, 0, 0, 0, uform_status_invalid_argument_k},
        {0, 1, 2, 0, 0, uform_status_invalid_argument_k}, {0, 1, 0, 2, 0, uform_status_invalid_argument_k},
        {0, 1, 0, 0, 1, uform_status_invalid_argument_k},
    };
    for (size_t i = 0; i != sizeof(cases) / sizeof(cases[0]); ++i) {
        uform_executor_init(&(uform_executor_init_t){
            .executor = &executor, .outcome = &outcome, .memory_domains = cases[i].domains, .threads = cases[i].threads,
            .exclusivity = (uform_caller_exclusivity_t)cases[i].exclusivity, .mood = (uform_mood_t)cases[i].mood,
            .reserved = cases[i].reserved});
        CHECK_STATUS(outcome, cases[i].wanted);
        CHECK((executor != NULL) == (cases[i].wanted == uform_status_success_k));
        uform_executor_free(executor);
    }
    uform_executor_init(&(uform_executor_init_t){.outcome = &outcome});
    CHECK_STATUS(outcome, uform_status_invalid_argument_k);
    uform_executor_drain(&(uform_executor_drain_t){.outcome = &outcome});
    CHECK_STATUS(outcome, uform_status_invalid_argument_k);
}

static void test_plants(bench_t *bench) {
    texts_t texts;
    texts_set(&texts, 1, (char const *const[]){"one"});
    uform_rows_view_t embeddings = {.data = &texts};
    control("odd_status", -42, NULL);
    uform_outcome_t outcome = encode(bench->model, NULL, bench->arena, &texts, &embeddings, NULL);
    CHECK(outcome.status == (uform_status_t)-42 && !embeddings.data);
    embeddings.data = &texts;
    control("write_nothing", 1, NULL);
    outcome = encode(bench->model, NULL, bench->arena, &texts, &embeddings, NULL);
    CHECK(outcome.status == (uform_status_t)-77 && embeddings.data == &texts);
    outcome = encode(bench->model, NULL, bench->arena, &texts, &embeddings, NULL);
    CHECK_STATUS(outcome, uform_status_success_k);
    for (int i = 0; i != 1500; ++i) { // more texts than the set of them holds
        char bad[1501];
        memset(bad, 'a', sizeof(bad));
        bad[i] = (char)0xFF, bad[i + 1] = 0;
        texts_set(&texts, 1, (char const *const[]){bad});
        outcome = encode(bench->model, NULL, bench->arena, &texts, &embeddings, NULL);
        CHECK_STATUS(outcome, uform_status_malformed_k);
        CHECK(outcome.message && strlen(outcome.message) > 4);
    }
}

void test_library(void) {
    bench_t bench;
    bench_open(&bench, 2, uform_caller_inclusive_k);
    test_layout();
    test_words();
    test_descriptions(&bench);
    test_scratch(&bench);
    test_inits();
    test_plants(&bench);
    bench_close(&bench);
}
