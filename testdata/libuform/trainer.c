/** Trainers: starting, resuming, saving and freeing them. */
#include "trainer.h"

#include <math.h>   // `isfinite`
#include <string.h> // `memcpy`

#include "control.h"
#include "executor.h"
#include "safetensors.h"

/** The page's defaults, if neither a file nor a caller has a value. */
static double const default_rate = 1e-3, default_decay = 0.01, default_temperature = 0.05, default_clip = 1;

static uint32_t pooled_columns(config_t const *config) { return config->width * (config->skip ? 2 : 1); }

static void trainer_drop(trainer_t *trainer) {
    if (trainer->model) model_discard(trainer->model);
    memory_give(trainer->projection);
    memory_give(trainer->file);
    peers_leave(trainer->peers);
    memory_give(trainer);
}

/* -------------------- Starting ---------------------------------------------------------------- */

static bool is_setting(double value) { return value >= 0 && value <= 1000; }

static fault_t init_check(call_t *call, bool on_device) {
    uform_trainer_init_t const *arguments = call->arguments;
    uform_status_t const refused = uform_status_invalid_argument_k;
    uint32_t const count = arguments->processes_count ? arguments->processes_count : 1;
    if (!arguments->trainer) return fault_make(refused, "trainer is NULL: name where the handle goes");
    if (!handle_alive(call->executor, kind_executor_k))
        return fault_make(refused, "the executor is NULL, not one, or was freed");
    if (!arguments->path) return fault_make(refused, "path is NULL: name a checkpoint");
    if (arguments->reserved) return fault_make(refused, "reserved is not zero");
    if (arguments->process_index >= count) return fault_make(refused, "process_index is not below processes_count");
    if (!is_setting(arguments->learning_rate) || !is_setting(arguments->weight_decay))
        return fault_make(refused, "the learning rate or the weight decay is no number from 0 to 1000");
    if (count > 1 && !arguments->rendezvous)
        return fault_make(refused, "rendezvous is NULL: name the host:port where the processes of the run meet");
    if ((call->executor->device >= 0) == on_device) return fault_none();
    return fault_make(uform_status_device_k, on_device ? "training in device memory needs the executor of a GPU"
                                                       : "training in host pages needs a host executor");
}

static fault_t init_admit(call_t *call) { return init_check(call, false); }
static fault_t init_vram_admit(call_t *call) { return init_check(call, true); }

static fault_t malformed(char const *text) { return fault_make(uform_status_malformed_k, text); }

/** A setting of the caller's, else of the file's, else the default. */
static fault_t setting_read(json_t const *json, json_node_t const *training, char const *name, double asked,
                            double otherwise, double *value) {
    json_node_t const *member = json_member(json, training, name);
    *value = otherwise;
    if (member && (member->type != json_number_k || !(member->number >= 0 && isfinite(member->number))))
        return malformed("the configuration's training holds something else than numbers from 0");
    if (member && member->number > 0) *value = member->number;
    if (asked > 0) *value = asked;
    return fault_none();
}

static fault_t settings_read(trainer_t *trainer, json_text_t config, uform_trainer_init_t const *arguments) {
    json_t json = {0};
    fault_t fault = json_read(&json, config.data, config.length, "the configuration");
    json_node_t const *training = fault.status ? NULL : json_member(&json, &json.nodes[0], "training");
    if (training && training->type != json_object_k)
        fault = malformed("the configuration's training is not an object");
    struct {
        char const *name;
        double asked, otherwise, *value;
    } const settings[] = {
        {"learning_rate", arguments->learning_rate, default_rate, &trainer->learning_rate},
        {"weight_decay", arguments->weight_decay, default_decay, &trainer->weight_decay},
        {"temperature", 0, default_temperature, &trainer->temperature},
        {"clip", 0, default_clip, &trainer->clip},
    };
    for (size_t i = 0; i != sizeof(settings) / sizeof(settings[0]) && !fault.status; ++i)
        fault = setting_read(&json, training, settings[i].name, settings[i].asked, settings[i].otherwise,
                             settings[i].value);
    json_drop(&json);
    return fault;
}

/** The steps that a run had applied when it was saved, zero in the file of a model. */
static fault_t step_read(trainer_t *trainer, json_node_t const *step) {
    if (!step) return fault_none();
    for (uint32_t i = 0; i != step->text.length; ++i) {
        char const digit = step->text.data[i];
        if (digit < '0' || digit > '9' || trainer->step > (UINT64_MAX / 2 - 9) / 10)
            return malformed("the metadata's uform.step is no number of steps");
        trainer->step = trainer->step * 10 + (uint64_t)(digit - '0');
    }
    return step->text.length ? fault_none() : malformed("the metadata's uform.step is no number of steps");
}

/** Everything that the file says about the run besides its weights. */
static fault_t run_read(trainer_t *trainer, uform_trainer_init_t const *arguments) {
    container_t container;
    fault_t fault = container_read(&container, trainer->file, trainer->file_bytes);
    if (fault.status) return fault;
    json_t const *header = &container.header;
    fault = settings_read(trainer, json_member(header, container.metadata, "uform")->text, arguments);
    if (!fault.status) fault = step_read(trainer, json_member(header, container.metadata, "uform.step"));
    container_drop(&container);
    return fault;
}

/** Keeps the file and takes the projection out of it, in f32. */
static fault_t trainer_fill(trainer_t *trainer, file_t const *file, call_t *call) {
    trainer->file = memory_take(file->size ? file->size : 1);
    if (!trainer->file) return fault_memory("a copy of the checkpoint");
    memcpy(trainer->file, file->bytes, file->size);
    trainer->file_bytes = file->size;
    trainer->model = memory_take(sizeof(model_t));
    if (!trainer->model) return fault_memory("a model");
    model_t *model = trainer->model;
    model->device = call->executor->device;
    fault_t fault = checkpoint_read(model, trainer->file, file->size, uform_scalar_unknown_k, call);
    if (fault.status || atomic_load(&call->stopped)) return fault;
    fault = run_read(trainer, call->arguments);
    if (fault.status) return fault;
    uint32_t const columns = pooled_columns(&model->config);
    trainer->projection_count = (size_t)model->config.columns * columns;
    trainer->projection = memory_take(trainer->projection_count * sizeof(float));
    if (!trainer->projection) return fault_memory("the projection");
    for (uint32_t row = 0; row != model->config.columns; ++row)
        matrix_row(&model->projection, row, trainer->projection + (size_t)row * columns);
    model->projection = (matrix_t){storage_f32_k, model->config.columns, columns,
                                   (unsigned char const *)trainer->projection, NULL};
    model->weights_bytes += trainer->projection_count * sizeof(float);
    return fault;
}

static fault_t init_mapped(call_t *call, file_t const *file) {
    call->total = file->size;
    if (!call_advance(call, 0)) return fault_none();
    trainer_t *trainer = memory_take(sizeof(trainer_t));
    if (!trainer) return fault_memory("a trainer");
    fault_t fault = trainer_fill(trainer, file, call);
    uform_trainer_init_t const *arguments = call->arguments;
    trainer->process = arguments->process_index;
    trainer->processes = arguments->processes_count ? arguments->processes_count : 1;
    bool const whole = !fault.status && !atomic_load(&call->stopped);
    if (whole && trainer->processes > 1)
        fault = peers_meet(arguments->rendezvous, trainer->process, trainer->processes, &trainer->peers);
    if (whole && !fault.status) fault = model_charge(trainer->model);
    if (whole && !fault.status) call->made = trainer;
    else trainer_drop(trainer);
    return fault;
}

static fault_t init_begin(call_t *call) {
    return checkpoint_map(call, ((uform_trainer_init_t const *)call->arguments)->path, init_mapped);
}

static void init_publish(call_t *call, bool success) {
    uform_trainer_init_t const *arguments = call->arguments;
    if (success) {
        library_lock();
        handle_link(&call->made->handle, kind_trainer_k);
        library_unlock();
    }
    if (arguments->trainer) *arguments->trainer = success ? call->made : NULL;
}

static verb_t const init_verb = {init_admit, init_begin, NULL, init_publish};
static verb_t const init_vram_verb = {init_vram_admit, init_begin, NULL, init_publish};

static void init(uform_trainer_init_t *arguments, verb_t const *verb) {
    if (!arguments || control_silences()) return;
    call_t call = {.verb = verb,
                   .arguments = arguments,
                   .executor = arguments->executor,
                   .outcome = arguments->outcome,
                   .progress = arguments->progress,
                   .progress_state = arguments->progress_state};
    call_start(&call);
}

void uform_trainer_init(uform_trainer_init_t *arguments) { init(arguments, &init_verb); }
void uform_trainer_init_vram(uform_trainer_init_t *arguments) { init(arguments, &init_vram_verb); }

void uform_trainer_free(uform_trainer_t trainer) {
    library_lock();
    bool const closed = handle_close(trainer, kind_trainer_k);
    if (closed) model_discharge(trainer->model);
    library_unlock();
    if (closed) trainer_drop(trainer);
}

fault_t trainer_check_handles(call_t const *call) {
    uform_status_t const refused = uform_status_invalid_argument_k;
    if (!handle_alive(call->trainer, kind_trainer_k))
        return fault_make(refused, "the trainer is NULL, not one, or was freed");
    if (!handle_alive(call->executor, kind_executor_k))
        return fault_make(refused, "the executor is NULL, not one, or was freed");
    if (call->completion != uform_completion_blocking_k && call->completion != uform_completion_deferring_k)
        return fault_make(refused, "completion is neither blocking nor deferring");
    return fault_none();
}

/* -------------------- Saving ------------------------------------------------------------------ */

static fault_t save_admit(call_t *call) {
    uform_trainer_save_t const *arguments = call->arguments;
    fault_t const fault = trainer_check_handles(call);
    if (fault.status) return fault;
    call->model = call->trainer->model;
    if (arguments->reserved) return fault_make(uform_status_invalid_argument_k, "reserved is not zero");
    if (!arguments->path) return fault_make(uform_status_invalid_argument_k, "path is NULL: name where the file goes");
    return call_check_places(call);
}

static fault_t save_begin(call_t *call) {
    uform_trainer_save_t const *arguments = call->arguments;
    if (!system_file_replaceable(arguments->path))
        return fault_make(uform_status_io_k, "the path names something that is not a regular file");
    unsigned char *bytes = NULL;
    if (call->trainer->process) return fault_none(); // process zero alone writes
    fault_t fault = trainer_write(call->trainer, &bytes, &call->total);
    if (!fault.status && call_advance(call, 0)) {
        if (system_file_replace(arguments->path, bytes, call->total) != uform_status_success_k)
            fault = fault_make(uform_status_io_k, "the path takes no file");
        else call_advance(call, call->total);
    }
    memory_give(bytes);
    return fault;
}

static void save_publish(call_t *call, bool success) { (void)call, (void)success; }

static verb_t const save_verb = {save_admit, save_begin, NULL, save_publish};

void uform_trainer_save(uform_trainer_save_t *arguments) {
    if (!arguments || control_silences()) return;
    call_t call = {.verb = &save_verb,
                   .arguments = arguments,
                   .trainer = arguments->trainer,
                   .executor = arguments->executor,
                   .outcome = arguments->outcome,
                   .completion = arguments->completion,
                   .progress = arguments->progress,
                   .progress_state = arguments->progress_state};
    call_start(&call);
}
