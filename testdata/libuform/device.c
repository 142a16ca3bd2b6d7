/** Simulated GPUs and their memory. */
#include "device.h"

#include <string.h> // `memcpy`

#include "control.h"
#include "memory.h"
#include "outcome.h"
#include "registry.h"
#include "stream.h"
#include "system.h"

/** A piece of device memory in use, in a list by offset. */
typedef struct block_t {
    struct block_t *next;
    size_t offset, bytes;
} block_t;

typedef struct device_t {
    char const *name;
    /** The ordinal of the vendor's runtime. Here the order is reversed, so that a mix-up is
     *  found. */
    int32_t vendor_ordinal;
    size_t bytes;
    size_t weights_bytes;
    unsigned executors;
    twin_t twin;
    block_t *blocks;
} device_t;

enum { mebibyte_k = 1024 * 1024 };

static device_t devices[devices_count_k] = {
    {.name = "Simulated GPU 0", .vendor_ordinal = 1, .bytes = (size_t)128 * mebibyte_k},
    {.name = "Simulated GPU 1", .vendor_ordinal = 0, .bytes = (size_t)64 * mebibyte_k},
};

static size_t device_free_bytes(device_t const *device) {
    size_t used = device->weights_bytes;
    for (block_t const *block = device->blocks; block; block = block->next) used += block->bytes;
    return device->bytes - used;
}

bool device_open(int32_t index) {
    device_t *device = &devices[index];
    if (!device->executors) {
        if (!memory_admit()) return false;
        if (!system_twin_map(device->bytes, &device->twin)) {
            memory_dismiss();
            return false;
        }
    }
    ++device->executors;
    return true;
}

void device_close(int32_t index) {
    device_t *device = &devices[index];
    if (--device->executors) return;
    system_twin_unmap(&device->twin);
    memory_dismiss();
}

void *device_take(int32_t index, uint32_t stream, size_t bytes, unsigned char **own) {
    device_t *device = &devices[index];
    if (!bytes || bytes > device_free_bytes(device)) return NULL;
    size_t offset = 0; // first fit
    block_t **place = &device->blocks;
    while (*place && (*place)->offset - offset < bytes) {
        offset = (*place)->offset + (*place)->bytes;
        place = &(*place)->next;
    }
    if (device->bytes - offset < bytes) return NULL;
    block_t *block = memory_take(sizeof(block_t));
    if (!block) return NULL;
    *block = (block_t){*place, offset, bytes};
    *place = block;
    *own = device->twin.own + offset;
    stream_work(stream, uform_test_grow_k, index, device->twin.hidden + offset);
    return device->twin.hidden + offset;
}

void device_give(int32_t index, uint32_t stream, void *hidden) {
    device_t *device = &devices[index];
    if (!hidden) return;
    block_t **place = &device->blocks;
    while (*place && device->twin.hidden + (*place)->offset != (unsigned char *)hidden) place = &(*place)->next;
    block_t *block = *place;
    if (!block) return;
    *place = block->next;
    memory_give(block);
    stream_work(stream, uform_test_free_k, index, hidden);
}

bool device_charge(int32_t index, size_t bytes) {
    if (bytes > device_free_bytes(&devices[index])) return false;
    devices[index].weights_bytes += bytes;
    return true;
}

void device_discharge(int32_t index, size_t bytes) { devices[index].weights_bytes -= bytes; }

static bool device_meets(device_t const *device, void const *address, size_t bytes) {
    uintptr_t const first = (uintptr_t)device->twin.hidden, begin = (uintptr_t)address;
    return device->executors && begin < first + device->bytes && first < begin + bytes;
}

bool device_holds(void const *address, size_t bytes) {
    for (int32_t i = 0; i != devices_count_k; ++i)
        if (device_meets(&devices[i], address, bytes)) return true;
    return false;
}

bool device_copy_out(void const *hidden, void *host, size_t bytes) {
    for (int32_t i = 0; i != devices_count_k; ++i) {
        device_t const *device = &devices[i];
        if (!device_meets(device, hidden, bytes)) continue;
        uintptr_t const first = (uintptr_t)device->twin.hidden, begin = (uintptr_t)hidden;
        if (begin < first || bytes > device->bytes - (begin - first)) return false;
        memcpy(host, device->twin.own + (begin - first), bytes);
        return true;
    }
    return false;
}

void uform_gpu_devices(uform_gpu_devices_t *arguments) {
    if (!arguments || control_silences()) return;
    outcome_open(arguments->outcome);
    if (arguments->count) *arguments->count = 0;
    fault_t fault = fault_none();
    if (control_odd(&fault)) {}
    else if (!arguments->count)
        fault = fault_make(uform_status_invalid_argument_k, "count is NULL: name where the number of GPUs goes");
    else {
        *arguments->count = devices_count_k;
        library_lock();
        for (size_t i = 0; arguments->devices && i != arguments->capacity && i != devices_count_k; ++i) {
            uform_gpu_device_t about = {.device = (int32_t)i, .vendor_ordinal = devices[i].vendor_ordinal};
            about.memory_bytes = devices[i].bytes;
            about.memory_free_bytes = device_free_bytes(&devices[i]);
            strncpy(about.name, devices[i].name, sizeof(about.name) - 1);
            arguments->devices[i] = about;
        }
        library_unlock();
    }
    outcome_close(arguments->outcome, fault);
}
