/** Numbers of streams, and the log of their work. */
#include "stream.h"

enum { log_most_k = 1024 };

static uint32_t opened;
static int64_t logged;
static uform_test_stream_work_t entries[log_most_k];

uint32_t streams_open(uint32_t count) {
    uint32_t const first = opened + 1;
    opened += count;
    return first;
}

void stream_work(uint32_t stream, uform_test_work_t work, int32_t device, void const *address) {
    entries[logged++ % log_most_k] = (uform_test_stream_work_t){work, device, stream, address};
}

bool stream_logged(int64_t index, uform_test_stream_work_t *entry) {
    if (index < 0 || index >= logged || index < logged - log_most_k) return false;
    *entry = entries[index % log_most_k];
    return true;
}

int64_t streams_logged(void) { return logged; }
