/** What else the library asks of the operating system: pages, files, a pair of mappings, the
 *  clock. */
#pragma once

#include <stdbool.h> // `bool`
#include <stddef.h>  // `size_t`
#include <stdint.h>  // `uint32_t`

#include "../../abi/uform.h"

/** A file's bytes, read in place. */
typedef struct file_t {
    unsigned char const *bytes;
    size_t size;
    /** Where the mapping begins, `NULL` for an empty file. */
    void *mapping;
} file_t;

/** Two addresses of the same memory: no one may access it through `hidden`, the library uses
 *  `own`. */
typedef struct twin_t {
    unsigned char *hidden, *own;
    size_t bytes;
} twin_t;

size_t system_page_bytes(void);
uint32_t system_cores(void);
void system_sleep(uint32_t microseconds);

/** Zeroed pages of their own, `NULL` where there are no more. */
void *system_pages_map(size_t bytes);
void system_pages_unmap(void *pages, size_t bytes);

/** Opens a regular file for reading; a status of unsupported for a folder, io for anything else,
 *  out_of_memory where it does not fit. */
uform_status_t system_file_map(char const *path, file_t *file);
void system_file_unmap(file_t *file);

/** Whether a new file may take a path: nothing is there, or a regular file. A rename would put it
 *  in the place of a device. */
bool system_file_replaceable(char const *path);

/**
 *  Makes a path hold other bytes, so that whatever happens it holds all of what it held before, or
 *  all of the new: they are written beside, brought to the disk, and renamed.
 */
uform_status_t system_file_replace(char const *path, unsigned char const *bytes, size_t size);

bool system_twin_map(size_t bytes, twin_t *twin);
void system_twin_unmap(twin_t *twin);
