/**
 *  @brief Threads over POSIX.
 *  @file thread_posix.c
 */
#include "thread.h"

#if !defined(_WIN32)

#include <sched.h>  // `sched_yield`
#include <stddef.h> // `NULL`

void mutex_init(mutex_t *mutex) { pthread_mutex_init(mutex, NULL); }
void mutex_destroy(mutex_t *mutex) { pthread_mutex_destroy(mutex); }
void mutex_lock(mutex_t *mutex) { pthread_mutex_lock(mutex); }
void mutex_unlock(mutex_t *mutex) { pthread_mutex_unlock(mutex); }

void condition_init(condition_t *condition) { pthread_cond_init(condition, NULL); }
void condition_destroy(condition_t *condition) { pthread_cond_destroy(condition); }
void condition_wait(condition_t *condition, mutex_t *mutex) { pthread_cond_wait(condition, mutex); }
void condition_broadcast(condition_t *condition) { pthread_cond_broadcast(condition); }

static void *thread_entry(void *state) {
    thread_t *thread = state;
    thread->body(thread->state);
    return NULL;
}

bool thread_start(thread_t *thread) { return pthread_create(&thread->native, NULL, thread_entry, thread) == 0; }
void thread_join(thread_t *thread) { pthread_join(thread->native, NULL); }
void thread_yield(void) { sched_yield(); }

#endif // !_WIN32
