/** From stored samples to opaque red, green and blue. */
#pragma once

#include "decoder.h"
#include "picture.h"

/** Properties of a JPEG that its decoder does not report. Zeroes for every other file. */
typedef struct jpeg_colors_t {
    bool jpeg;
    /** Components are red, green and blue as they are stored, whatever the decoder takes them
     *  for. */
    bool rgb;
    /** Four inks: whether Adobe wrote them, which stores them inverted, and whether the first three
     *  are luma and chroma. */
    bool inks, adobe, transformed;
    /** Pixels under a sample of each component, zero where the decoder's format tells; it may have
     *  repeated the sample. */
    unsigned across[4], down[4];
} jpeg_colors_t;

/** Makes a picture of the decoder's frame, laid over a background where it is transparent. */
fault_t color_picture(decoder_t const *decoder, jpeg_colors_t const *jpeg, unsigned char const *background,
                      picture_t *picture);
