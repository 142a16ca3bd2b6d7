/** Simulated GPUs: A16 to A19, A21, A23, A33, B16, and where models live. */
#include <stdlib.h> // `malloc`
#include <string.h> // `memcmp`

#include "harness.h"

static char const *const items[] = {"a cat on a mat", "", "a dog in the fog"};

static bool copy_out(void const *device, void *host, size_t bytes) {
    uform_test_copy_t copy = {device, host, bytes};
    return control("device_copy", 0, &copy) == 0;
}

static uform_model_t load_vram(char const *path, uform_executor_t executor, uform_status_t wanted) {
    uform_model_t model;
    uform_outcome_t outcome;
    uform_model_load_vram(
        &(uform_model_load_t){.model = &model, .executor = executor, .outcome = &outcome, .path = path});
    CHECK_STATUS(outcome, wanted);
    CHECK((model != NULL) == (wanted == uform_status_success_k));
    return model;
}

static uint64_t free_bytes(int32_t device) {
    uform_gpu_device_t devices[2];
    uform_outcome_t outcome;
    size_t count = 9;
    uform_gpu_devices(&(uform_gpu_devices_t){.outcome = &outcome, .devices = devices, .capacity = 2, .count = &count});
    CHECK_STATUS(outcome, uform_status_success_k);
    CHECK(count == 2 && devices[0].device == 0 && devices[1].device == 1 && devices[1].name[0]);
    uform_gpu_devices(&(uform_gpu_devices_t){.outcome = &outcome, .count = &count});
    CHECK_STATUS(outcome, uform_status_success_k);
    uform_gpu_devices(&(uform_gpu_devices_t){.outcome = &outcome});
    CHECK_STATUS(outcome, uform_status_invalid_argument_k);
    return devices[device].memory_free_bytes;
}

/** B16: all outputs are on the device, and are those of the host. */
static void test_outputs(uform_model_t host_model, uform_model_t model, uform_executor_t executor) {
    uform_arena_t arena = arena_open(executor);
    texts_t texts;
    texts_set(&texts, 3, items);
    uform_rows_view_t wanted, embeddings;
    uform_rows_tape_view_t wanted_states, states;
    uform_arena_t host = arena_open(NULL);
    CHECK_STATUS(encode(host_model, NULL, host, &texts, &wanted, &wanted_states), uform_status_success_k);
    CHECK_STATUS(encode(model, executor, arena, &texts, &embeddings, &states), uform_status_success_k);
    size_t const rows = wanted_states.offsets[3], width = wanted_states.rows.columns;
    char *buffer = malloc(rows * width * 4 + 3 * wanted.stride);
    size_t offsets[4];
    CHECK(!host_reads(embeddings.data) && !host_reads(states.offsets) && host_reads(buffer));
    CHECK(copy_out(embeddings.data, buffer, 3 * wanted.stride) && memcmp(buffer, wanted.data, 3 * wanted.stride) == 0);
    CHECK(copy_out(states.offsets, offsets, sizeof(offsets)));
    CHECK(memcmp(offsets, wanted_states.offsets, sizeof(offsets)) == 0);
    CHECK(copy_out(states.rows.data, buffer, rows * width * 4));
    CHECK(memcmp(buffer, wanted_states.rows.data, rows * width * 4) == 0);
    CHECK(!copy_out(wanted.data, buffer, 4)); // host memory is none of a device
    texts.tape = (uform_tape_view_t){embeddings.data, texts.offsets}; // A13, and no crash
    CHECK_STATUS(encode(model, executor, arena, &texts, &embeddings, NULL), uform_status_invalid_argument_k);
    free(buffer);
    uform_arena_free(host), uform_arena_free(arena);
}

static void test_places(uform_model_t host_model, uform_model_t model, uform_executor_t executor) {
    uform_status_t const device = uform_status_device_k;
    texts_t texts;
    texts_set(&texts, 3, items);
    uform_rows_view_t embeddings;
    uform_executor_t twin = device_open_executor(1), other = device_open_executor(0);
    uform_executor_t host = executor_open(1, uform_caller_inclusive_k, uform_mood_parked_k);
    uform_arena_t own = arena_open(executor), twins = arena_open(twin);
    uform_arena_t others = arena_open(other), hosts = arena_open(host);
    CHECK_STATUS(encode(model, executor, hosts, &texts, &embeddings, NULL), device);  // A16
    CHECK_STATUS(encode(host_model, host, own, &texts, &embeddings, NULL), device);   // A16
    CHECK_STATUS(encode(model, executor, others, &texts, &embeddings, NULL), device); // A17
    CHECK_STATUS(encode(model, executor, twins, &texts, &embeddings, NULL), device);  // A18
    CHECK_STATUS(encode(host_model, NULL, own, &texts, &embeddings, NULL), device);   // A19
    CHECK_STATUS(encode(host_model, executor, own, &texts, &embeddings, NULL), device);
    CHECK_STATUS(encode(model, host, hosts, &texts, &embeddings, NULL), device);
    CHECK_STATUS(encode(model, twin, twins, &texts, &embeddings, NULL), uform_status_success_k);
    CHECK_STATUS(encode(model, executor, own, &texts, &embeddings, NULL), uform_status_success_k);
    uform_outcome_t outcome;
    uform_arena_description_t about;
    uform_arena_describe(&(uform_arena_describe_t){.arena = own, .outcome = &outcome, .description = &about});
    CHECK(about.residency == uform_residency_vram_k && about.device == 1); // A33
    uform_model_description_t shape;
    uform_model_describe(&(uform_model_describe_t){
        .model = model, .executor = executor, .outcome = &outcome, .description = &shape});
    CHECK_STATUS(outcome, uform_status_success_k);
    CHECK(shape.residency == uform_residency_vram_k && shape.device == 1);
    uform_model_describe(&(uform_model_describe_t){.model = model, .outcome = &outcome, .description = &shape});
    CHECK_STATUS(outcome, device);
    uform_executor_description_t made;
    uform_executor_describe(&(uform_executor_describe_t){.executor = twin, .outcome = &outcome, .description = &made});
    CHECK(made.residency == uform_residency_vram_k && made.device == 1 && made.streams == 1 && made.threads == 0);
    uform_arena_free(own), uform_arena_free(others), uform_arena_free(hosts);
    // Before its arena, against A21: that arena is empty then, and of no one.
    uform_executor_free(twin);
    CHECK(control("arena_bytes", 0, twins) == 0);
    CHECK_STATUS(encode(model, executor, twins, &texts, &embeddings, NULL), device);
    uform_arena_free(twins);
    uform_executor_free(other), uform_executor_free(host);
}

/** A23: a device that runs out says so, and works on. */
static void test_exhaustion(uform_model_t model, uform_executor_t executor) {
    enum { count_k = 220000 }; // times 340 bytes, past the 64 MiB of device 1
    static size_t offsets[count_k + 1];
    uform_outcome_t outcome;
    uform_rows_view_t embeddings;
    uform_arena_t arena = arena_open(executor);
    uform_text_encode_t arguments = {.model = model, .executor = executor, .outcome = &outcome, .arena = arena};
    arguments.count = count_k, arguments.texts = (uform_tape_view_t){"", offsets}, arguments.embeddings = &embeddings;
    uform_text_encode(&arguments);
    CHECK_STATUS(outcome, uform_status_out_of_memory_k);
    CHECK(!embeddings.data && control("arena_bytes", 0, arena) == 0);
    arguments.count = 10;
    uform_text_encode(&arguments);
    CHECK_STATUS(outcome, uform_status_success_k);
    float row[85];
    CHECK(copy_out((char const *)embeddings.data + 9 * embeddings.stride, row, sizeof(row)) && row[0] != 0);
    uform_arena_free(arena);
}

static void test_executors(void) {
    uform_outcome_t outcome;
    uform_executor_t executor;
    static int32_t const both[] = {1, 0}, unknown[] = {2}, twice[] = {0, 0};
    static struct {
        int32_t const *devices;
        size_t count;
        uform_status_t wanted;
        int32_t first;
    } const cases[] = {{NULL, 0, uform_status_success_k, 0},           {both, 2, uform_status_success_k, 1},
                       {unknown, 1, uform_status_invalid_argument_k, 0}, {twice, 2, uform_status_invalid_argument_k, 0},
                       {both, 3, uform_status_invalid_argument_k, 0},    {NULL, 2, uform_status_invalid_argument_k, 0}};
    for (size_t i = 0; i != sizeof(cases) / sizeof(cases[0]); ++i) {
        uform_executor_init_vram(&(uform_executor_init_vram_t){
            .executor = &executor, .outcome = &outcome, .devices = cases[i].devices, .devices_count = cases[i].count});
        CHECK_STATUS(outcome, cases[i].wanted);
        CHECK((executor != NULL) == (cases[i].wanted == uform_status_success_k));
        uform_executor_description_t about;
        uform_executor_describe(
            &(uform_executor_describe_t){.executor = executor, .outcome = &outcome, .description = &about});
        size_t const count = cases[i].count ? cases[i].count : 1;
        CHECK(!executor || (about.device == cases[i].first && about.devices_count == count));
        uform_executor_free(executor);
    }
}

void test_devices(void) {
    fixture_t *fixture = fixture_rich();
    char const *path = fixture_write(fixture);
    uform_executor_t executor = device_open_executor(1);
    uint64_t const before = free_bytes(1);
    uform_model_t host_model = model_open(path, uform_scalar_unknown_k, NULL, NULL);
    load_vram(path, NULL, uform_status_device_k);
    uform_outcome_t outcome;
    CHECK(!model_open(path, uform_scalar_unknown_k, executor, &outcome));
    CHECK_STATUS(outcome, uform_status_device_k);
    uform_model_t model = load_vram(path, executor, uform_status_success_k);
    CHECK(free_bytes(1) < before);
    test_outputs(host_model, model, executor);
    test_places(host_model, model, executor);
    test_exhaustion(model, executor);
    uform_model_free(model);
    CHECK(free_bytes(1) == before);
    uform_model_free(host_model);
    uform_executor_free(executor);
    test_executors();
    fixture_free(fixture);
}
