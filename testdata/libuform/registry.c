/** The lock and the list of live handles. */
#include "registry.h"

#include "call.h"

static mutex_t lock = MUTEX_INITIAL;
static condition_t news = CONDITION_INITIAL;
static handle_t *handles;

void library_lock(void) { mutex_lock(&lock); }
void library_unlock(void) { mutex_unlock(&lock); }
void library_wait(void) { condition_wait(&news, &lock); }
void library_announce(void) { condition_broadcast(&news); }
void library_sleep(condition_t *condition) { condition_wait(condition, &lock); }

void handle_link(handle_t *handle, kind_t kind) {
    handle->kind = kind;
    handle->next = handles;
    handles = handle;
}

static handle_t *handle_find(void const *pointer, kind_t kind) {
    handle_t *handle = handles;
    while (handle && !((void const *)handle == pointer && handle->kind == kind && !handle->closing))
        handle = handle->next;
    return handle;
}

bool handle_alive(void const *pointer, kind_t kind) { return pointer && handle_find(pointer, kind); }

handle_t *handle_next(handle_t *handle, kind_t kind) {
    handle = handle ? handle->next : handles;
    while (handle && handle->kind != kind) handle = handle->next;
    return handle;
}

bool handle_close(void *pointer, kind_t kind) {
    handle_t *handle = pointer ? handle_find(pointer, kind) : NULL;
    if (!handle) return false;
    handle->closing = true; // from here on only calls submitted before can name it
    while (handle->pins)
        if (!call_run_held(handle)) library_wait();
    handle_t **place = &handles;
    while (*place != handle) place = &(*place)->next;
    *place = handle->next;
    return true;
}
