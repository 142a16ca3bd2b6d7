/** Headers of MPEG audio frames. */
#pragma once

#include <stdbool.h> // `bool`
#include <stddef.h>  // `size_t`
#include <stdint.h>  // `uint64_t`

/** A frame. */
typedef struct mp3_t {
    unsigned layer;
    /** Another version than 1, which has half as many samples; one channel. */
    bool low, mono;
    /** Of layer 3: all of its bytes, zero in free format, which has no table. */
    size_t bytes;
} mp3_t;

/** Reads the head of a frame; false where there is none. */
bool mp3_read(unsigned char const *bytes, size_t size, mp3_t *frame);
/** Whether the last of the frames that follow each other ends where it should; tags may come
 *  after. */
bool mp3_whole(unsigned char const *bytes, size_t size);
/** What an information frame says of samples that are sound: how many, zero for any, and how many
 *  come before. */
uint64_t mp3_promise(unsigned char const *bytes, size_t size, mp3_t const *first, size_t *lead);
