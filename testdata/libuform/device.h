/**
 *  @brief Two simulated GPUs, whose memory the host can hold the address of and cannot read.
 *
 *  A device is one block of shared memory mapped twice. Callers get addresses inside of the mapping
 *  that no one may touch, so a host read of an output ends the process at once; the library works
 *  through the other mapping. It exists while an executor over it does. The library's lock is held
 *  around every function here.
 */
#pragma once

#include <stdbool.h> // `bool`
#include <stddef.h>  // `size_t`
#include <stdint.h>  // `int32_t`

enum { devices_count_k = 2 };

/** Maps the device for one more executor; false where the system has no memory for it. */
bool device_open(int32_t device);
void device_close(int32_t device);

/** Device memory, on a stream: the address to hand out, or `NULL`, and where the library itself
 *  reaches it. */
void *device_take(int32_t device, uint32_t stream, size_t bytes, unsigned char **own);
/** Gives back on a stream what @ref device_take handed out; `NULL` is safe. */
void device_give(int32_t device, uint32_t stream, void *hidden);

/** Weights only count as residing there: they are read from host memory, as nothing here computes
 *  on a device. */
bool device_charge(int32_t device, size_t bytes);
void device_discharge(int32_t device, size_t bytes);

/** Whether a range meets the memory of any open device. */
bool device_holds(void const *address, size_t bytes);
/** Copies device memory out, as a test may and a binding cannot; false where the range is not of
 *  one open device. */
bool device_copy_out(void const *hidden, void *host, size_t bytes);
