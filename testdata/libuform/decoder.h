/**
 *  @brief The library's use of FFmpeg: to demux a file in memory, and to decode its streams.
 *
 *  A demuxer and decoders are always named. Nothing is opened, no protocol is known, and nothing is
 *  printed. There is none of this in a build without FFmpeg.
 */
#pragma once

#include <stdbool.h> // `bool`
#include <stddef.h>  // `size_t`
#include <stdint.h>  // `int64_t`

#include "outcome.h"

/** A file, a decoder of one of its streams, and the frame that it gave last. */
typedef struct decoder_t decoder_t;

/** How a decoded picture is stored. */
typedef struct pixels_t {
    size_t width, height;
    /** One or two with gray, three or four with colours; the last of two and of four is alpha. */
    unsigned components, depth;
    /** The first three are red, green and blue, else luma and two of chroma. */
    bool rgb;
    /** Pixels that a sample of chroma lies under, on either axis. */
    unsigned across, down;
    /** Whether luma and chroma have the full range of their values, and what red and blue weigh in
     *  luma. */
    bool full;
    double red, blue;
} pixels_t;

/** Decodes one picture, of a codec by FFmpeg's name, that is the whole of some bytes. */
fault_t decoder_open_still(char const *codec, unsigned char const *bytes, size_t size, decoder_t **made);
/** Finds the first track of video, or else of sound, by a demuxer's name; unsupported where no
 *  decoder is allowed. */
fault_t decoder_open(char const *demuxer, bool video, unsigned char const *bytes, size_t size, decoder_t **made);
/** `NULL` is safe. */
void decoder_close(decoder_t *decoder);

/** Decodes the next frame, in the order of presentation; `more` reports whether there was one. */
fault_t decoder_next(decoder_t *decoder, bool *more);

/** Packets that were read, and how many the file says there are, zero where it does not say. */
size_t decoder_packets(decoder_t const *decoder);
size_t decoder_packets_promised(decoder_t const *decoder);

/** Of a clip: quarters that it is turned to the right. */
unsigned decoder_turns(decoder_t const *decoder);
/** Of a frame: when it begins, in units of its track. */
int64_t frame_start(decoder_t const *decoder);
/** Of a clip that was decoded to its end: how long the last frame is shown, less than zero where
 *  the file does not say. */
int64_t decoder_last_duration(decoder_t const *decoder);
/** Of a picture: how it is stored; unsupported if its format is unknown. */
fault_t frame_pixels(decoder_t const *decoder, pixels_t *pixels);
/** Reads samples of row @p y of a component, counted in its own samples. */
void frame_line(decoder_t const *decoder, unsigned component, size_t y, size_t count, uint16_t *line);

/** Of sound: samples of a channel, and how many a second. */
size_t frame_samples(decoder_t const *decoder);
uint32_t frame_rate(decoder_t const *decoder);
/** Writes the means of the channels. */
void frame_mix(decoder_t const *decoder, float *samples);
