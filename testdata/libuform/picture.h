/** Pictures: how they are turned, resized and cut into patches, section 9 of the checkpoint
 *  page. */
#pragma once

#include "model.h"

/** Opaque pixels, interleaved 8-bit RGB without gaps. */
typedef struct picture_t {
    size_t width, height;
    /** Read by the picture's user, written by its maker. */
    unsigned char const *rgb;
    /** The same memory where it is the picture's own, else `NULL`. */
    unsigned char *own;
} picture_t;

/** Takes memory for a picture of those sides, not both too large to multiply. */
fault_t picture_make(picture_t *picture, size_t width, size_t height);
/** Safe on a zeroed picture. */
void picture_drop(picture_t *picture);

/** Turns and mirrors in place of the old picture, by an EXIF orientation of 1 to 8. */
fault_t picture_orient(picture_t *picture, unsigned orientation);

/** Resizes to the model's square and writes its patches, `3 * side * side` scalars. */
fault_t picture_patches(picture_t const *picture, image_config_t const *config, float *patches);
