/**
 *  @brief Trainers: a model whose projection learns by plain gradient descent, and the file that it
 *  came from.
 *
 *  That is less than the embedded engine does, which trains every tensor, and enough to show that
 *  the interface and the page of checkpoints say what a run needs. Of modalities it takes texts.
 */
#pragma once

#include "model.h"
#include "peers.h"

struct uform_trainer_handle_t {
    handle_t handle;
    /** Named by calls, never linked as a handle. Its projection is the one below. */
    model_t *model;
    /** `columns` rows, as wide as what is pooled. */
    float *projection;
    size_t projection_count;
    double learning_rate, weight_decay, temperature, clip;
    uint64_t step;
    /** This process of the run, and the others; `NULL` where it is the only one. */
    uint32_t process, processes;
    peers_t *peers;
    /** A call holds it, from submission until it is final. */
    bool busy;
    /** The checkpoint that it started from. */
    unsigned char *file;
    size_t file_bytes;
};

/** The first checks of every verb of a trainer: live handles, and a completion. The lock is
 *  held. */
fault_t trainer_check_handles(call_t const *call);

/** The whole of a file that continues the run: the one it started from, but for the projection and
 *  the step. */
fault_t trainer_write(trainer_t const *trainer, unsigned char **bytes, size_t *size);
