/** What the processes of a run exchange in a step: their items, then their gradients. */
#include <string.h> // `memcpy`, `memset`

#include "trainer_step.h"

/** What a process brings to a step, before its keys and its rows. */
typedef struct ballot_t {
    uint64_t failed, step, count;
    double rate;
} ballot_t;

static fault_t peer_refused(void) {
    return fault_make(uform_status_peer_k, "another process refused its part of the step, or makes another step");
}

/** A contribution with the keys and the rows after it, or `NULL`. */
static unsigned char *part_make(call_t const *call, ballot_t const *ballot, size_t row_bytes) {
    size_t const count = call->total;
    unsigned char *part = memory_take(sizeof(*ballot) + count * (sizeof(uint64_t) + row_bytes));
    if (!part) return NULL;
    memcpy(part, ballot, sizeof(*ballot));
    memcpy(part + sizeof(*ballot), call->step->keys, count * sizeof(uint64_t));
    memcpy(part + sizeof(*ballot) + count * sizeof(uint64_t), call->step->rows, count * row_bytes);
    return part;
}

/** Whether all processes go on, and then how many items they have. */
static bool parts_agree(parts_t const *parts, uint32_t processes, ballot_t const *mine, size_t item_bytes,
                        size_t *items) {
    *items = 0;
    for (uint32_t i = 0; i != processes; ++i) {
        ballot_t other;
        if (parts[i].size < sizeof(other)) return false;
        memcpy(&other, parts[i].bytes, sizeof(other));
        if (other.failed || other.step != mine->step || other.rate != mine->rate ||
            (parts[i].size - sizeof(other)) / item_bytes != other.count)
            return false;
        *items += (size_t)other.count;
    }
    return true;
}

static bool crowd_make(crowd_t *crowd, parts_t const *parts, trainer_t const *trainer, size_t items, size_t row_bytes) {
    crowd->room = memory_take(items * (sizeof(uint64_t) + row_bytes));
    if (!crowd->room) return false;
    uint64_t *keys = crowd->room;
    float *rows = (float *)(void *)(keys + items);
    crowd->keys = keys, crowd->rows = rows, crowd->count = 0;
    for (uint32_t i = 0; i != trainer->processes; ++i) {
        if (i == trainer->process) crowd->first = crowd->count;
        unsigned char const *from = parts[i].bytes + sizeof(ballot_t);
        size_t const count = (size_t)(parts[i].size - sizeof(ballot_t)) / (sizeof(uint64_t) + row_bytes);
        memcpy(keys + crowd->count, from, count * sizeof(uint64_t));
        memcpy(rows + crowd->count * (row_bytes / sizeof(float)), from + count * sizeof(uint64_t), count * row_bytes);
        crowd->count += count;
    }
    return true;
}

fault_t step_gather(call_t *call, fault_t fault) {
    trainer_t *trainer = call->trainer;
    size_t const row_bytes = model_columns(call->model) * sizeof(float), item_bytes = sizeof(uint64_t) + row_bytes;
    ballot_t ballot = {0, trainer->step, call->total, step_rate(call)};
    unsigned char *part = fault.status ? NULL : part_make(call, &ballot, row_bytes);
    if (!fault.status && !part) fault = fault_memory("what the processes exchange");
    if (fault.status) ballot.failed = 1, ballot.count = 0;
    parts_t parts[processes_most_k];
    size_t items = 0;
    fault_t const met = peers_exchange(trainer->peers, part ? (void const *)part : &ballot,
                                       sizeof(ballot) + ballot.count * item_bytes, parts);
    memory_give(part);
    if (!fault.status) fault = met;
    if (!fault.status && !parts_agree(parts, trainer->processes, &ballot, item_bytes, &items)) fault = peer_refused();
    if (!fault.status && !crowd_make(&call->step->crowd, parts, trainer, items, row_bytes)) {
        fault = fault_memory("the items of all processes");
        peers_part(trainer->peers); // the others go on
    }
    memory_give(parts[0].bytes);
    return fault;
}

fault_t step_reduce(call_t *call, fault_t fault) {
    trainer_t const *trainer = call->trainer;
    double *gradient = call->step->gradient;
    size_t const count = trainer->projection_count, bytes = (count + 1) * sizeof(double);
    parts_t parts[processes_most_k];
    gradient[count] = fault.status != uform_status_success_k;
    fault_t const met = peers_exchange(trainer->peers, gradient, bytes, parts);
    if (!fault.status) fault = met;
    memset(gradient, 0, bytes);
    for (uint32_t i = 0; !fault.status && i != trainer->processes; ++i) {
        if (parts[i].size != bytes) fault = peer_refused();
        for (size_t k = 0; !fault.status && k <= count; ++k) {
            double value;
            memcpy(&value, parts[i].bytes + k * sizeof(value), sizeof(value));
            gradient[k] += value;
        }
    }
    if (!fault.status && gradient[count] != 0) fault = peer_refused();
    memory_give(parts[0].bytes);
    return fault;
}
