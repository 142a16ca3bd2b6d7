/** Pictures, clips and recordings: V07 to V11 on the host and on a device, damage, and memory that
 *  runs out. */
#include <math.h>   // `fabs`, `NAN`
#include <stdio.h>  // `fopen`
#include <stdlib.h> // `malloc`
#include <string.h> // `memcmp`, `memcpy`

#include "../files.h"
#include "harness.h"

/** One for each demuxer and way of decoding. */
static char const *const image_names[] = {"images/progressive.jpg", "images/ycck-2x2.jpg", "images/oriented-6.jpg",
                                          "images/palette-4-interlaced.png", "images/lossy-alpha.webp",
                                          "images/animated-part-lossless.webp"};
static char const *const video_names[] = {"video/mjpeg.mp4", "video/indexed.mp4", "video/unsized.webm"};
static char const *const audio_names[] = {"audio/list.wav", "audio/unknown.flac", "audio/tagged.mp3",
                                          "audio/silk60.opus", "audio/mono.ogg"};
enum { names_most_k = 6 };

/** Files as a tape. */
typedef struct files_t {
    unsigned char *data;
    size_t offsets[names_most_k + 2];
    size_t count;
} files_t;

/** Reads files after each other, and an empty one after them. */
static void files_read(files_t *files, char const *const *names, size_t count) {
    *files = (files_t){.count = count + 1};
    for (size_t i = 0; i != count; ++i) {
        char path[512];
        snprintf(path, sizeof(path), "%s/media/%s", TESTDATA, names[i]);
        FILE *file = fopen(path, "rb");
        if (!CHECK(file != NULL)) exit(1);
        size_t const begin = files->offsets[i], room = 1 << 16;
        files->data = realloc(files->data, begin + room);
        files->offsets[i + 1] = begin + fread(files->data + begin, 1, room, file);
        fclose(file);
    }
    files->offsets[count + 1] = files->offsets[count];
}

/** Where a call runs, and what it leaves. */
typedef struct seat_t {
    uform_model_t model;
    uform_executor_t executor;
    uform_arena_t arena;
    uform_rows_view_t embeddings;
    uform_rows_tape_view_t states;
} seat_t;

static void seat_open(seat_t *seat, bool device) {
    uform_outcome_t outcome;
    *seat = (seat_t){0};
    seat->executor = device ? device_open_executor(0) : executor_open(2, uform_caller_inclusive_k, uform_mood_parked_k);
    uform_model_load_t load = {.model = &seat->model, .executor = seat->executor, .outcome = &outcome};
    load.path = TESTDATA "/../uform/mini/mini.safetensors";
    (device ? uform_model_load_vram : uform_model_load)(&load);
    CHECK_STATUS(outcome, uform_status_success_k);
    seat->arena = arena_open(seat->executor);
}

static void seat_close(seat_t *seat) {
    uform_arena_free(seat->arena);
    uform_model_free(seat->model);
    uform_executor_free(seat->executor);
}

/** Encodes files of one kind, told by the first of their names. */
static uform_outcome_t encode_files(seat_t *seat, files_t const *files, char kind) {
    uform_outcome_t outcome;
    uform_tape_view_t const tape = {files->data, files->offsets};
#define FILES(field)                                                                                                \
    .model = seat->model, .executor = seat->executor, .outcome = &outcome, .count = files->count, .field = tape, \
    .arena = seat->arena, .embeddings = &seat->embeddings, .states = &seat->states
    if (kind == 'i') uform_image_encode(&(uform_image_encode_t){FILES(images)});
    if (kind == 'v') uform_video_encode(&(uform_video_encode_t){FILES(videos)});
    if (kind == 'a') uform_audio_encode(&(uform_audio_encode_t){FILES(recordings)});
#undef FILES
    return outcome;
}

/** What a call left, copied to the host. */
static unsigned char *outputs_copy(seat_t const *seat, bool device, size_t count, size_t *bytes) {
    size_t offsets[names_most_k + 2];
    size_t const rows = count * seat->embeddings.stride;
    uform_test_copy_t copies[2] = {{seat->states.offsets, offsets, (count + 1) * sizeof(size_t)}};
    if (device) CHECK(control("device_copy", 0, &copies[0]) == 0);
    else memcpy(offsets, seat->states.offsets, copies[0].bytes);
    size_t const states = offsets[count] * seat->states.rows.stride;
    unsigned char *copy = malloc(rows + states);
    copies[0] = (uform_test_copy_t){seat->embeddings.data, copy, rows};
    copies[1] = (uform_test_copy_t){seat->states.rows.data, copy + rows, states};
    for (size_t i = 0; i != 2; ++i)
        if (device) CHECK(control("device_copy", 0, &copies[i]) == 0);
        else memcpy(copies[i].host, copies[i].device, copies[i].bytes);
    *bytes = rows + states;
    return copy;
}

/** The same bits on the host and on a device, and one row after the other for each file. */
static void test_files(char const *const *names, size_t count) {
    files_t files;
    files_read(&files, names, count);
    unsigned char *wanted = NULL;
    size_t wanted_bytes = 0;
    for (int device = 0; device != 2; ++device) {
        seat_t seat;
        seat_open(&seat, device);
        uform_outcome_t const outcome = encode_files(&seat, &files, names[0][0]);
        if (!files_served) CHECK_STATUS(outcome, uform_status_unsupported_k);
        else if (CHECK_STATUS(outcome, uform_status_success_k)) {
            size_t bytes;
            unsigned char *copy = outputs_copy(&seat, device, files.count, &bytes);
            if (!device) wanted = copy, wanted_bytes = bytes;
            else {
                CHECK(bytes == wanted_bytes && memcmp(copy, wanted, bytes) == 0);
                free(copy);
            }
        }
        seat_close(&seat);
    }
    free(wanted);
    free(files.data);
}

/** Bytes changed, or all after a place missing: an end of some kind, the item named, and everything
 *  goes on. */
static void test_damage(char const *const *names, size_t count) {
    seat_t seat;
    seat_open(&seat, false);
    uint64_t random = 7;
    for (size_t i = 0; i != count && files_served; ++i) {
        files_t whole;
        files_read(&whole, names + i, 1);
        CHECK_STATUS(encode_files(&seat, &whole, names[0][0]), uform_status_success_k);
        int64_t const live = control("live_allocations", 0, NULL);
        for (unsigned round = 0; round != 60; ++round) {
            files_t damaged = whole;
            damaged.data = malloc(whole.offsets[1]);
            memcpy(damaged.data, whole.data, whole.offsets[1]);
            for (unsigned change = 0; change != 1 + round % 8; ++change) {
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
                size_t const place = (size_t)(random >> 33) % (round % 3 ? whole.offsets[1] : 64);
                damaged.data[place] = (unsigned char)(random >> 25);
            }
            if (round % 4 == 3) damaged.offsets[1] = damaged.offsets[2] = (size_t)(random >> 33) % whole.offsets[1];
            uform_outcome_t const outcome = encode_files(&seat, &damaged, names[0][0]);
            CHECK(outcome.status == uform_status_success_k || outcome.item == 0);
            CHECK(control("live_allocations", 0, NULL) == live);
            free(damaged.data);
        }
        CHECK_STATUS(encode_files(&seat, &whole, names[0][0]), uform_status_success_k);
        free(whole.data);
    }
    seat_close(&seat);
}

/** An allocation that fails, at every place in turn. */
static void test_memory(char const *const *names, size_t count) {
    seat_t seat;
    seat_open(&seat, false);
    files_t files;
    files_read(&files, names, count);
    for (int64_t nth = 1; files_served; ++nth) {
        control("fail_allocation", nth, NULL);
        uform_outcome_t const outcome = encode_files(&seat, &files, names[0][0]);
        control("fail_allocation", 0, NULL);
        if (outcome.status == uform_status_success_k) break;
        if (!CHECK_STATUS(outcome, uform_status_out_of_memory_k)) break;
    }
    free(files.data);
    seat_close(&seat);
}

/** V08: shapes are checked, and an empty picture is the empty item. */
static void test_pixels(void) {
    seat_t seat;
    seat_open(&seat, false);
    uform_outcome_t outcome;
    unsigned char pixels[18];
    for (unsigned i = 0; i != sizeof(pixels); ++i) pixels[i] = (unsigned char)(i * 14);
    size_t const offsets[] = {0, 18, 18, 18};
    uint32_t heights[] = {2, 0, 5}, widths[] = {3, 9, 0};
    uform_image_encode_pixels_t call = {.model = seat.model, .executor = seat.executor, .outcome = &outcome};
    call.count = 3, call.pixels = (uform_tape_view_t){pixels, offsets}, call.arena = seat.arena;
    call.heights = heights, call.widths = widths, call.embeddings = &seat.embeddings, call.states = &seat.states;
    uform_image_encode_pixels(&call);
    CHECK_STATUS(outcome, uform_status_success_k);
    CHECK(seat.states.offsets[1] == 16 && seat.states.offsets[3] == 16);
    float const *rows = seat.embeddings.data;
    CHECK(memcmp(rows + seat.embeddings.columns, rows + 2 * seat.embeddings.columns, seat.embeddings.stride) == 0);
    heights[2] = 1, widths[2] = 1;
    uform_image_encode_pixels(&call);
    CHECK_STATUS(outcome, uform_status_shape_mismatch_k);
    CHECK(outcome.item == 2 && !seat.embeddings.data && !seat.states.offsets);
    heights[2] = 0x80000000u, widths[2] = 2; // a product that 32 bits make zero of
    uform_image_encode_pixels(&call);
    CHECK_STATUS(outcome, uform_status_shape_mismatch_k);
    call.widths = NULL;
    uform_image_encode_pixels(&call);
    CHECK_STATUS(outcome, uform_status_invalid_argument_k);
    seat_close(&seat);
}

/** V11: a rate that is another gives nearly the same, and what is no number is refused. */
static void test_samples(void) {
    enum { count_k = 3200 };
    seat_t seat;
    seat_open(&seat, false);
    uform_outcome_t outcome;
    float *samples = malloc(3 * count_k * sizeof(float));
    for (size_t i = 0; i != count_k; ++i) samples[i] = (float)sin((double)i * 0.2) / 2;
    for (size_t i = 0; i != 2 * count_k; ++i) samples[count_k + i] = (float)sin((double)i * 0.1) / 2;
    size_t const offsets[] = {0, count_k}, twice[] = {count_k, 3 * count_k};
    uform_audio_encode_samples_t call = {.model = seat.model, .executor = seat.executor, .outcome = &outcome};
    call.count = 1, call.samples = (uform_tape_view_t){samples, offsets}, call.arena = seat.arena;
    call.embeddings = &seat.embeddings;
    uform_audio_encode_samples(&call);
    CHECK_STATUS(outcome, uform_status_success_k);
    size_t const columns = seat.embeddings.columns;
    float *wanted = malloc(seat.embeddings.stride);
    memcpy(wanted, seat.embeddings.data, seat.embeddings.stride);
    uform_model_description_t description;
    uform_model_describe(&(uform_model_describe_t){.model = seat.model, .outcome = &outcome, .description = &description});
    call.sample_rate = 2 * description.sample_rate, call.samples.offsets = twice;
    uform_audio_encode_samples(&call);
    CHECK_STATUS(outcome, uform_status_success_k);
    double product = 0;
    for (size_t k = 0; k != columns; ++k) product += (double)wanted[k] * ((float const *)seat.embeddings.data)[k];
    CHECK(fabs(product - 1) < 1e-2);
    samples[count_k + 5] = NAN;
    uform_audio_encode_samples(&call);
    CHECK_STATUS(outcome, uform_status_malformed_k);
    CHECK(outcome.item == 0);
    call.reserved = 1;
    uform_audio_encode_samples(&call);
    CHECK_STATUS(outcome, uform_status_invalid_argument_k);
    free(wanted), free(samples);
    seat_close(&seat);
}

#define EACH(test, names) test(names, sizeof(names) / sizeof(names[0]))

void test_media(void) {
    test_pixels();
    test_samples();
    EACH(test_files, image_names), EACH(test_files, video_names), EACH(test_files, audio_names);
    EACH(test_damage, image_names), EACH(test_damage, video_names), EACH(test_damage, audio_names);
    EACH(test_memory, image_names), EACH(test_memory, video_names), EACH(test_memory, audio_names);
}
