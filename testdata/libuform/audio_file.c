/** WAV, FLAC, Ogg and MP3: whether all of a file is there, and its samples. Steps 1 and 2 of
 *  section 11. */
#include "files.h"

#ifdef UFORM_FFMPEG
#include <string.h> // `memcmp`, `memcpy`

#include "checksum.h"
#include "decoder.h"
#include "mp3.h"
#include "wav.h"

static fault_t ends_early(char const *format) {
    return fault_format(uform_status_malformed_k, "the %s ends early: record or copy it again", format);
}

static uint64_t big(unsigned char const *bytes, unsigned count) {
    uint64_t value = 0;
    while (count--) value = value << 8 | *bytes++;
    return value;
}
static uint64_t little(unsigned char const *bytes, unsigned count) {
    uint64_t value = 0;
    while (count--) value = value << 8 | bytes[count];
    return value;
}

/* -------------------- Samples ----------------------------------------------------------------- */

/** Samples so far, in memory that only grows. */
typedef struct mix_t {
    float *samples;
    size_t count, capacity;
    uint32_t rate;
} mix_t;

static fault_t mix_reserve(mix_t *mix, size_t more) {
    if (more > samples_most_k - mix->count)
        return fault_make(uform_status_unsupported_k, "the recording has more than 134,217,728 samples: cut it");
    if (mix->count + more <= mix->capacity) return fault_none();
    size_t const capacity = (mix->count + more) * 2;
    float *samples = memory_take(capacity * sizeof(float));
    if (!samples) return fault_memory("the samples of a recording");
    if (mix->count) memcpy(samples, mix->samples, mix->count * sizeof(float));
    memory_give(mix->samples);
    mix->samples = samples, mix->capacity = capacity;
    return fault_none();
}

/** Appends the next samples, each of which must be valid. */
static fault_t mix_check(mix_t *mix, size_t count) {
    for (size_t const end = mix->count + count; mix->count != end; ++mix->count)
        if (!sample_usable(mix->samples[mix->count]))
            return fault_make(uform_status_malformed_k, "a sample is NaN, or beyond 2^32");
    return fault_none();
}

/** Appends the decoded samples of a part of a file. */
static fault_t mix_add(mix_t *mix, char const *demuxer, unsigned char const *bytes, size_t size, call_t *call) {
    decoder_t *decoder;
    fault_t fault = decoder_open(demuxer, false, bytes, size, &decoder);
    bool more = true;
    for (size_t frames = 0; !fault.status; ++frames) {
        if (frames % 256 == 255 && !call_advance(call, 0)) break;
        fault = decoder_next(decoder, &more);
        if (fault.status || !more) break;
        uint32_t const rate = frame_rate(decoder);
        if (!rate || (mix->rate && rate != mix->rate))
            fault = fault_make(uform_status_unsupported_k, "the sampling rate changes: split the file");
        mix->rate = rate;
        if (!fault.status) fault = mix_reserve(mix, frame_samples(decoder));
        if (fault.status) break;
        frame_mix(decoder, mix->samples + mix->count);
        fault = mix_check(mix, frame_samples(decoder));
    }
    decoder_close(decoder);
    return fault;
}

/** Removes what an encoder added to the part that begins at @p from: `lead` in front, and all after
 *  `most`. */
static void mix_trim(mix_t *mix, size_t from, size_t lead, uint64_t most) {
    size_t count = mix->count - from;
    lead = lead < count ? lead : count;
    count -= lead;
    if (count > most) count = (size_t)most;
    if (count) memmove(mix->samples + from, mix->samples + from + lead, count * sizeof(float));
    mix->count = from + count;
}

/* -------------------- WAV --------------------------------------------------------------------- */

static fault_t wav_decode(unsigned char const *bytes, size_t size, mix_t *mix, call_t *call) {
    enum { rate_highest_k = (1 << 20) - 1, step_k = 1 << 16 };
    wav_t wav = {0};
    fault_t fault = wav_read(bytes, size, &wav);
    if (!fault.status && !wav.rate) fault = fault_make(uform_status_malformed_k, "the WAV has no sampling rate");
    if (!fault.status && wav.rate > rate_highest_k)
        fault = fault_make(uform_status_unsupported_k, "the WAV has a sampling rate above 1,048,575 Hz");
    if (!fault.status) fault = mix_reserve(mix, wav.frames);
    mix->rate = wav.rate;
    while (!fault.status && mix->count != wav.frames && call_advance(call, 0)) {
        size_t const left = wav.frames - mix->count;
        size_t const from = mix->count, count = left < step_k ? left : step_k;
        wav_mix(&wav, from, count, mix->samples + from);
        fault = mix_check(mix, count);
    }
    return fault;
}

/* -------------------- FLAC -------------------------------------------------------------------- */

static fault_t flac_decode(unsigned char const *bytes, size_t size, mix_t *mix, call_t *call) {
    if (size < 26) return ends_early("FLAC");
    uint64_t const header = big(bytes + 18, 8), promised = header & UINT64_C(0xFFFFFFFFF);
    unsigned const bits = (unsigned)(header >> 36 & 31) + 1;
    fault_t const fault = mix_add(mix, "flac", bytes, size, call);
    if (fault.status || atomic_load(&call->stopped)) return fault;
    if (!mix->count && bits > 24)
        return fault_make(uform_status_unsupported_k, "the FLAC has samples of over 24 bits, which this FFmpeg lacks");
    return mix->count < promised ? ends_early("FLAC") : fault;
}

/* -------------------- MP3 --------------------------------------------------------------------- */

static fault_t mp3_decode(unsigned char const *bytes, size_t size, mix_t *mix, call_t *call) {
    mp3_t first;
    if (!mp3_read(bytes, size, &first)) return fault_make(uform_status_malformed_k, "the MP3 begins with no frame");
    if (first.layer != 3) return fault_make(uform_status_unsupported_k, "the file is MPEG audio of another layer than 3");
    if (!first.bytes) return fault_make(uform_status_unsupported_k, "the MP3 is of free format, which FFmpeg lacks");
    if (!mp3_whole(bytes, size)) return ends_early("MP3");
    fault_t const fault = mix_add(mix, "mp3", bytes, size, call);
    if (fault.status || atomic_load(&call->stopped)) return fault;
    size_t lead;
    uint64_t const promised = mp3_promise(bytes, size, &first, &lead);
    mix_trim(mix, 0, lead, promised ? promised : UINT64_MAX);
    return mix->count < promised ? ends_early("MP3") : fault;
}

/* -------------------- Ogg --------------------------------------------------------------------- */

/** A page at the front of some bytes. */
typedef struct page_t {
    unsigned flags;
    uint64_t granule;
    uint32_t serial, sequence;
    unsigned char const *body;
    size_t bytes, body_bytes;
} page_t;

static fault_t page_read(unsigned char const *bytes, size_t left, page_t *page) {
    static unsigned char const zeroes[4] = {0};
    if (left < 27) return ends_early("Ogg");
    if (memcmp(bytes, "OggS", 5) != 0) return fault_make(uform_status_malformed_k, "the Ogg is damaged: a page is none");
    size_t const head = 27 + (size_t)bytes[26];
    if (left < head) return ends_early("Ogg");
    *page = (page_t){.flags = bytes[5], .granule = little(bytes + 6, 8), .body = bytes + head, .bytes = head};
    page->serial = (uint32_t)little(bytes + 14, 4), page->sequence = (uint32_t)little(bytes + 18, 4);
    for (size_t i = 27; i != head; ++i) page->bytes += bytes[i];
    if (left < page->bytes) return ends_early("Ogg");
    page->body_bytes = page->bytes - head;
    uint32_t const sum = checksum_ogg(checksum_ogg(checksum_ogg(0, bytes, 22), zeroes, 4), bytes + 26, page->bytes - 26);
    return sum == little(bytes + 22, 4) ? fault_none()
                                        : fault_make(uform_status_malformed_k, "the Ogg is damaged: a checksum differs");
}

/** The selected stream of a link: its pages must be consecutive up to one that is marked as the
 *  last. */
typedef struct link_t {
    bool found, ended, opus;
    uint32_t serial, sequence;
    /** Opus: samples before the recording, and where it ends, both at 48 kHz. */
    size_t lead;
    uint64_t end;
    size_t bytes;
} link_t;

static fault_t link_take(link_t *link, page_t const *page) {
    bool const first = page->flags & 2;
    if (first && !link->found) {
        link->opus = page->body_bytes >= 19 && memcmp(page->body, "OpusHead", 8) == 0;
        link->found = link->opus || (page->body_bytes >= 7 && memcmp(page->body, "\x01vorbis", 7) == 0);
        link->serial = page->serial, link->sequence = page->sequence;
        if (link->opus) link->lead = (size_t)little(page->body + 10, 2);
    }
    if (!link->found || page->serial != link->serial) return fault_none();
    if (link->ended || page->sequence != link->sequence)
        return fault_make(uform_status_malformed_k, "the Ogg is damaged: a page is missing, or one too many");
    link->sequence++;
    link->ended = page->flags & 4;
    if (page->granule != UINT64_MAX) link->end = page->granule;
    return fault_none();
}

/** Finds the end of the streams that begin together. */
static fault_t link_walk(unsigned char const *bytes, size_t size, link_t *link) {
    *link = (link_t){0};
    for (bool heads = true; link->bytes != size;) {
        page_t page = {0};
        fault_t fault = page_read(bytes + link->bytes, size - link->bytes, &page);
        if (fault.status) return fault;
        bool const first = page.flags & 2;
        if (!link->bytes && !first)
            return fault_make(uform_status_malformed_k, "the Ogg begins in the middle of a stream");
        if (first && !heads) break;
        heads = first;
        fault = link_take(link, &page);
        if (fault.status) return fault;
        link->bytes += page.bytes;
    }
    if (!link->found)
        return fault_make(uform_status_unsupported_k, "the Ogg holds no stream of Opus or Vorbis");
    return link->ended ? fault_none() : ends_early("Ogg");
}

static fault_t ogg_decode(unsigned char const *bytes, size_t size, mix_t *mix, call_t *call) {
    for (size_t at = 0; at != size && !atomic_load(&call->stopped);) {
        link_t link;
        size_t const from = mix->count;
        fault_t fault = link_walk(bytes + at, size - at, &link);
        if (!fault.status) fault = mix_add(mix, "ogg", bytes + at, link.bytes, call);
        if (fault.status) return fault;
        mix_trim(mix, from, link.lead, link.end > link.lead ? link.end - link.lead : 0);
        at += link.bytes;
    }
    return fault_none();
}

/* -------------------- Any --------------------------------------------------------------------- */

/** Bytes of the ID3v2 tags at the start, the whole file if a tag is longer. */
static size_t tags_length(unsigned char const *bytes, size_t size) {
    size_t at = 0;
    while (size - at >= 10 && memcmp(bytes + at, "ID3", 3) == 0 && bytes[at + 3] != 0xFF && bytes[at + 4] != 0xFF) {
        unsigned char const *tag = bytes + at;
        if ((tag[6] | tag[7] | tag[8] | tag[9]) & 0x80) break;
        size_t const body = (size_t)tag[6] << 21 | (size_t)tag[7] << 14 | (size_t)tag[8] << 7 | tag[9];
        size_t const length = 10 + body + (tag[5] & 0x10 ? 10 : 0);
        if (length >= size - at) return size;
        at += length;
    }
    return at;
}

static fault_t decode_any(unsigned char const *bytes, size_t size, mix_t *mix, call_t *call) {
    size_t const tags = tags_length(bytes, size);
    bytes += tags, size -= tags;
    mp3_t first;
    if (size >= 12 && memcmp(bytes + 8, "WAVE", 4) == 0 &&
        (memcmp(bytes, "RIFF", 4) == 0 || memcmp(bytes, "RF64", 4) == 0))
        return wav_decode(bytes, size, mix, call);
    if (size >= 4 && memcmp(bytes, "fLaC", 4) == 0) return flac_decode(bytes, size, mix, call);
    if (size >= 4 && memcmp(bytes, "OggS", 4) == 0) return ogg_decode(bytes, size, mix, call);
    if (tags && !size) return ends_early("file");
    if (tags || mp3_read(bytes, size, &first)) return mp3_decode(bytes, size, mix, call);
    return fault_make(uform_status_malformed_k,
                      "not a recording: its first bytes are not those of WAV, FLAC, Ogg or MP3");
}

fault_t audio_decode(unsigned char const *bytes, size_t size, sound_t *sound, float **samples, call_t *call) {
    mix_t mix = {0};
    fault_t const fault = decode_any(bytes, size, &mix, call);
    *samples = mix.samples;
    *sound = (sound_t){mix.samples, mix.count, mix.rate ? mix.rate : 1};
    return fault;
}
#endif // UFORM_FFMPEG
