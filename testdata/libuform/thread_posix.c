/** Threads over POSIX. */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L // `pthread_sigmask`
#endif

#include "thread.h"

#if !defined(_WIN32)

#include <sched.h>  // `sched_yield`
#include <signal.h> // `pthread_sigmask`
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

bool thread_start(thread_t *thread) {
    // The host's handlers are for the host's threads: ours inherit a mask that lets nothing but
    // their own faults in.
    static int const faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i != sizeof(faults) / sizeof(faults[0]); ++i) sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    bool const started = pthread_create(&thread->native, NULL, thread_entry, thread) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void thread_join(thread_t *thread) { pthread_join(thread->native, NULL); }
void thread_yield(void) { sched_yield(); }

#endif // !_WIN32
