/** The forward pass against its reference: V01, D02 to D04, D06, D14. */
#include <math.h>   // `fabs`
#include <stdlib.h> // `free`
#include <string.h> // `memcmp`, `strlen`

#include "../matrix.h"
#include "harness.h"
#include "reference.h"

static char const *const samples[] = {"a", "A Cat\ton a  mat.", "", "na\xC3\xAFve \xE2\x82\xAC 5 \xF0\x9F\x90\x88",
                                      "   ", "the quick brown fox jumps over the lazy dog"};
enum { samples_count = 6 };

static double tolerance = 2e-5;

static void near_rows(float const *values, double const *wanted, size_t count) {
    double worst = 0;
    for (size_t i = 0; i != count; ++i) worst = fmax(worst, fabs(values[i] - wanted[i]));
    CHECK(worst < tolerance);
}

static void compare(fixture_t const *fixture, uform_model_t model, uform_executor_t executor) {
    texts_t texts;
    texts_set(&texts, samples_count, samples);
    uform_rows_view_t embeddings;
    uform_rows_tape_view_t states;
    uform_arena_t arena = arena_open(executor);
    CHECK_STATUS(encode(model, executor, arena, &texts, &embeddings, &states), uform_status_success_k);
    size_t rows = 0;
    for (size_t i = 0; i != samples_count; ++i) {
        unsigned char const *text = (unsigned char const *)samples[i];
        size_t length = strlen(samples[i]);
        CHECK(states.offsets[i] == rows);
        CHECK(states.offsets[i + 1] == rows + length);
        float const *row = (float const *)embeddings.data + i * embeddings.columns;
        if (!length) { // D02
            CHECK(memcmp(row, fixture_values(fixture, "empty"), embeddings.columns * 4) == 0);
            continue;
        }
        double *wanted = reference_embedding(fixture, text, length);
        near_rows(row, wanted, embeddings.columns);
        free(wanted);
        wanted = reference_states(fixture, text, length);
        near_rows((float const *)states.rows.data + rows * fixture->width, wanted, length * fixture->width);
        free(wanted);
        rows += length;
    }
    uform_arena_free(arena);
}

/** D14: alone, in any batch and on any threads, the same bits. */
static void test_batches(uform_model_t model) {
    texts_t texts, single;
    texts_set(&texts, samples_count, samples);
    uform_executor_t executors[] = {NULL, executor_open(1, uform_caller_inclusive_k, uform_mood_parked_k),
                                    executor_open(3, uform_caller_inclusive_k, uform_mood_spinning_k),
                                    executor_open(2, uform_caller_exclusive_k, uform_mood_parked_k)};
    for (size_t e = 0; e != 4; ++e) {
        uform_arena_t arena = arena_open(executors[e]), other = arena_open(NULL);
        uform_rows_view_t many, one;
        CHECK_STATUS(encode(model, executors[e], arena, &texts, &many, NULL), uform_status_success_k);
        for (size_t i = 0; i != samples_count; ++i) {
            texts_set(&single, 1, &samples[i]);
            CHECK_STATUS(encode(model, NULL, other, &single, &one, NULL), uform_status_success_k);
            CHECK(memcmp(one.data, (char const *)many.data + i * many.stride, many.stride) == 0);
        }
        uform_arena_free(arena);
        uform_arena_free(other);
        uform_executor_free(executors[e]);
    }
}

static float f16_widen(uint16_t bits) {
    int const exponent = bits >> 10 & 31, fraction = (bits & 1023) + (exponent ? 1024 : 0);
    return ldexpf(bits & 0x8000 ? (float)-fraction : (float)fraction, exponent - 25 + !exponent);
}

/** D06: each kind of output is the f32 one, rounded. */
static void test_kinds(uform_model_t model) {
    static uform_scalar_t const kinds[] = {uform_scalar_f16_k, uform_scalar_bf16_k, uform_scalar_i8_k};
    texts_t texts;
    texts_set(&texts, samples_count, samples);
    uform_arena_t arena = arena_open(NULL), other = arena_open(NULL);
    uform_rows_view_t exact, rounded;
    CHECK_STATUS(encode(model, NULL, arena, &texts, &exact, NULL), uform_status_success_k);
    for (size_t i = 0; i != 3; ++i) {
        uform_outcome_t outcome;
        uform_text_encode_t arguments = {.model = model, .outcome = &outcome, .arena = other, .scalar = kinds[i]};
        arguments.count = samples_count, arguments.texts = texts.tape, arguments.embeddings = &rounded;
        uform_text_encode(&arguments);
        CHECK_STATUS(outcome, uform_status_success_k);
        CHECK(rounded.scalar == kinds[i] && rounded.columns == exact.columns);
        CHECK(rounded.stride == rounded.columns * (kinds[i] == uform_scalar_i8_k ? 1u : 2u));
        for (size_t k = 0; k != samples_count * exact.columns; ++k) {
            float const value = ((float const *)exact.data)[k];
            if (kinds[i] == uform_scalar_i8_k) CHECK(((int8_t const *)rounded.data)[k] == (int)rint(127.0 * value));
            else {
                uint16_t const bits = ((uint16_t const *)rounded.data)[k];
                float const back = kinds[i] == uform_scalar_bf16_k ? bf16_widen(bits) : f16_widen(bits);
                // Half a unit of the last place: 11 bits of a half, 8 of a bf16.
                CHECK(fabsf(back - value) <= fabsf(value) / (kinds[i] == uform_scalar_bf16_k ? 256 : 2048) + 3e-8f);
            }
        }
    }
    uform_arena_free(arena);
    uform_arena_free(other);
}

/** D03 and D04: the head of a long text is kept, and it is validated whole before. */
static void test_context(bench_t *bench) {
    char lengthy[700], cut[601];
    for (size_t i = 0; i != 699; ++i) lengthy[i] = (char)('a' + i * i % 23);
    lengthy[699] = 0;
    memcpy(cut, lengthy, 600), cut[600] = 0;
    char const *const items[] = {lengthy, cut};
    texts_t texts;
    texts_set(&texts, 2, items);
    uform_rows_view_t embeddings;
    uform_rows_tape_view_t states;
    CHECK_STATUS(encode(bench->model, NULL, bench->arena, &texts, &embeddings, &states), uform_status_success_k);
    CHECK(memcmp(embeddings.data, (char const *)embeddings.data + embeddings.stride, embeddings.stride) == 0);
    CHECK(states.offsets[1] == 600 && states.offsets[2] == 1200);
    lengthy[690] = (char)0xC3; // a lead byte without its second one, past the context
    texts_set(&texts, 2, (char const *const[]){cut, lengthy});
    uform_outcome_t const outcome = encode(bench->model, NULL, bench->arena, &texts, &embeddings, &states);
    CHECK_STATUS(outcome, uform_status_malformed_k);
    CHECK(outcome.item == 1 && outcome.message && !embeddings.data && !states.rows.data && !states.offsets);
    static char const *const bad[] = {"\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                      "\xF5", "\xE2\x82"};
    for (size_t i = 0; i != 7; ++i) {
        texts_set(&texts, 1, &bad[i]);
        CHECK_STATUS(encode(bench->model, NULL, bench->arena, &texts, &embeddings, NULL), uform_status_malformed_k);
    }
}

/** What rounds to a half, at its edges. */
static void test_halves(void) {
    static struct {
        float value;
        uint16_t bits;
    } const known[] = {{0, 0}, {1, 0x3C00}, {-2, 0xC000}, {65504, 0x7BFF}, {65519, 0x7BFF}, {65520, 0x7C00},
                       {5.9604645e-8f, 1}, {2.9802322e-8f, 0}, {2.9802326e-8f, 1}, {6.1035156e-5f, 0x0400},
                       {6.1005353e-5f, 0x0400}, {6.0975552e-5f, 0x03FF}, {1.0004883f, 0x3C00}, {1.0014648f, 0x3C02}};
    for (size_t i = 0; i != sizeof(known) / sizeof(known[0]); ++i) CHECK(f16_round(known[i].value) == known[i].bits);
    CHECK(bf16_round(1.00390625f) == 0x3F80 && bf16_round(1.01171875f) == 0x3F82);
}

/** A part of length zero leaves its share to the other; without either the embedding is the one for
 *  nothing. */
static void test_parts(void) {
    for (int which = 1; which != 4; ++which) {
        fixture_t *fixture = fixture_rich();
        fixture_tensor_t *lexical = fixture_find(fixture, "lexical"), *projection = fixture_find(fixture, "projection");
        if (which & 1) memset(lexical->data, 0, lexical->bytes);
        if (which & 2) memset(projection->data, 0, projection->bytes);
        uform_model_t model = model_open(fixture_write(fixture), uform_scalar_unknown_k, NULL, NULL);
        uform_arena_t arena = arena_open(NULL);
        texts_t texts;
        texts_set(&texts, 1, (char const *const[]){"some words"});
        uform_rows_view_t embeddings;
        CHECK_STATUS(encode(model, NULL, arena, &texts, &embeddings, NULL), uform_status_success_k);
        float const *row = embeddings.data;
        double dense = 0, lane = 0;
        for (size_t i = 0; i != 21; ++i) dense += (double)row[i] * row[i];
        for (size_t i = 21; i != 85; ++i) lane += (double)row[i] * row[i];
        if (which == 3) CHECK(memcmp(row, fixture_values(fixture, "empty"), 85 * 4) == 0);
        else CHECK(fabs(dense - (which == 1)) < 1e-6 && fabs(lane - (which == 2)) < 1e-6);
        uform_arena_free(arena);
        uform_model_free(model);
        fixture_free(fixture);
    }
}

void test_numbers(void) {
    bench_t bench;
    bench_open(&bench, 0, uform_caller_inclusive_k);
    fixture_t *plain = fixture_plain();
    compare(bench.fixture, bench.model, NULL);
    uform_model_t model = model_open(fixture_write(plain), uform_scalar_unknown_k, NULL, NULL);
    compare(plain, model, NULL);
    uform_model_free(model);
    model = model_open(fixture_write(bench.fixture), uform_scalar_f32_k, NULL, NULL);
    compare(bench.fixture, model, NULL); // widened weights are the same numbers
    uform_model_free(model);
    model = model_open(fixture_write(bench.fixture), uform_scalar_bf16_k, NULL, NULL);
    tolerance = 0.1; // eight bits of each weight, through two layers of states of length five
    compare(bench.fixture, model, NULL);
    tolerance = 2e-5;
    uform_model_free(model);
    test_batches(bench.model);
    test_kinds(bench.model);
    test_context(&bench);
    test_halves();
    test_parts();
    fixture_free(plain);
    bench_close(&bench);
}
