/** Models: loading, describing and freeing them. */
#include "model.h"

#include "control.h"
#include "device.h"
#include "executor.h"
#include "named.h"

/* -------------------- Scratch of calls on the calling thread ---------------------------------- */

scratch_t *model_scratch_take(model_t *model, size_t bytes) {
    library_lock();
    spare_t *spare = model->spares;
    if (spare) model->spares = spare->next;
    library_unlock();
    if (!spare) spare = memory_take(sizeof(spare_t));
    if (!spare) return NULL;
    if (scratch_grow(&spare->scratch, bytes)) return &spare->scratch;
    model_scratch_give(model, &spare->scratch);
    return NULL;
}

void model_scratch_give(model_t *model, scratch_t *scratch) {
    spare_t *spare = (spare_t *)scratch;
    library_lock();
    spare->next = model->spares, model->spares = spare;
    library_unlock();
}

void model_discard(model_t *model) {
    while (model->spares) {
        spare_t *spare = model->spares;
        model->spares = spare->next;
        scratch_drop(&spare->scratch);
        memory_give(spare);
    }
    config_drop(&model->config);
    memory_give(model->layers);
    memory_give(model->weights);
    memory_give(model);
}

fault_t model_charge(model_t const *model) {
    if (model->device < 0) return fault_none();
    library_lock();
    bool const charged = device_charge(model->device, model->weights_bytes);
    library_unlock();
    return charged ? fault_none() : fault_memory("the weights on their device");
}

void model_discharge(model_t const *model) {
    if (model->device >= 0) device_discharge(model->device, model->weights_bytes);
}

/* -------------------- Loading ----------------------------------------------------------------- */

static fault_t load_check(call_t *call, bool on_device) {
    uform_model_load_t const *arguments = call->arguments;
    uform_status_t const refused = uform_status_invalid_argument_k;
    if (!arguments->model) return fault_make(refused, "model is NULL: name where the handle goes");
    if (!arguments->path) return fault_make(refused, "path is NULL: name a checkpoint");
    if (call->executor && !handle_alive(call->executor, kind_executor_k))
        return fault_make(refused, "the executor is not one, or was freed");
    if (arguments->reserved) return fault_make(refused, "reserved is not zero");
    if (!scalar_named(arguments->scalar)) return fault_make(refused, "scalar is no known kind");
    if (arguments->scalar != uform_scalar_unknown_k && arguments->scalar != uform_scalar_f32_k &&
        arguments->scalar != uform_scalar_bf16_k)
        return fault_make(uform_status_unsupported_k, "weights pack to f32 and bf16 only");
    if ((call->executor && call->executor->device >= 0) == on_device) return fault_none();
    return fault_make(uform_status_device_k, on_device ? "loading into device memory needs the executor of a GPU"
                                                       : "loading into host pages needs a host executor or none");
}

static fault_t load_admit(call_t *call) { return load_check(call, false); }
static fault_t load_vram_admit(call_t *call) { return load_check(call, true); }

fault_t checkpoint_map(call_t *call, char const *path, fault_t (*read)(call_t *, file_t const *)) {
    if (!memory_admit()) return fault_memory("the mapping of the checkpoint");
    file_t file;
    fault_t fault = fault_none();
    uform_status_t const status = system_file_map(path, &file);
    if (status == uform_status_success_k) fault = read(call, &file);
    else if (status == uform_status_unsupported_k)
        fault = fault_make(status, "the path is a folder: this library loads checkpoints of its own format, each a file");
    else if (status == uform_status_io_k) fault = fault_make(status, "the path opens as no file that can be read");
    else fault = fault_memory("the mapping of the checkpoint");
    system_file_unmap(&file);
    memory_dismiss();
    return fault;
}

/** Reads the mapped file into a model, which stays the call's only once it is whole. */
static fault_t load_mapped(call_t *call, file_t const *file) {
    uform_model_load_t const *arguments = call->arguments;
    call->total = file->size;
    if (!call_advance(call, 0)) return fault_none();
    model_t *model = memory_take(sizeof(model_t));
    if (!model) return fault_memory("a model");
    model->device = call->executor ? call->executor->device : -1;
    fault_t fault = checkpoint_read(model, file->bytes, file->size, arguments->scalar, call);
    bool const whole = !fault.status && !atomic_load(&call->stopped);
    if (whole) fault = model_charge(model);
    if (whole && !fault.status) call->loaded = model;
    else model_discard(model);
    return fault;
}

static fault_t load_begin(call_t *call) {
    return checkpoint_map(call, ((uform_model_load_t const *)call->arguments)->path, load_mapped);
}

static void load_publish(call_t *call, bool success) {
    uform_model_load_t const *arguments = call->arguments;
    if (success) {
        library_lock();
        handle_link(&call->loaded->handle, kind_model_k);
        library_unlock();
    }
    if (arguments->model) *arguments->model = success ? call->loaded : NULL;
}

static verb_t const load_verb = {load_admit, load_begin, NULL, load_publish};
static verb_t const load_vram_verb = {load_vram_admit, load_begin, NULL, load_publish};

static void load(uform_model_load_t *arguments, verb_t const *verb) {
    if (!arguments || control_silences()) return;
    call_t call = {.verb = verb,
                   .arguments = arguments,
                   .executor = arguments->executor,
                   .outcome = arguments->outcome,
                   .progress = arguments->progress,
                   .progress_state = arguments->progress_state};
    call_start(&call);
}

void uform_model_load(uform_model_load_t *arguments) { load(arguments, &load_verb); }
void uform_model_load_vram(uform_model_load_t *arguments) { load(arguments, &load_vram_verb); }

void uform_model_free(uform_model_t model) {
    library_lock();
    bool const closed = handle_close(model, kind_model_k);
    if (closed) model_discharge(model);
    library_unlock();
    if (closed) model_discard(model);
}

/* -------------------- Describing -------------------------------------------------------------- */

static fault_t describe_admit(call_t *call) {
    uform_model_describe_t const *arguments = call->arguments;
    fault_t const fault = call_check_handles(call, false);
    if (fault.status) return fault;
    if (arguments->reserved) return fault_make(uform_status_invalid_argument_k, "reserved is not zero");
    if (!arguments->description)
        return fault_make(uform_status_invalid_argument_k, "description is NULL: name where the report goes");
    return call_check_places(call);
}

static fault_t describe_begin(call_t *call) {
    (void)call;
    return fault_none();
}

static void describe_publish(call_t *call, bool success) {
    uform_model_describe_t const *arguments = call->arguments;
    if (!success) return; // a report is the caller's own, and stays as it was
    model_t const *model = call->model;
    config_t const *config = &model->config;
    *arguments->description = (uform_model_description_t){
        .parameters = model->parameters,
        .weights_bytes = model->weights_bytes,
        .embedding_columns = model_columns(model),
        .state_columns = config->width,
        .context = config->context,
        .layers = config->layers,
        .heads = config->heads,
        .byte_decoder = config->has_decoder,
        .question_types = config->question_types,
        .sample_rate = config->audio.rate,
        .modalities = config->modalities,
        .scalar = model->scalar,
        .residency = model->device < 0 ? uform_residency_ram_k : uform_residency_vram_k,
        .device = model->device,
    };
}

static verb_t const describe_verb = {describe_admit, describe_begin, NULL, describe_publish};

void uform_model_describe(uform_model_describe_t *arguments) {
    if (!arguments || control_silences()) return;
    call_t call = {.verb = &describe_verb,
                   .arguments = arguments,
                   .model = arguments->model,
                   .executor = arguments->executor,
                   .outcome = arguments->outcome,
                   .completion = arguments->completion};
    call_start(&call);
}
