/** Threads, mutexes and conditions, as little of them as the library needs, over POSIX threads or
 *  Win32. */
#pragma once

#include <stdbool.h> // `bool`

#if defined(_WIN32)
/** One pointer each, as Windows documents SRWLOCK and CONDITION_VARIABLE; thread_win32.c asserts
 *  it. */
typedef struct mutex_t {
    void *word;
} mutex_t;
typedef struct condition_t {
    void *word;
} condition_t;
typedef void *native_thread_t;
#define MUTEX_INITIAL {0}
#define CONDITION_INITIAL {0}
#else
#include <pthread.h>
typedef pthread_mutex_t mutex_t;
typedef pthread_cond_t condition_t;
typedef pthread_t native_thread_t;
#define MUTEX_INITIAL PTHREAD_MUTEX_INITIALIZER
#define CONDITION_INITIAL PTHREAD_COND_INITIALIZER
#endif

/** A thread and what it runs. It must stay where it is from its start to its join, as the new
 *  thread reads it. */
typedef struct thread_t {
    native_thread_t native;
    void (*body)(void *state);
    void *state;
} thread_t;

void mutex_init(mutex_t *mutex);
void mutex_destroy(mutex_t *mutex);
void mutex_lock(mutex_t *mutex);
void mutex_unlock(mutex_t *mutex);

void condition_init(condition_t *condition);
void condition_destroy(condition_t *condition);
/** Releases the mutex while it sleeps. Wake-ups may be spurious, so callers loop. */
void condition_wait(condition_t *condition, mutex_t *mutex);
void condition_broadcast(condition_t *condition);

/** Runs `body(state)` of the thread, which the caller has filled in; false where the system has no
 *  more threads. */
bool thread_start(thread_t *thread);
void thread_join(thread_t *thread);
/** Yields the core: a spinning executor does so between two checks. */
void thread_yield(void);
