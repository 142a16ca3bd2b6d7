/** Arenas on the host: A08 to A15, A22, A25 to A31, B05, B06, D01, D11. */
#include <string.h> // `memcpy`, `strlen`

#include "../memory.h"
#include "harness.h"

static char const *const few[] = {"one", "two"};
static char const *const more[] = {"three little words", "", "and one more", "x"};

static void test_growth(bench_t *bench) {
    texts_t small, large;
    texts_set(&small, 2, few);
    texts_set(&large, 4, more);
    uform_rows_view_t first, second;
    uform_rows_tape_view_t states;
    uform_arena_t arena = bench->arena;
    CHECK(control("arena_allocations", 0, arena) == 0 && control("arena_bytes", 0, arena) == 0); // A08
    CHECK_STATUS(encode(bench->model, NULL, arena, &small, &first, NULL), uform_status_success_k);
    CHECK(control("arena_allocations", 0, arena) == 1);
    CHECK(control("arena_bytes", 0, arena) == (int64_t)pages_round(2 * 85 * 4));
    int64_t const before = control("allocations", 0, NULL);
    for (size_t i = 0; i != 5; ++i) // A10: nothing at all is taken in a steady loop
        CHECK_STATUS(encode(bench->model, NULL, arena, &small, &second, NULL), uform_status_success_k);
    CHECK(control("allocations", 0, NULL) == before && second.data == first.data);
    CHECK_STATUS(encode(bench->model, NULL, arena, &large, &first, &states), uform_status_success_k);
    CHECK(control("arena_allocations", 0, arena) <= 2);
    int64_t const bytes = control("arena_bytes", 0, arena);
    CHECK_STATUS(encode(bench->model, NULL, arena, &small, &second, NULL), uform_status_success_k);
    CHECK(control("arena_bytes", 0, arena) == bytes); // it never shrinks
    // A11: another arena keeps another call's outputs.
    float kept[85];
    memcpy(kept, second.data, sizeof(kept));
    CHECK_STATUS(encode(bench->model, NULL, bench->other, &large, &first, NULL), uform_status_success_k);
    CHECK(memcmp(kept, second.data, sizeof(kept)) == 0);
}

static void test_emptiness(bench_t *bench) {
    texts_t none = {0};
    uform_rows_view_t embeddings;
    uform_rows_tape_view_t states;
    CHECK_STATUS(encode(bench->model, NULL, bench->arena, &none, &embeddings, &states), uform_status_success_k); // D01
    CHECK(states.offsets && states.offsets[0] == 0 && !states.rows.data && !embeddings.data);
    CHECK(embeddings.columns == 85 && embeddings.scalar == uform_scalar_f32_k);
    uform_arena_t fresh = arena_open(NULL);
    CHECK_STATUS(encode(bench->model, NULL, fresh, &none, &embeddings, NULL), uform_status_success_k);
    CHECK(control("arena_allocations", 0, fresh) == 0);
    uform_arena_free(fresh);
}

/** A12, A13: what is refused leaves the arena as it was. */
static void test_refusals(bench_t *bench) {
    uform_status_t const refused = uform_status_invalid_argument_k;
    texts_t texts;
    texts_set(&texts, 2, few);
    uform_rows_view_t embeddings, kept;
    uform_rows_tape_view_t states;
    CHECK_STATUS(encode(bench->model, NULL, NULL, &texts, &embeddings, NULL), refused);
    CHECK_STATUS(encode(NULL, NULL, bench->arena, &texts, &embeddings, NULL), refused);
    CHECK_STATUS(encode(bench->model, NULL, bench->arena, &texts, NULL, NULL), refused);
    CHECK_STATUS(encode(bench->model, NULL, bench->other, &texts, &kept, &states), uform_status_success_k);
    float copy[170];
    memcpy(copy, kept.data, sizeof(copy));
    texts_t inside = texts; // the tape's bytes, then its offsets, inside of the arena's outputs
    inside.offsets[0] = 0, inside.offsets[1] = 2, inside.offsets[2] = 4;
    inside.tape = (uform_tape_view_t){kept.data, inside.offsets};
    CHECK_STATUS(encode(bench->model, NULL, bench->other, &inside, &embeddings, NULL), refused);
    CHECK(!embeddings.data); // A25
    inside.tape = (uform_tape_view_t){texts.data, states.offsets};
    CHECK_STATUS(encode(bench->model, NULL, bench->other, &inside, &embeddings, NULL), refused);
    CHECK(memcmp(copy, kept.data, sizeof(copy)) == 0); // D11
    texts.offsets[1] = texts.offsets[0] - 1;
    uform_outcome_t const outcome = encode(bench->model, NULL, bench->other, &texts, &embeddings, NULL);
    CHECK_STATUS(outcome, refused);
    CHECK(outcome.item == 0);
    texts.tape.data = NULL;
    CHECK_STATUS(encode(bench->model, NULL, bench->other, &texts, &embeddings, NULL), refused);
    CHECK(memcmp(copy, kept.data, sizeof(copy)) == 0);
}

/** The fields that only hold some numbers, and the order in which refusals come. */
static void test_settings(bench_t *bench) {
    texts_t texts;
    texts_set(&texts, 2, few);
    uform_outcome_t outcome;
    uform_rows_view_t embeddings;
    uform_rows_tape_view_t states;
    static struct {
        int completion, scalar, states, wanted;
    } const cases[] = {
        {0, 12, 0, uform_status_invalid_argument_k}, {0, -1, 0, uform_status_invalid_argument_k},
        {2, 0, 0, uform_status_invalid_argument_k},  {1, 0, 0, uform_status_invalid_argument_k}, // D07: no executor
        {0, 2, 0, uform_status_unsupported_k},       {0, 9, 0, uform_status_unsupported_k},
        {0, 4, 1, uform_status_unsupported_k},       {0, 4, 0, uform_status_success_k},
        {0, 3, 1, uform_status_success_k},
    };
    for (size_t i = 0; i != sizeof(cases) / sizeof(cases[0]); ++i) {
        uform_text_encode_t arguments = {.model = bench->model, .outcome = &outcome, .arena = bench->arena};
        arguments.completion = (uform_completion_t)cases[i].completion;
        arguments.scalar = (uform_scalar_t)cases[i].scalar;
        arguments.count = 2, arguments.texts = texts.tape, arguments.embeddings = &embeddings;
        arguments.states = cases[i].states ? &states : NULL;
        uform_text_encode(&arguments);
        CHECK_STATUS(outcome, (uform_status_t)cases[i].wanted);
        CHECK((outcome.status == uform_status_success_k) == (embeddings.data != NULL));
    }
    uform_text_encode(NULL); // nothing to report to, and no crash
}

static void test_handles(bench_t *bench) {
    uform_outcome_t outcome;
    uform_arena_description_t description = {.device = 9};
    uform_executor_t executor = executor_open(1, uform_caller_exclusive_k, uform_mood_parked_k);
    uform_arena_t arena = arena_open(executor);
    texts_t texts;
    texts_set(&texts, 2, few);
    uform_rows_view_t embeddings;
    CHECK_STATUS(encode(bench->model, executor, arena, &texts, &embeddings, NULL), uform_status_success_k);
    CHECK_STATUS(encode(bench->model, NULL, arena, &texts, &embeddings, NULL), uform_status_success_k); // A26
    uform_executor_free(executor);
    CHECK(((float const *)embeddings.data)[0] != 0); // A22: host arenas outlive their executor
    CHECK_STATUS(encode(bench->model, executor, arena, &texts, &embeddings, NULL), uform_status_invalid_argument_k);
    uform_arena_describe_t describe = {.arena = arena, .outcome = &outcome, .description = &description};
    uform_arena_describe(&describe); // A30, A32, A33
    CHECK_STATUS(outcome, uform_status_success_k);
    CHECK(description.residency == uform_residency_ram_k && description.device == -1);
    describe.description = NULL;
    uform_arena_describe(&describe); // A31
    CHECK_STATUS(outcome, uform_status_invalid_argument_k);
    describe = (uform_arena_describe_t){.outcome = &outcome, .description = &description};
    uform_arena_describe(&describe);
    CHECK_STATUS(outcome, uform_status_invalid_argument_k);
    CHECK(outcome.item == -1 && outcome.message && strlen(outcome.message) > 0);
    uform_arena_init(&(uform_arena_init_t){.outcome = &outcome});
    CHECK_STATUS(outcome, uform_status_invalid_argument_k);
    uform_arena_free(arena);
    uform_arena_free(arena); // stale handles are ignored
    uform_arena_free(NULL), uform_model_free(NULL), uform_executor_free(NULL); // A27
    uform_arena_free((uform_arena_t)bench->model);
    CHECK_STATUS(encode(bench->model, NULL, arena, &texts, &embeddings, NULL), uform_status_invalid_argument_k);
}

void test_arenas(void) {
    bench_t bench;
    bench_open(&bench, 0, uform_caller_inclusive_k);
    test_growth(&bench);
    test_emptiness(&bench);
    test_refusals(&bench);
    test_settings(&bench);
    test_handles(&bench);
    bench_close(&bench);
}
