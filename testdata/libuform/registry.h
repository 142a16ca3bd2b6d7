/**
 *  @brief The library's one lock, and the handles that are alive.
 *
 *  Everything that two calls can meet in - handles, busy flags, the call an executor has, device
 *  blocks - changes under one lock that is never held while anything is computed. There is one
 *  condition: something became final or left.
 */
#pragma once

#include <stdbool.h> // `bool`
#include <stddef.h>  // `size_t`

#include "thread.h"

typedef enum kind_t { kind_executor_k, kind_arena_k, kind_model_k, kind_trainer_k } kind_t;

/** What every object behind a handle starts with. */
typedef struct handle_t {
    struct handle_t *next;
    kind_t kind;
    /** Being freed: no new call may name it. */
    bool closing;
    /** Calls that name it and are not final. */
    size_t pins;
} handle_t;

void library_lock(void);
void library_unlock(void);
/** Sleeps until @ref library_announce, without the lock while asleep. Also wakes up for other
 *  handles' changes. */
void library_wait(void);
void library_announce(void);
/** Sleeps on a condition of the caller's own, which belongs to the library's lock. */
void library_sleep(condition_t *condition);

/** Makes the handle known. The lock is held. */
void handle_link(handle_t *handle, kind_t kind);
/** Whether @p pointer is a live handle of that kind, not being freed. Compares addresses, never
 *  reads one. */
bool handle_alive(void const *pointer, kind_t kind);
/** The first live handle of a kind after @p handle, or the first of all after `NULL`. The lock is
 *  held. */
handle_t *handle_next(handle_t *handle, kind_t kind);
/**
 *  Forgets a handle once every call that names it is final, running those that are only held.
 *  False, and nothing is done, for `NULL`, a stale or a foreign pointer. The lock is held, but not
 *  all along.
 */
bool handle_close(void *pointer, kind_t kind);
