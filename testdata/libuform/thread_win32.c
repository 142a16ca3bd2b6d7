/** Threads over Win32. */
#include "thread.h"

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

_Static_assert(sizeof(mutex_t) == sizeof(SRWLOCK), "A mutex is an SRWLOCK");
_Static_assert(sizeof(condition_t) == sizeof(CONDITION_VARIABLE), "A condition is a CONDITION_VARIABLE");

void mutex_init(mutex_t *mutex) { InitializeSRWLock((SRWLOCK *)mutex); }
void mutex_destroy(mutex_t *mutex) { (void)mutex; }
void mutex_lock(mutex_t *mutex) { AcquireSRWLockExclusive((SRWLOCK *)mutex); }
void mutex_unlock(mutex_t *mutex) { ReleaseSRWLockExclusive((SRWLOCK *)mutex); }

void condition_init(condition_t *condition) { InitializeConditionVariable((CONDITION_VARIABLE *)condition); }
void condition_destroy(condition_t *condition) { (void)condition; }
void condition_wait(condition_t *condition, mutex_t *mutex) {
    SleepConditionVariableSRW((CONDITION_VARIABLE *)condition, (SRWLOCK *)mutex, INFINITE, 0);
}
void condition_broadcast(condition_t *condition) { WakeAllConditionVariable((CONDITION_VARIABLE *)condition); }

static DWORD WINAPI thread_entry(LPVOID state) {
    thread_t *thread = state;
    thread->body(thread->state);
    return 0;
}

bool thread_start(thread_t *thread) {
    thread->native = CreateThread(NULL, 0, thread_entry, thread, 0, NULL);
    return thread->native != NULL;
}

void thread_join(thread_t *thread) {
    WaitForSingleObject(thread->native, INFINITE);
    CloseHandle(thread->native);
}

void thread_yield(void) { SwitchToThread(); }

#endif // _WIN32
