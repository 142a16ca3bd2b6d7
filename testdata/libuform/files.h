/**
 *  @brief Files of pictures, clips and recordings, told apart by their first bytes.
 *
 *  What a file is made of is read here: its chunks, boxes, pages and elements, whether all of it is
 *  there, and how large it is. FFmpeg decodes what they hold, in memory, by a demuxer and decoders
 *  that are named, never guessed.
 */
#pragma once

#include "picture.h"
#include "sound.h"

enum {
    /** Limits of a file: pixels of a picture, frames of a clip, samples of a recording. */
    pixels_most_k = 1 << 26,
    frames_most_k = 1 << 18,
    samples_most_k = 1 << 27,
};

#ifdef UFORM_FFMPEG
enum { files_served = true };

/** Steps 1 to 3 of section 9. The caller drops the picture, also after a fault. */
fault_t image_decode(unsigned char const *bytes, size_t size, unsigned char const *background, picture_t *picture);
/** Section 10: the patches of `frames` frames. The call may be stopped, which is no fault, here and
 *  below. */
fault_t video_patches(unsigned char const *bytes, size_t size, image_config_t const *config, uint32_t frames,
                      float *patches, call_t *call);
/** Steps 1 and 2 of section 11. @p samples is the memory of the samples, which the caller gives
 *  back in any case. */
fault_t audio_decode(unsigned char const *bytes, size_t size, sound_t *sound, float **samples, call_t *call);
#else
enum { files_served = false };

static inline fault_t files_refuse(void) {
    return fault_make(uform_status_unsupported_k, "the library was built without FFmpeg");
}
static inline fault_t image_decode(unsigned char const *bytes, size_t size, unsigned char const *background,
                                   picture_t *picture) {
    (void)bytes, (void)size, (void)background, (void)picture;
    return files_refuse();
}
static inline fault_t video_patches(unsigned char const *bytes, size_t size, image_config_t const *config,
                                    uint32_t frames, float *patches, call_t *call) {
    (void)bytes, (void)size, (void)config, (void)frames, (void)patches, (void)call;
    return files_refuse();
}
static inline fault_t audio_decode(unsigned char const *bytes, size_t size, sound_t *sound, float **samples,
                                   call_t *call) {
    (void)bytes, (void)size, (void)sound, (void)samples, (void)call;
    return files_refuse();
}
#endif // UFORM_FFMPEG
