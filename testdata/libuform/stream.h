/**
 *  @brief The streams of simulated GPUs: what was done to the memory of arenas, and on which
 *  stream.
 *
 *  Nothing computes on a device here, so a stream is a number and its work is a log, for tests. The
 *  library's lock is held around every function here.
 */
#pragma once

#include <stdint.h> // `uint32_t`

#include "control.h"

/** Numbers of new streams, the first of @p count that follow each other. None is zero. */
uint32_t streams_open(uint32_t count);
/** Logs work on a stream. */
void stream_work(uint32_t stream, uform_test_work_t work, int32_t device, void const *address);
/** Reads an entry of the log; false for one that is not there yet, or not any more. */
bool stream_logged(int64_t index, uform_test_stream_work_t *entry);
/** Entries so far. */
int64_t streams_logged(void);
