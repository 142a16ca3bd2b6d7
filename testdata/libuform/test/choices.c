/** The byte decoder: V02 to V06, D05. */
#include <math.h>   // `fabs`
#include <string.h> // `memset`

#include "harness.h"
#include "reference.h"

static char const *const contexts[] = {"is it true? ", "", "the answer is", "pick one:"};
static char const *const options[] = {"yn", "abc", "z", "0123456789"};

typedef struct choice_t {
    texts_t texts, choices;
    uint32_t types[4];
    uform_rows_tape_view_t probabilities;
    uform_outcome_t outcome;
} choice_t;

static void choose(bench_t *bench, choice_t *choice, bool typed) {
    uform_text_choose_t arguments = {.model = bench->model, .executor = bench->executor, .outcome = &choice->outcome};
    arguments.count = choice->texts.count;
    arguments.texts = choice->texts.tape, arguments.choices = choice->choices.tape;
    arguments.question_types = typed ? choice->types : NULL;
    arguments.arena = bench->arena, arguments.probabilities = &choice->probabilities;
    uform_text_choose(&arguments);
}

static void test_probabilities(bench_t *bench) {
    static choice_t choice;
    texts_set(&choice.texts, 4, contexts);
    texts_set(&choice.choices, 4, options);
    choice.types[1] = choice.types[3] = 1;
    for (int typed = 0; typed != 2; ++typed) {
        choose(bench, &choice, typed);
        CHECK_STATUS(choice.outcome, uform_status_success_k);
        uform_rows_tape_view_t const *out = &choice.probabilities;
        CHECK(out->rows.columns == 1 && out->rows.stride == 4 && out->rows.scalar == uform_scalar_f32_k);
        for (size_t i = 0, at = 0; i != 4; at += strlen(options[i++])) {
            double wanted[16], sum = 0;
            unsigned char const *text = (unsigned char const *)contexts[i], *bytes = (unsigned char const *)options[i];
            reference_choose(bench->fixture, text, strlen(contexts[i]), bytes, strlen(options[i]),
                             typed ? choice.types[i] : 0, wanted);
            CHECK(out->offsets[i] == at);
            for (size_t k = 0; k != strlen(options[i]); ++k) {
                float const probability = ((float const *)out->rows.data)[at + k];
                CHECK(fabs(probability - wanted[k]) < 5e-6); // V03, V04
                sum += probability;
            }
            CHECK(fabs(sum - 1) < 1e-6);
        }
        CHECK(out->offsets[4] == 16); // B15
    }
}

/** V05: the tail of a long text counts, so its head may be anything. */
static void test_tail(bench_t *bench) {
    static char left[701], right[701];
    for (size_t i = 0; i != 700; ++i) left[i] = right[i] = (char)('a' + i * i % 19);
    memset(right, 'q', 100);
    static choice_t choice;
    texts_set(&choice.texts, 2, (char const *const[]){left, right});
    texts_set(&choice.choices, 2, (char const *const[]){"abc", "abc"});
    choose(bench, &choice, false);
    CHECK_STATUS(choice.outcome, uform_status_success_k);
    CHECK(memcmp(choice.probabilities.rows.data, (float const *)choice.probabilities.rows.data + 3, 12) == 0);
}

static void test_refusals(bench_t *bench) {
    static choice_t choice;
    static char const *const bad[] = {"yn", "", "z", "0"}, *const twice[] = {"yn", "abc", "z", "010"};
    texts_set(&choice.texts, 4, contexts);
    texts_set(&choice.choices, 4, bad);
    choose(bench, &choice, false); // D05
    CHECK_STATUS(choice.outcome, uform_status_invalid_argument_k);
    CHECK(choice.outcome.item == 1 && !choice.probabilities.rows.data && !choice.probabilities.offsets);
    texts_set(&choice.choices, 4, twice);
    choose(bench, &choice, false);
    CHECK_STATUS(choice.outcome, uform_status_invalid_argument_k);
    CHECK(choice.outcome.item == 3);
    texts_set(&choice.choices, 4, options);
    choice.types[2] = 2;
    choose(bench, &choice, true);
    CHECK_STATUS(choice.outcome, uform_status_invalid_argument_k);
    CHECK(choice.outcome.item == 2);
    texts_set(&choice.texts, 4, (char const *const[]){"", "", "", "\xFF"});
    choose(bench, &choice, true); // bytes that are no text come before
    CHECK_STATUS(choice.outcome, uform_status_malformed_k);
    CHECK(choice.outcome.item == 3);
    uform_text_choose_t arguments = {.model = bench->model, .executor = bench->executor, .outcome = &choice.outcome};
    arguments.arena = bench->arena;
    uform_text_choose(&arguments);
    CHECK_STATUS(choice.outcome, uform_status_invalid_argument_k);
    arguments.probabilities = &choice.probabilities;
    uform_text_choose(&arguments); // D01
    CHECK_STATUS(choice.outcome, uform_status_success_k);
    CHECK(choice.probabilities.offsets && choice.probabilities.offsets[0] == 0);
    arguments.reserved = 1;
    uform_text_choose(&arguments);
    CHECK_STATUS(choice.outcome, uform_status_invalid_argument_k);
}

/** V06: a model that has no decoder. */
static void test_without(bench_t *bench) {
    fixture_t *plain = fixture_plain();
    bench_t other = *bench;
    other.model = model_open(fixture_write(plain), uform_scalar_unknown_k, NULL, NULL);
    static choice_t choice;
    texts_set(&choice.texts, 4, contexts);
    texts_set(&choice.choices, 4, options);
    choose(&other, &choice, false);
    CHECK_STATUS(choice.outcome, uform_status_unsupported_k);
    uform_model_free(other.model);
    fixture_free(plain);
}

void test_choices(void) {
    bench_t bench;
    bench_open(&bench, 2, uform_caller_inclusive_k);
    test_probabilities(&bench);
    test_tail(&bench);
    test_refusals(&bench);
    test_without(&bench);
    bench_close(&bench);
}
