/** MP4 and WebM: whether all of a file is there, and which of its frames count. Section 10 of the
 *  checkpoint page. */
#include "files.h"

#ifdef UFORM_FFMPEG
#include <stdlib.h> // `qsort`
#include <string.h> // `memcmp`

#include "color.h"

static fault_t ends_early(char const *format) {
    return fault_format(uform_status_malformed_k, "the %s ends early: the file is cut off", format);
}

static uint64_t big(unsigned char const *bytes, unsigned count) {
    uint64_t value = 0;
    while (count--) value = value << 8 | *bytes++;
    return value;
}

/* -------------------- MP4 --------------------------------------------------------------------- */

/** Adds up what an index says of the fragments after it, which must all be there. */
static fault_t index_check(unsigned char const *body, size_t size, size_t left) {
    if (size < 24) return ends_early("MP4");
    size_t at = body[0] ? 28 : 20;
    uint64_t end = body[0] ? big(body + 20, 8) : big(body + 16, 4);
    if (size < at + 4) return ends_early("MP4");
    unsigned const count = (unsigned)big(body + at + 2, 2);
    at += 4;
    for (unsigned i = 0; i != count && size - at >= 12; ++i, at += 12) end += big(body + at, 4) & 0x7FFFFFFF;
    return end > left ? ends_early("MP4") : fault_none();
}

static fault_t mp4_walk(unsigned char const *bytes, size_t size) {
    for (size_t at = 0; at != size;) {
        if (size - at < 8) return ends_early("MP4");
        uint64_t length = big(bytes + at, 4), head = 8;
        if (length == 1) {
            if (size - at < 16) return ends_early("MP4");
            length = big(bytes + at + 8, 8), head = 16;
        }
        if (length == 0) length = size - at; // the rest of the file
        if (length < head) return fault_make(uform_status_malformed_k, "the MP4 has a box shorter than its own head");
        if (length > size - at) return ends_early("MP4");
        unsigned char const *name = bytes + at + 4, *body = bytes + at + head;
        at += (size_t)length;
        if (memcmp(name, "sidx", 4) != 0) continue;
        fault_t const fault = index_check(body, (size_t)(length - head), size - at);
        if (fault.status) return fault;
    }
    return fault_none();
}

/* -------------------- WebM -------------------------------------------------------------------- */

/** The head of an element: its identifier with the marker, its size, and bytes of both; none where
 *  it is cut off. */
typedef struct element_t {
    uint64_t id, size;
    bool unsized;
    size_t head;
} element_t;

static element_t element_read(unsigned char const *bytes, size_t left) {
    element_t element = {0};
    unsigned id = 1, width = 1;
    while (left && id <= 4 && !(bytes[0] >> (8 - id) & 1)) ++id;
    if (!left || id > 4 || left < id + 1) return element;
    while (width <= 8 && !(bytes[id] >> (8 - width) & 1)) ++width;
    if (width > 8 || left < id + width) return element;
    element.id = big(bytes, id);
    element.size = big(bytes + id, width) & ((UINT64_C(1) << 7 * width) - 1);
    element.unsized = element.size == (UINT64_C(1) << 7 * width) - 1;
    element.head = id + width;
    return element;
}

/** Elements of the file, its segment and its clusters, as if they stood in one row: so none needs
 *  to know its parent. */
static fault_t webm_walk(unsigned char const *bytes, size_t size) {
    enum { segment_k = 0x18538067, cluster_k = 0x1F43B675 };
    bool inside = false;
    for (size_t at = 0, end = size; at != end;) {
        element_t const element = element_read(bytes + at, end - at);
        if (!element.head) return ends_early("WebM");
        if (element.id == segment_k && inside) break; // another file after this one
        bool const transparent = element.id == segment_k || element.id == cluster_k;
        if (element.unsized && !transparent)
            return fault_make(uform_status_malformed_k, "the WebM has an element of unknown size that must have one");
        if (!element.unsized && element.size > end - at - element.head) return ends_early("WebM");
        at += element.head;
        if (!transparent) at += (size_t)element.size;
        else if (element.id == segment_k) {
            inside = true;
            if (!element.unsized) end = at + (size_t)element.size;
        }
    }
    return fault_none();
}

/* -------------------- Timeline ---------------------------------------------------------------- */

/** When a frame is seen, in units of the track, and its place in the order that the decoder
 *  gives. */
typedef struct shown_t {
    int64_t start;
    size_t place;
} shown_t;

/** A growing list of them, in memory of the library's. */
typedef struct timeline_t {
    shown_t *frames;
    size_t count, capacity;
    /** How long the last one is seen, less than zero where no one says. */
    int64_t last;
} timeline_t;

static fault_t timeline_add(timeline_t *timeline, shown_t frame) {
    if (timeline->count == frames_most_k)
        return fault_make(uform_status_malformed_k, "the clip has more than 262,144 frames: cut it into shorter ones");
    if (timeline->count == timeline->capacity) {
        size_t const capacity = timeline->capacity ? timeline->capacity * 2 : 64;
        shown_t *frames = memory_take(capacity * sizeof(shown_t));
        if (!frames) return fault_memory("the frames of a clip");
        if (timeline->count) memcpy(frames, timeline->frames, timeline->count * sizeof(shown_t));
        memory_give(timeline->frames);
        timeline->frames = frames, timeline->capacity = capacity;
    }
    timeline->frames[timeline->count++] = frame;
    return fault_none();
}

static int compare_shown(void const *left, void const *right) {
    shown_t const *a = left, *b = right;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/** Reports now and then while frames go by, and reports whether the call goes on. */
static bool going(call_t *call, size_t frames) {
    return frames % 16 == 0 ? call_advance(call, 0) : !atomic_load(&call->stopped);
}

/** Decodes all of a clip, to learn when its frames are seen. */
static fault_t timeline_read(timeline_t *timeline, decoder_t *decoder, call_t *call) {
    bool more = true;
    while (going(call, timeline->count)) {
        fault_t fault = decoder_next(decoder, &more);
        if (!fault.status && more)
            fault = timeline_add(timeline, (shown_t){frame_start(decoder), timeline->count});
        if (fault.status) return fault;
        if (!more) break;
    }
    if (more) return fault_none(); // stopped
    if (!timeline->count) return fault_make(uform_status_malformed_k, "the clip has no frame in its video track");
    if (decoder_packets(decoder) < decoder_packets_promised(decoder)) return ends_early("clip");
    timeline->last = decoder_last_duration(decoder);
    qsort(timeline->frames, timeline->count, sizeof(shown_t), compare_shown);
    return fault_none();
}

/** Places, in the decoder's order, of the frames that are shown at the middles of `count` equal
 *  parts. */
static fault_t timeline_pick(timeline_t const *timeline, uint32_t count, size_t *places) {
    shown_t const *frames = timeline->frames, *last = &frames[timeline->count - 1];
    int64_t const begin = frames[0].start, farthest = INT64_C(1) << 50;
    if (begin < -farthest || last->start > farthest || timeline->last > farthest)
        return fault_make(uform_status_malformed_k, "the clip has times that no clip has");
    int64_t length = last->start - begin;
    if (timeline->last >= 0) length += timeline->last;
    else if (timeline->count > 1) length += last->start - last[-1].start;
    for (size_t j = 0, i = 0; j != count; ++j) {
        while (i + 1 != timeline->count && (frames[i + 1].start - begin) * 2 * count <= (int64_t)(2 * j + 1) * length) ++i;
        places[j] = frames[i].place;
    }
    return fault_none();
}

/* -------------------- Frames ------------------------------------------------------------------ */

/** A file that is known to be whole, and the demuxer for it. */
typedef struct clip_t {
    unsigned char const *bytes;
    size_t size;
    char const *demuxer;
} clip_t;

static fault_t frame_patches(decoder_t const *decoder, image_config_t const *config, float *patches) {
    static unsigned const orientations[] = {1, 6, 3, 8};
    jpeg_colors_t const none = {0};
    picture_t picture = {0};
    fault_t fault = color_picture(decoder, &none, config->background, &picture);
    if (!fault.status) fault = picture_orient(&picture, orientations[decoder_turns(decoder)]);
    if (!fault.status) fault = picture_patches(&picture, config, patches);
    picture_drop(&picture);
    return fault;
}

/** Decodes the clip once more, as far as it is needed. One frame may be taken several times. */
static fault_t frames_take(clip_t const *clip, size_t const *places, uint32_t count, image_config_t const *config,
                           float *patches, call_t *call) {
    size_t const scalars = (size_t)config->side * config->side * 3;
    size_t last = 0;
    for (uint32_t j = 0; j != count; ++j) last = places[j] > last ? places[j] : last;
    decoder_t *decoder;
    fault_t fault = decoder_open(clip->demuxer, true, clip->bytes, clip->size, &decoder);
    for (size_t place = 0; place <= last && !fault.status && going(call, place); ++place) {
        bool more = true;
        fault = decoder_next(decoder, &more);
        float const *made = NULL;
        for (uint32_t j = 0; j != count && !fault.status && more; ++j) {
            if (places[j] != place) continue;
            float *out = patches + j * scalars;
            if (made) memcpy(out, made, scalars * sizeof(float));
            else fault = frame_patches(decoder, config, out);
            made = out;
        }
    }
    decoder_close(decoder);
    return fault;
}

fault_t video_patches(unsigned char const *bytes, size_t size, image_config_t const *config, uint32_t frames,
                      float *patches, call_t *call) {
    bool const mp4 = size >= 8 && memcmp(bytes + 4, "ftyp", 4) == 0;
    if (!mp4 && (size < 4 || memcmp(bytes, "\x1A\x45\xDF\xA3", 4) != 0))
        return fault_make(uform_status_malformed_k, "not a video file: its first bytes are not those of MP4 or WebM");
    clip_t const clip = {bytes, size, mp4 ? "mov" : "matroska"};
    fault_t fault = mp4 ? mp4_walk(bytes, size) : webm_walk(bytes, size);
    if (fault.status) return fault;
    timeline_t timeline = {0};
    size_t *places = memory_take(frames * sizeof(size_t));
    if (!places) return fault_memory("the frames of a clip");
    decoder_t *decoder;
    fault = decoder_open(clip.demuxer, true, bytes, size, &decoder);
    if (!fault.status) fault = timeline_read(&timeline, decoder, call);
    decoder_close(decoder);
    bool const go_on = !fault.status && !atomic_load(&call->stopped);
    if (go_on) fault = timeline_pick(&timeline, frames, places);
    if (go_on && !fault.status) fault = frames_take(&clip, places, frames, config, patches, call);
    memory_give(timeline.frames);
    memory_give(places);
    return fault;
}
#endif // UFORM_FFMPEG
