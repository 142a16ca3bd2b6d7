/**
 *  @brief A libuform that only makes arenas and reports progress, with faults to choose from at
 *  compile time.
 *  @file stub.c
 *
 *  - `STUB_MAJOR=n`: another major version, and every other function ends the process;
 *  - `STUB_PLAIN`: neither version nor layout can be asked for;
 *  - `STUB_NO_MINOR`: the major version alone can be asked for;
 *  - `STUB_LACKS`: two required functions are missing, and an optional one;
 *  - `STUB_LIE="name"`, `STUB_FORGET="name"`: the layout of one name is wrong, or unknown;
 *  - `STUB_SILENT`, `STUB_NO_ARENA`, `STUB_FAILS`, `STUB_VRAM`, `STUB_SILENT_DESCRIBE`: what the
 *    first arena answers;
 *  - `STUB_DEFERRED`: the first arena is final only after its wait.
 *
 *  `facts.h` is written by the test: one `FACT_TYPE(type)` or `FACT_FIELD(type, field)` for each
 *  name to know.
 */
#include "uform.h"

#include <stdlib.h> // `abort`
#include <string.h> // `strcmp`

#if defined(_WIN32)
#include <windows.h> // `CreateThread`
#else
#include <pthread.h> // `pthread_create`
#endif

#if !defined(STUB_MAJOR)
#define STUB_MAJOR UFORM_VERSION_MAJOR
#define STUB_ALIVE
#else
#define STUB_ALIVE abort();
#endif

/* The arena that is handed out, and how many were made and freed. */
static char arena_memory[64];
static uint64_t arenas_made, arenas_freed;

static void answer(uform_outcome_t *outcome, uform_status_t status, int32_t item) {
    if (!outcome) return;
    memset(outcome, 0, sizeof(*outcome));
    outcome->status = status, outcome->item = item;
    if (status != uform_status_success_k && status != uform_status_deferred_k) outcome->message = "the stub was told to fail";
}

uform_status_t uform_outcome_status(uform_outcome_t const *outcome) { return outcome->status; }
uform_status_t uform_outcome_wait(uform_outcome_t *outcome) {
    if (outcome->status == uform_status_deferred_k) answer(outcome, uform_status_success_k, 0);
    return outcome->status;
}

#if !defined(STUB_PLAIN)
int uform_version_major(void) { return STUB_MAJOR; }
#if !defined(STUB_NO_MINOR)
int uform_version_minor(void) { STUB_ALIVE return 7; }
int uform_version_patch(void) { STUB_ALIVE return 1; }
#endif

size_t uform_layout_of(char const *name) {
    STUB_ALIVE
#if defined(STUB_FORGET)
    if (strcmp(name, STUB_FORGET) == 0) return SIZE_MAX;
#endif
    size_t lie = 0;
#if defined(STUB_LIE)
    if (strcmp(name, STUB_LIE) == 0) lie = 8;
#endif
#define FACT_TYPE(type) \
    if (strcmp(name, #type) == 0) return sizeof(type) + lie;
#define FACT_FIELD(type, field) \
    if (strcmp(name, #type "." #field) == 0) return offsetof(type, field) + lie;
#include "facts.h"
    return SIZE_MAX;
}

/* Not masks here, but what the tests want to count. */
void uform_capabilities(uint64_t *compiled, uint64_t *detected) {
    STUB_ALIVE
    if (compiled) *compiled = arenas_made;
    if (detected) *detected = arenas_freed;
}
#endif

void uform_arena_init(uform_arena_init_t *arguments) {
    STUB_ALIVE
    ++arenas_made;
#if defined(STUB_SILENT)
    return;
#endif
    *arguments->arena = (uform_arena_t)(void *)arena_memory;
#if defined(STUB_NO_ARENA)
    *arguments->arena = NULL;
#endif
#if defined(STUB_FAILS)
    answer(arguments->outcome, uform_status_out_of_memory_k, -1);
    return;
#endif
#if defined(STUB_DEFERRED)
    answer(arguments->outcome, uform_status_deferred_k, -1);
    return;
#endif
    answer(arguments->outcome, uform_status_success_k, 0);
}

void uform_arena_describe(uform_arena_describe_t *arguments) {
    STUB_ALIVE
#if defined(STUB_SILENT_DESCRIBE)
    return;
#endif
    arguments->description->residency = uform_residency_ram_k, arguments->description->device = -1;
#if defined(STUB_VRAM)
    arguments->description->residency = uform_residency_vram_k, arguments->description->device = 0;
#endif
    int const known = arguments->arena == (uform_arena_t)(void *)arena_memory;
    answer(arguments->outcome, known ? uform_status_success_k : uform_status_invalid_argument_k, known ? 0 : -1);
}

void uform_arena_free(uform_arena_t arena) {
    STUB_ALIVE
    if (arena == (uform_arena_t)(void *)arena_memory) ++arenas_freed;
}

/* Reports `count` times until told to stop; answers how often it did, and whatever was neither 0
 * nor 1. */
typedef uintptr_t (*wide_callback_t)(size_t finished, size_t total, void *state);
static void report(uform_text_encode_t *arguments) {
    wide_callback_t const progress = (wide_callback_t)arguments->progress;
    uintptr_t odd = 0;
    size_t made = 0;
    while (made != arguments->count) {
        uintptr_t const on = progress(made++, arguments->count, arguments->progress_state);
        if (on > 1) odd = on;
        if (!on) break;
    }
    answer(arguments->outcome, uform_status_success_k, (int32_t)made);
    arguments->outcome->call = odd;
}

#if defined(_WIN32)
static DWORD WINAPI report_thread(LPVOID arguments) { return report(arguments), 0; }
static void report_elsewhere(uform_text_encode_t *arguments) {
    HANDLE const thread = CreateThread(NULL, 0, report_thread, arguments, 0, NULL);
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
}
#else
static void *report_thread(void *arguments) { return report(arguments), NULL; }
static void report_elsewhere(uform_text_encode_t *arguments) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, report_thread, arguments) != 0) abort();
    pthread_join(thread, NULL);
}
#endif

/* Reports from the calling thread, or with `f16` from another one. */
void uform_text_encode(uform_text_encode_t *arguments) {
    STUB_ALIVE
    if (arguments->scalar == uform_scalar_f16_k) report_elsewhere(arguments);
    else report(arguments);
}

void uform_executor_init(uform_executor_init_t *arguments) {
    answer(arguments->outcome, uform_status_unsupported_k, -1);
}
void uform_executor_free(uform_executor_t executor) { (void)executor; }
void uform_model_load(uform_model_load_t *arguments) { answer(arguments->outcome, uform_status_unsupported_k, -1); }
void uform_model_describe(uform_model_describe_t *arguments) {
    answer(arguments->outcome, uform_status_unsupported_k, -1);
}
#if !defined(STUB_LACKS)
void uform_executor_drain(uform_executor_drain_t *arguments) {
    answer(arguments->outcome, uform_status_unsupported_k, -1);
}
void uform_model_free(uform_model_t model) { (void)model; }
UFORM_API char const *uform_status_to_string(uform_status_t status) {
    return status == uform_status_success_k ? "fine" : NULL;
}
#endif
