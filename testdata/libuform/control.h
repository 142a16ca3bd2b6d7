/** Faults on demand, for tests of whoever calls this library. Not part of the interface in
 *  uform.h. */
#ifndef UFORM_CONTROL_H
#define UFORM_CONTROL_H

#include "../../abi/uform.h"

#ifdef __cplusplus
extern "C" {
#endif

/** For `device_copy`: where to read on the device, and where to put it on the host. */
typedef struct uform_test_copy_t {
    void const *device;
    void *host;
    size_t bytes;
} uform_test_copy_t;

/** What is done to the memory of an arena on a device. */
typedef enum uform_test_work_t { uform_test_grow_k, uform_test_fill_k, uform_test_free_k } uform_test_work_t;

/** For `stream_work`: what was done, on which device and stream, and where. */
typedef struct uform_test_stream_work_t {
    uform_test_work_t work;
    int32_t device;
    uint32_t stream;
    void const *address;
} uform_test_stream_work_t;

/**
 *  @brief Plants a fault or reads a counter.
 *  @return The counter, zero for a fault that was planted, or -1 for what is unknown or refused.
 *
 *  | name                | value             | pointer             | effect                                           |
 *  |---------------------|-------------------|---------------------|--------------------------------------------------|
 *  | `reset`             |                   |                     | plants no fault any more, releases what is held  |
 *  | `fail_allocation`   | n, 0 for none     |                     | the n-th allocation from now fails               |
 *  | `allocations`       |                   |                     | allocations so far, mappings and threads too     |
 *  | `live_allocations`  |                   |                     | those not given back                             |
 *  | `live_workers`      |                   |                     | threads of all executors                         |
 *  | `worker_looks`      |                   | executor            | how often its idle threads looked for work       |
 *  | `worker_sleeps`     |                   | executor            | how often they went to sleep                     |
 *  | `arena_allocations` |                   | arena               | how often it took memory                         |
 *  | `arena_bytes`       |                   | arena               | memory it has                                    |
 *  | `hold_executor`     | 1 to hold, else 0 | executor or NULL    | calls on it stop inside; NULL: every call does   |
 *  | `is_holding`        |                   | executor or NULL    | 1 while a call on it is stopped; NULL: how many  |
 *  | `slow_call_us`      | microseconds      |                     | every call lasts that much longer, reporting     |
 *  | `odd_status`        | status            |                     | the next call does nothing but end with it       |
 *  | `write_nothing`     | calls             |                     | the next calls return without writing anything   |
 *  | `version_major`     | version, 0: own   |                     | what @ref uform_version_major reports            |
 *  | `layout_lie`        | bytes too many    | name, NULL: no more | what @ref uform_layout_of reports of that name   |
 *  | `first_stream`      |                   | executor            | number of its first stream, zero on the host     |
 *  | `stream_works`      |                   |                     | entries in the log of all streams                |
 *  | `stream_work`       | entry, from 0     | …_stream_work_t     | copies an entry; the last 1024 are kept          |
 *  | `device_copy`       |                   | uform_test_copy_t   | copies device memory out                         |
 */
UFORM_API int64_t uform_test_control(char const *name, int64_t value, void *pointer);

#ifdef __cplusplus
} // extern "C"
#endif

typedef struct call_t call_t;
struct fault_t;

/** Whether this call must return without writing anything. Every verb checks this first. */
bool control_silences(void);
/** Whether this call must end at once with a planted status, which is stored in @p fault. */
bool control_odd(struct fault_t *fault);
/** Blocks inside of the call while a test holds its executor. */
void control_pause(call_t *call);
/** Makes the call last as long as a test asked for, and reports progress meanwhile. */
void control_linger(call_t *call);
/** The version to report, zero for the real one. */
int control_version(void);
/** Bytes to add to the real size of a name. */
size_t control_lie(char const *name);

#endif // UFORM_CONTROL_H
