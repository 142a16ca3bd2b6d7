/** The library's description of itself: versions, facilities, and its structs' layout by the
 *  compiler. */
#include <stdint.h> // `SIZE_MAX`
#include <string.h> // `strcmp`

#include "control.h"
#include "files.h"

int uform_version_major(void) {
    int const pretended = control_version();
    return pretended ? pretended : UFORM_VERSION_MAJOR;
}

int uform_version_minor(void) { return UFORM_VERSION_MINOR; }
int uform_version_patch(void) { return UFORM_VERSION_PATCH; }

void uform_capabilities(uint64_t *compiled, uint64_t *detected) {
    // The simulated GPUs stand in for CUDA ones, and are there on every machine.
    uint64_t mask = UINT64_C(1) << uform_capability_serial_k | UINT64_C(1) << uform_capability_parallel_k |
                    UINT64_C(1) << uform_capability_cuda_k | UINT64_C(1) << uform_capability_training_k;
    if (files_served)
        mask |= UINT64_C(1) << uform_capability_image_files_k | UINT64_C(1) << uform_capability_video_files_k |
                UINT64_C(1) << uform_capability_audio_files_k;
    if (compiled) *compiled = mask;
    if (detected) *detected = mask;
}

/* -------------------- Layout, without a number written by hand -------------------------------- */

typedef struct entry_t {
    char const *name;
    size_t bytes;
} entry_t;

#define TYPE(type) {#type, sizeof(type)}
#define FIELD(type, field) {#type "." #field, offsetof(type, field)}
#define F1(t, a) TYPE(t), FIELD(t, a)
#define F2(t, a, b) F1(t, a), FIELD(t, b)
#define F3(t, a, b, c) F2(t, a, b), FIELD(t, c)
#define F4(t, a, b, c, d) F3(t, a, b, c), FIELD(t, d)
#define F5(t, a, b, c, d, e) F4(t, a, b, c, d), FIELD(t, e)
#define F6(t, a, b, c, d, e, f) F5(t, a, b, c, d, e), FIELD(t, f)
#define F7(t, a, b, c, d, e, f, g) F6(t, a, b, c, d, e, f), FIELD(t, g)
#define F8(t, a, b, c, d, e, f, g, h) F7(t, a, b, c, d, e, f, g), FIELD(t, h)
#define F9(t, a, b, c, d, e, f, g, h, i) F8(t, a, b, c, d, e, f, g, h), FIELD(t, i)
/** The first fields of every verb of a model. */
#define VERB(t, third) F5(t, model, executor, outcome, completion, third)
#define REPORTS(t) FIELD(t, progress), FIELD(t, progress_state)
#define ENCODES(t, input) \
    VERB(t, scalar), FIELD(t, count), FIELD(t, input), REPORTS(t), FIELD(t, arena), FIELD(t, embeddings), \
        FIELD(t, states)

static entry_t const entries[] = {
    TYPE(uform_status_t), TYPE(uform_scalar_t), TYPE(uform_modality_t), TYPE(uform_residency_t), TYPE(uform_mood_t),
    TYPE(uform_caller_exclusivity_t), TYPE(uform_completion_t), TYPE(uform_capability_t), TYPE(uform_arena_t),
    TYPE(uform_executor_t), TYPE(uform_model_t), TYPE(uform_trainer_t), TYPE(uform_progress_callback_t),
    F4(uform_outcome_t, status, item, message, call),
    F2(uform_tape_view_t, data, offsets),
    F4(uform_rows_view_t, data, stride, columns, scalar),
    F2(uform_rows_tape_view_t, rows, offsets),
    F2(uform_arena_description_t, residency, device),
    F5(uform_gpu_device_t, device, vendor_ordinal, memory_bytes, memory_free_bytes, name),
    F4(uform_gpu_devices_t, outcome, devices, capacity, count),
    F7(uform_executor_init_t, executor, outcome, memory_domains, threads, exclusivity, mood, reserved),
    F6(uform_executor_init_vram_t, executor, outcome, devices, devices_count, streams, mood),
    F2(uform_executor_drain_t, executor, outcome),
    F9(uform_executor_description_t, residency, device, exclusivity, mood, devices_count, threads, streams,
       memory_domains_count, scratch_bytes),
    F3(uform_executor_describe_t, executor, outcome, description),
    F3(uform_arena_init_t, arena, executor, outcome),
    F3(uform_arena_describe_t, arena, outcome, description),
    F8(uform_model_load_t, model, executor, outcome, path, scalar, reserved, progress, progress_state),
    F9(uform_model_description_t, parameters, weights_bytes, embedding_columns, state_columns, context, layers, heads,
       byte_decoder, question_types),
    FIELD(uform_model_description_t, sample_rate), FIELD(uform_model_description_t, modalities),
    FIELD(uform_model_description_t, scalar), FIELD(uform_model_description_t, residency),
    FIELD(uform_model_description_t, device),
    VERB(uform_model_describe_t, reserved), FIELD(uform_model_describe_t, description),
    ENCODES(uform_text_encode_t, texts),
    VERB(uform_text_choose_t, reserved), FIELD(uform_text_choose_t, count), FIELD(uform_text_choose_t, texts),
    FIELD(uform_text_choose_t, choices), FIELD(uform_text_choose_t, question_types), REPORTS(uform_text_choose_t),
    FIELD(uform_text_choose_t, arena), FIELD(uform_text_choose_t, probabilities),
    ENCODES(uform_image_encode_t, images),
    ENCODES(uform_image_encode_pixels_t, pixels),
    FIELD(uform_image_encode_pixels_t, heights), FIELD(uform_image_encode_pixels_t, widths),
    ENCODES(uform_video_encode_t, videos),
    ENCODES(uform_audio_encode_t, recordings),
    ENCODES(uform_audio_encode_samples_t, samples),
    FIELD(uform_audio_encode_samples_t, sample_rate), FIELD(uform_audio_encode_samples_t, reserved),
    F9(uform_trainer_init_t, trainer, executor, outcome, path, rendezvous, reserved, process_index, processes_count,
       learning_rate),
    FIELD(uform_trainer_init_t, weight_decay), FIELD(uform_trainer_init_t, seed), REPORTS(uform_trainer_init_t),
    F4(uform_trainer_stats_t, step, items, loss, gradient_norm),
    F9(uform_trainer_step_t, trainer, executor, outcome, completion, scalar, count, modalities, contents, groups),
    FIELD(uform_trainer_step_t, learning_rate), FIELD(uform_trainer_step_t, reserved), REPORTS(uform_trainer_step_t),
    FIELD(uform_trainer_step_t, arena), FIELD(uform_trainer_step_t, embeddings), FIELD(uform_trainer_step_t, stats),
    F6(uform_trainer_save_t, trainer, executor, outcome, completion, reserved, path), REPORTS(uform_trainer_save_t),
};

size_t uform_layout_of(char const *name) {
    if (!name) return SIZE_MAX;
    for (size_t i = 0; i != sizeof(entries) / sizeof(entries[0]); ++i)
        if (strcmp(entries[i].name, name) == 0) return entries[i].bytes + control_lie(name);
    return SIZE_MAX;
}
