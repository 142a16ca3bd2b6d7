/** What every test here uses: checks that count, short forms of calls, and the tests themselves. */
#pragma once

#include <stdbool.h> // `bool`
#include <stddef.h>  // `size_t`

#include "../control.h"
#include "fixture.h"

/** Counts a failure and tells where; the test goes on. */
#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)
/** That a call ended like this, telling its message otherwise. */
#define CHECK_STATUS(outcome, wanted) check_status(outcome, wanted, __FILE__, __LINE__)

bool check(bool good, char const *condition, char const *file, int line);
bool check_status(uform_outcome_t outcome, uform_status_t wanted, char const *file, int line);
int failures_count(void);

int64_t control(char const *name, int64_t value, void *pointer);

/** A tape over up to eight NUL-terminated texts. */
typedef struct texts_t {
    char data[8192];
    size_t offsets[9];
    size_t count;
    uform_tape_view_t tape;
} texts_t;
void texts_set(texts_t *texts, size_t count, char const *const *items);

/** Handles that most tests need, and the fixture after the model. */
typedef struct bench_t {
    fixture_t *fixture;
    uform_model_t model;
    uform_executor_t executor;
    uform_arena_t arena, other;
} bench_t;
/** A model of the rich configuration; `threads` of zero for no executor. */
void bench_open(bench_t *bench, uint32_t threads, uform_caller_exclusivity_t exclusivity);
void bench_close(bench_t *bench);

uform_model_t model_open(char const *path, uform_scalar_t scalar, uform_executor_t executor, uform_outcome_t *outcome);
uform_arena_t arena_open(uform_executor_t executor);
uform_executor_t executor_open(uint32_t threads, uform_caller_exclusivity_t exclusivity, uform_mood_t mood);
uform_executor_t device_open_executor(int32_t device);
/** Encodes embeddings and states, blocking, and answers the outcome. */
uform_outcome_t encode(uform_model_t model, uform_executor_t executor, uform_arena_t arena, texts_t *texts,
                       uform_rows_view_t *embeddings, uform_rows_tape_view_t *states);

/** Runs `body(state)` on a thread of its own, and waits for its end. */
void *thread_begin(void (*body)(void *state), void *state);
void thread_end(void *thread);
void pause_briefly(void);
/** Whether the host can read a byte there, found out without ending the process. */
bool host_reads(void const *address);

void test_seed_loop(void);
void test_arenas(void);
void test_numbers(void);
void test_choices(void);
void test_receivers(void);
void test_progress(void);
void test_devices(void);
void test_hostile(void);
void test_failures(void);
void test_media(void);
void test_library(void);
void test_training(void);
void test_fold(void);
