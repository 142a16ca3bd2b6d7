/** What verbs that encode have in common, and what each has of its own. */
#pragma once

#include "call.h"

/** What the items of a verb are, and how they become tokens. */
typedef struct medium_t {
    /** Their name in faults. */
    char const *items;
    uform_modality_t modality;
    /** Whether this build can read them. */
    bool served;
    /** Bytes of an element of their tape. */
    size_t element;
    /** Checks arguments that only this verb has; `NULL` if it has none. The lock is held. */
    fault_t (*check)(call_t *call);
    /** Whether those lie in memory that the call may read, likewise. */
    fault_t (*check_memory)(call_t *call);
    /** Looks at all the items, and takes and fills `call->lengths` where they are no texts. */
    fault_t (*measure)(call_t *call);
    /** Writes the patches of an item that has tokens. A call that is stopped meanwhile is no
     *  fault. */
    fault_t (*patches)(call_t *call, size_t item, float *patches);
} medium_t;

/** The call of a verb whose medium and tape are called @p tape. */
#define ENCODE_CALL(from, tape)                                                                          \
    {                                                                                                    \
        .arguments = from, .model = (from)->model, .executor = (from)->executor, .arena = (from)->arena, \
        .outcome = (from)->outcome, .completion = (from)->completion, .progress = (from)->progress,      \
        .progress_state = (from)->progress_state, .total = (from)->count, .inputs = (from)->tape,        \
        .scalar = (from)->scalar, .embeddings_view = (from)->embeddings, .states_view = (from)->states,  \
        .medium = &tape                                                                                  \
    }

/** Checks the call, and runs or submits it. `call` is the verb's own, on its stack. */
void encode_start(call_t *call);
