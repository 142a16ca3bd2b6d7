/** Checks and short forms. */
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h> // `VirtualQuery`
#else
#define _POSIX_C_SOURCE 200809L
#include <unistd.h> // `pipe`, `write`
#endif

#include "harness.h"

#include <stdatomic.h> // `atomic_int`
#include <stdio.h>     // `fprintf`
#include <stdlib.h>    // `calloc`
#include <string.h>    // `memcpy`

#include "../system.h"
#include "../thread.h"

static atomic_int failures;

bool check(bool good, char const *condition, char const *file, int line) {
    if (good) return true;
    fprintf(stderr, "%s:%d: failed: %s\n", file, line, condition);
    atomic_fetch_add(&failures, 1);
    return false;
}

bool check_status(uform_outcome_t outcome, uform_status_t wanted, char const *file, int line) {
    if (outcome.status == wanted && outcome.call == 0) return true;
    fprintf(stderr, "%s:%d: status %d where %d is due, item %d: %s\n", file, line, (int)outcome.status, (int)wanted,
            (int)outcome.item, outcome.message ? outcome.message : "");
    atomic_fetch_add(&failures, 1);
    return false;
}

int failures_count(void) { return atomic_load(&failures); }

int64_t control(char const *name, int64_t value, void *pointer) { return uform_test_control(name, value, pointer); }

void texts_set(texts_t *texts, size_t count, char const *const *items) {
    size_t at = 3; // offsets need not start at zero
    for (size_t i = 0; i != count; ++i) {
        texts->offsets[i] = at;
        memcpy(texts->data + at, items[i], strlen(items[i]));
        at += strlen(items[i]);
    }
    texts->offsets[count] = at;
    texts->count = count;
    texts->tape = (uform_tape_view_t){texts->data, texts->offsets};
}

uform_model_t model_open(char const *path, uform_scalar_t scalar, uform_executor_t executor, uform_outcome_t *outcome) {
    uform_model_t model = NULL;
    uform_outcome_t own;
    uform_model_load_t load = {.model = &model, .executor = executor, .path = path, .scalar = scalar};
    load.outcome = outcome ? outcome : &own;
    uform_model_load(&load);
    if (!outcome) CHECK_STATUS(own, uform_status_success_k);
    return model;
}

uform_arena_t arena_open(uform_executor_t executor) {
    uform_arena_t arena = NULL;
    uform_outcome_t outcome;
    uform_arena_init(&(uform_arena_init_t){.arena = &arena, .executor = executor, .outcome = &outcome});
    CHECK_STATUS(outcome, uform_status_success_k);
    return arena;
}

uform_executor_t executor_open(uint32_t threads, uform_caller_exclusivity_t exclusivity, uform_mood_t mood) {
    uform_executor_t executor = NULL;
    uform_outcome_t outcome;
    uform_executor_init(&(uform_executor_init_t){
        .executor = &executor, .outcome = &outcome, .threads = threads, .exclusivity = exclusivity, .mood = mood});
    CHECK_STATUS(outcome, uform_status_success_k);
    return executor;
}

uform_executor_t device_open_executor(int32_t device) {
    uform_executor_t executor = NULL;
    uform_outcome_t outcome;
    uform_executor_init_vram(&(uform_executor_init_vram_t){
        .executor = &executor, .outcome = &outcome, .devices = &device, .devices_count = 1});
    CHECK_STATUS(outcome, uform_status_success_k);
    return executor;
}

void bench_open(bench_t *bench, uint32_t threads, uform_caller_exclusivity_t exclusivity) {
    *bench = (bench_t){.fixture = fixture_rich()};
    bench->executor = threads ? executor_open(threads, exclusivity, uform_mood_parked_k) : NULL;
    bench->model = model_open(fixture_write(bench->fixture), uform_scalar_unknown_k, NULL, NULL);
    bench->arena = arena_open(bench->executor);
    bench->other = arena_open(bench->executor);
}

void bench_close(bench_t *bench) {
    uform_arena_free(bench->other);
    uform_arena_free(bench->arena);
    uform_model_free(bench->model);
    uform_executor_free(bench->executor);
    fixture_free(bench->fixture);
}

uform_outcome_t encode(uform_model_t model, uform_executor_t executor, uform_arena_t arena, texts_t *texts,
                       uform_rows_view_t *embeddings, uform_rows_tape_view_t *states) {
    uform_outcome_t outcome = {.status = (uform_status_t)-77, .call = 5};
    uform_text_encode_t arguments = {.model = model, .executor = executor, .outcome = &outcome, .arena = arena};
    arguments.count = texts->count, arguments.texts = texts->tape;
    arguments.embeddings = embeddings, arguments.states = states;
    uform_text_encode(&arguments);
    return outcome;
}

void *thread_begin(void (*body)(void *state), void *state) {
    thread_t *thread = calloc(1, sizeof(thread_t));
    thread->body = body, thread->state = state;
    CHECK(thread_start(thread));
    return thread;
}

void thread_end(void *thread) {
    thread_join(thread);
    free(thread);
}

void pause_briefly(void) { system_sleep(1000); }

bool host_reads(void const *address) {
#if defined(_WIN32)
    MEMORY_BASIC_INFORMATION about;
    return VirtualQuery(address, &about, sizeof(about)) && !(about.Protect & PAGE_NOACCESS);
#else
    int ends[2];
    if (!CHECK(pipe(ends) == 0)) return false;
    // The kernel answers EFAULT where a load would fault.
    bool const good = write(ends[1], address, 1) == 1;
    close(ends[0]), close(ends[1]);
    return good;
#endif
}
