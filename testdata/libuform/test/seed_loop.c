/** The loop of the project's first page, word for word, over real batches. */
#include "harness.h"

enum { batches_count = 3 };

static size_t consumed;

static void consume(uform_rows_view_t embeddings, size_t count) {
    float const *values = embeddings.data;
    for (size_t i = 0; i != count; ++i) {
        float square = 0;
        for (size_t k = 0; k != embeddings.columns; ++k)
            square += values[i * embeddings.stride / 4 + k] * values[i * embeddings.stride / 4 + k];
        CHECK(square > 0.999f && square < 1.001f);
    }
    consumed += count;
}

void test_seed_loop(void) {
    fixture_t *fixture = fixture_rich();
    uform_executor_t executor = executor_open(2, uform_caller_inclusive_k, uform_mood_parked_k);
    uform_outcome_t outcome;
    uform_rows_view_t embeddings;
    static texts_t tapes[batches_count];
    uform_tape_view_t texts[batches_count];
    char const *const items[] = {"a cat on a mat", "a dog in the fog"};
    for (size_t i = 0; i != batches_count; ++i) texts_set(&tapes[i], 2, items), texts[i] = tapes[i].tape;
    uform_model_t model = model_open(fixture_write(fixture), uform_scalar_unknown_k, executor, NULL);
    uform_text_encode_t encode = {.model = model, .executor = executor, .outcome = &outcome, .count = 2};

    uform_arena_t arena = NULL;
    uform_arena_init(&(uform_arena_init_t){.arena = &arena, .executor = executor, .outcome = &outcome});
    for (size_t batch = 0; batch != batches_count; ++batch) {
        encode.texts = texts[batch], encode.arena = arena, encode.embeddings = &embeddings;
        uform_text_encode(&encode);
        if (encode.outcome->status != uform_status_success_k) break;
        consume(embeddings, encode.count); // valid until the next call given `arena`
    }
    CHECK(consumed == batches_count * 2);
    CHECK(control("arena_allocations", 0, arena) == 1);
    uform_arena_free(arena);
    uform_model_free(model);
    uform_executor_free(executor);
    fixture_free(fixture);
}
