/** An allocation that fails, at every place in turn: out of memory is told, nothing stays after or
 *  breaks. */
#include "harness.h"

static char const *const items[] = {"a cat on a mat", "", "a dog in the fog"};

/** Everything that can take memory, once; the status of the first step that failed. */
static uform_status_t round_trip(char const *path, bool device) {
    uform_executor_t executor = NULL;
    uform_model_t model = NULL;
    uform_arena_t arena = NULL;
    uform_outcome_t outcome;
    texts_t texts, choices;
    texts_set(&texts, 3, items);
    texts_set(&choices, 3, (char const *const[]){"ab", "c", "xyz"});
    uform_rows_view_t embeddings = {0};
    uform_rows_tape_view_t rows = {0};
    if (device) uform_executor_init_vram(&(uform_executor_init_vram_t){.executor = &executor, .outcome = &outcome});
    else uform_executor_init(&(uform_executor_init_t){.executor = &executor, .outcome = &outcome, .threads = 3});
    CHECK((executor != NULL) == (outcome.status == uform_status_success_k));
    uform_model_load_t load = {.model = &model, .executor = executor, .outcome = &outcome, .path = path};
    if (executor && device) uform_model_load_vram(&load);
    if (executor && !device) uform_model_load(&load);
    CHECK((model != NULL) == (outcome.status == uform_status_success_k));
    if (model) uform_arena_init(&(uform_arena_init_t){.arena = &arena, .executor = executor, .outcome = &outcome});
    CHECK((arena != NULL) == (outcome.status == uform_status_success_k));
    if (arena) outcome = encode(model, executor, arena, &texts, &embeddings, &rows);
    CHECK((embeddings.data != NULL) == (outcome.status == uform_status_success_k));
    uform_text_choose_t choose = {.model = model, .executor = device ? executor : NULL, .outcome = &outcome};
    choose.count = 3, choose.texts = texts.tape, choose.choices = choices.tape;
    choose.arena = arena, choose.probabilities = &rows;
    if (embeddings.data) uform_text_choose(&choose);
    uform_arena_free(arena);
    uform_model_free(model);
    uform_executor_free(executor);
    CHECK(outcome.status == uform_status_success_k || (outcome.message && outcome.call == 0));
    return outcome.status;
}

static void fail_everywhere(char const *path, bool device) {
    int64_t const live = control("live_allocations", 0, NULL), before = control("allocations", 0, NULL);
    CHECK(round_trip(path, device) == uform_status_success_k);
    int64_t const count = control("allocations", 0, NULL) - before;
    CHECK(count > 10 && control("live_allocations", 0, NULL) == live);
    for (int64_t nth = 1; nth <= count; ++nth) {
        control("fail_allocation", nth, NULL);
        CHECK(round_trip(path, device) == uform_status_out_of_memory_k);
        CHECK(control("live_allocations", 0, NULL) == live);
    }
    control("fail_allocation", 0, NULL);
    CHECK(round_trip(path, device) == uform_status_success_k);
}

void test_failures(void) {
    fixture_t *fixture = fixture_rich();
    char const *path = fixture_write(fixture);
    fail_everywhere(path, false);
    fail_everywhere(path, true);
    fixture_free(fixture);
}
