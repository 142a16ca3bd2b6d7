/** One call of a verb: its handles, its progress, and its path from submission to a final
 *  outcome. */
#pragma once

#include <stdatomic.h> // `atomic_bool`

#include "memory.h"
#include "outcome.h"
#include "registry.h"

typedef struct uform_arena_handle_t arena_t;
typedef struct uform_executor_handle_t executor_t;
typedef struct uform_model_handle_t model_t;
typedef struct uform_trainer_handle_t trainer_t;
typedef struct call_t call_t;

/** What differs between verbs. */
typedef struct verb_t {
    /** Everything that is known at submission, from the handles to aliased inputs. The lock is
     *  held. */
    fault_t (*admit)(call_t *call);
    /** The first part of the work, on one thread: reads the inputs, and sizes outputs and
     *  scratch. */
    fault_t (*begin)(call_t *call);
    /** The rest, an item on any thread of the executor, false once the call was stopped or the item
     *  has a fault, which went to @ref call_fail; `NULL` where there is none. */
    bool (*item)(call_t *call, size_t item, scratch_t *scratch);
    /** Fills the caller's outputs after a success, empties them otherwise. */
    void (*publish)(call_t *call, bool success);
} verb_t;

/** Where the bytes of a requested output are, for the library and for the caller. */
typedef struct output_t {
    unsigned char *own;
    unsigned char *address;
} output_t;

struct call_t {
    /* Filled by the verb. */
    verb_t const *verb;
    /** What is left once every item is done, or the call has a fault, on one thread; `NULL` where
     *  nothing is. */
    fault_t (*end)(call_t *call, fault_t fault);
    /** The caller's argument struct. Read in place until the call is final, as the header
     *  announces. */
    void *arguments;
    model_t *model;
    /** The trainer whose model that is, `NULL` for the verbs of models. */
    trainer_t *trainer;
    executor_t *executor;
    arena_t *arena;
    uform_outcome_t *outcome;
    uform_completion_t completion;
    uform_progress_callback_t progress;
    void *progress_state;
    /** Units of progress; items where the verb has some. */
    size_t total;
    /** Input items. Slices of texts are cut by their length. */
    uform_tape_view_t inputs;
    /** Of a verb that encodes: what its items are, the kind that was asked for, and where outputs
     *  go. */
    struct medium_t const *medium;
    uform_scalar_t scalar;
    uform_rows_view_t *embeddings_view;
    uform_rows_tape_view_t *states_view;

    /* Kept by the call itself. */
    call_t *next;
    uintptr_t sequence;
    bool deferring;
    /** Units reported, and items given out. */
    size_t finished, cursor;
    /** Nothing more is reported and no work is begun. */
    atomic_bool stopped;
    /** Working memory of the thread that leads. */
    scratch_t *scratch;
    uint32_t participant;
    output_t embeddings, states, offsets;
    /** Tokens of each item where they are not the bytes of a text, freed with the call. */
    size_t *lengths;
    /** Bytes of the longest text that the context leaves, and tokens of the longest item. */
    size_t longest_bytes, longest_tokens;
    /** The patches of each recording, once it was heard, freed with the call. */
    float **heard;
    /** The fault of the first item that has one, under the library's lock. */
    fault_t fault;
    /** The model that a load made. */
    model_t *loaded;
    /** What an init made, and what a step works in. */
    trainer_t *made;
    struct step_t *step;
};

enum {
    /** Tokens after which a slice ends. An item of as many has a slice of its own, and reports
     *  between its layers. */
    slice_tokens_k = 256,
    /** Items after which it ends, however short they are. */
    slice_items_k = 16,
};

/** Checks, takes what the call names, and runs or submits it. `request` is the verb's own, on its
 *  stack. */
void call_start(call_t *request);
/** Runs the call on this thread, `participant` being its place among the executor's, to a final
 *  outcome. */
void call_run(call_t *call, uint32_t participant);
/** Works on slices of a running call until none is left. */
void call_work(call_t *call, scratch_t *scratch);
/** Runs one held call that names the handle; false where there is none. The lock is held, but not
 *  all along. */
bool call_run_held(handle_t const *handle);
/** Waits until a call of that executor is final. The lock is held, but not all along. */
void call_await(executor_t *executor, uintptr_t sequence);

/** Ends the call with the fault of an item, that of the first one where several have some. */
void call_fail(call_t *call, fault_t fault);
/** Reports units done; false once the call is to end. */
bool call_advance(call_t *call, size_t units);
/** Gives every thread that will work on the call that much scratch. */
fault_t call_prepare(call_t *call, size_t scratch_bytes);

/** The first checks of every verb of a model: live handles, and a completion that they allow. */
fault_t call_check_handles(call_t const *call, bool needs_arena);
/** That executor, model and arena are in one place. */
fault_t call_check_places(call_t const *call);
