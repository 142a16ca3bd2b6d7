/** JPEG, PNG and WebP: what they are made of, and whether all of it is there. */
#include "files.h"

#ifdef UFORM_FFMPEG
#include <string.h> // `memcmp`, `memcpy`

#include "checksum.h"
#include "color.h"

static fault_t ends_early(char const *format) {
    return fault_format(uform_status_malformed_k, "the %s ends early: the file is cut off", format);
}
static fault_t broken(char const *format, char const *why) {
    return fault_format(uform_status_malformed_k, "the %s does not decode: %s", format, why);
}

static uint32_t big(unsigned char const *bytes, unsigned count) {
    uint32_t value = 0;
    while (count--) value = value << 8 | *bytes++;
    return value;
}
static uint32_t little(unsigned char const *bytes, unsigned count) {
    uint32_t value = 0;
    while (count--) value = value << 8 | bytes[count];
    return value;
}

/** Refuses a size before anything is decoded. */
static fault_t check_sides(char const *format, uint64_t width, uint64_t height) {
    if (!width || !height) return broken(format, "it has no pixels");
    if (width * height > pixels_most_k) return broken(format, "it has more than 67,108,864 pixels: scale it down");
    return fault_none();
}

/** Decodes what is left of a file into a picture. */
static fault_t decode(char const *codec, unsigned char const *bytes, size_t size, jpeg_colors_t const *colors,
                      unsigned char const *background, picture_t *picture) {
    decoder_t *decoder;
    fault_t fault = decoder_open_still(codec, bytes, size, &decoder);
    if (!fault.status) fault = color_picture(decoder, colors, background, picture);
    decoder_close(decoder);
    return fault;
}

/* -------------------- JPEG -------------------------------------------------------------------- */

/** Adobe's marker of components that are stored as they are decoded. FFmpeg mixes inks by any
 *  other, and by none. */
static unsigned char const plain_marker[] = "\xFF\xEE\0\x0E" "Adobe\0\x64\0\0\0\0\x01";
enum { plain_marker_bytes_k = sizeof(plain_marker) - 1 };

/** What the segments of a JPEG say, and the file with none of those that are for programs but the
 *  marker above. */
typedef struct jpeg_t {
    size_t width, height;
    unsigned components, orientation, scans;
    bool jfif, adobe, progressive;
    unsigned transform;
    /** For each component a bit for each coefficient that was read to its last bit. */
    uint64_t exact[4];
    /** Identifiers and sampling factors. */
    unsigned char ids[4], factors[4];
    unsigned char *stripped;
    size_t stripped_bytes;
} jpeg_t;

/** The orientation in a segment of EXIF, zero if there is none. Damage is no reason to refuse a
 *  picture. */
static unsigned exif_orientation(unsigned char const *body, size_t size) {
    if (size < 14 || memcmp(body, "Exif\0\0", 6) != 0) return 0;
    unsigned char const *tiff = body + 6;
    size -= 6;
    bool const swapped = memcmp(tiff, "MM\0*", 4) == 0;
    if (!swapped && memcmp(tiff, "II*\0", 4) != 0) return 0;
    uint32_t (*const number)(unsigned char const *, unsigned) = swapped ? big : little;
    size_t at = number(tiff + 4, 4);
    if (at > size - 2) return 0;
    unsigned const entries = number(tiff + at, 2);
    at += 2;
    for (unsigned i = 0; i != entries && size - at >= 12; ++i, at += 12) {
        if (number(tiff + at, 2) != 0x0112) continue;
        unsigned const type = number(tiff + at + 2, 2);
        uint32_t const value = type == 3 ? number(tiff + at + 8, 2) : type == 4 ? number(tiff + at + 8, 4) : 0;
        return number(tiff + at + 4, 4) == 1 && value <= 8 ? value : 0;
    }
    return 0;
}

static fault_t jpeg_frame(jpeg_t *jpeg, unsigned marker, unsigned char const *body, size_t size) {
    if (jpeg->components) return broken("JPEG", "it has two frames");
    if (size < 6 || size != 6 + 3 * (size_t)body[5]) return broken("JPEG", "its frame header has another size");
    if (marker > 0xC2)
        return fault_make(uform_status_unsupported_k,
                          "the JPEG is arithmetic-coded, lossless or hierarchical: save it as baseline or progressive");
    if (body[0] != 8) return fault_make(uform_status_unsupported_k, "the JPEG has samples of other than 8 bits");
    jpeg->height = big(body + 1, 2), jpeg->width = big(body + 3, 2);
    jpeg->components = body[5], jpeg->progressive = marker == 0xC2;
    if (jpeg->components != 1 && jpeg->components != 3 && jpeg->components != 4)
        return fault_make(uform_status_unsupported_k, "the JPEG has other than 1, 3 or 4 components");
    for (unsigned c = 0; c != jpeg->components; ++c)
        jpeg->ids[c] = body[6 + 3 * c], jpeg->factors[c] = body[7 + 3 * c];
    return check_sides("JPEG", jpeg->width, jpeg->height);
}

/** Reads a scan's header, which has the size that it says. */
static fault_t jpeg_scan(jpeg_t *jpeg, unsigned char const *body) {
    unsigned char const *tail = body + 1 + 2 * (size_t)body[0];
    unsigned const first = jpeg->progressive ? tail[0] : 0, last = jpeg->progressive ? tail[1] : 63;
    if (last > 63 || first > last) return broken("JPEG", "a scan is of coefficients that are not there");
    uint64_t const band = (UINT64_MAX >> (63 - last)) & (UINT64_MAX << first);
    for (unsigned i = 0; i != body[0]; ++i)
        for (unsigned c = 0; c != jpeg->components; ++c)
            if (jpeg->ids[c] == body[1 + 2 * i] && (!jpeg->progressive || (tail[2] & 15) == 0)) jpeg->exact[c] |= band;
    return fault_none();
}

/** Whether scans had all bits of each component. */
static fault_t jpeg_complete(jpeg_t const *jpeg) {
    if (!jpeg->scans) return broken("JPEG", "it ends without a picture");
    for (unsigned c = 0; c != jpeg->components; ++c)
        if (jpeg->exact[c] != UINT64_MAX)
            return fault_format(uform_status_malformed_k, "the JPEG ends early: scans of component %u are missing",
                                jpeg->ids[c]);
    return fault_none();
}

/** Reads a segment; `keep` says whether it stays in the file. */
static fault_t jpeg_segment(jpeg_t *jpeg, unsigned marker, unsigned char const *body, size_t size, bool *keep) {
    enum { scans_most_k = 100 }; // a small file could keep a decoder busy for hours
    *keep = (marker < 0xE0 || marker > 0xEF) && marker != 0xFE;
    if (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC)
        return jpeg_frame(jpeg, marker, body, size);
    if (marker == 0xDA && ++jpeg->scans > scans_most_k) return broken("JPEG", "it has too many scans");
    if (marker == 0xDA && (!jpeg->components || size < 4 || size != 4 + 2 * (size_t)body[0]))
        return broken("JPEG", "a scan's header has another size, or comes too early");
    if (marker == 0xDA) return jpeg_scan(jpeg, body);
    if (marker == 0xE0 && size >= 5 && memcmp(body, "JFIF", 5) == 0) jpeg->jfif = true;
    if (marker == 0xE1 && !jpeg->scans && !jpeg->orientation) jpeg->orientation = exif_orientation(body, size);
    if (marker == 0xEE && size >= 12 && memcmp(body, "Adobe", 5) == 0) jpeg->adobe = true, jpeg->transform = body[11];
    return fault_none();
}

/** Numbers the components of a segment's copy from one on, as FFmpeg takes names of them for what
 *  they may not be. */
static void jpeg_number(jpeg_t const *jpeg, unsigned marker, unsigned char *body) {
    if (marker >= 0xC0 && marker <= 0xC2)
        for (unsigned c = 0; c != jpeg->components; ++c) body[6 + 3 * c] = (unsigned char)(c + 1);
    for (unsigned i = 0; marker == 0xDA && i != body[0]; ++i)
        for (unsigned c = 0; c != jpeg->components; ++c)
            if (jpeg->ids[c] == body[1 + 2 * i]) {
                body[1 + 2 * i] = (unsigned char)(c + 1);
                break;
            }
}

/** Goes through all segments up to the end of the picture; what follows it is not looked at. */
static fault_t jpeg_walk(jpeg_t *jpeg, unsigned char const *bytes, size_t size) {
    size_t at = 2, from = 2; // from where on nothing was copied
    memcpy(jpeg->stripped, bytes, 2);
    memcpy(jpeg->stripped + 2, plain_marker, plain_marker_bytes_k);
    jpeg->stripped_bytes = 2 + plain_marker_bytes_k;
    for (;;) {
        // Between segments lie scans, where 0xFF stands before a zero or a restart.
        while (at + 1 < size && (bytes[at] != 0xFF || bytes[at + 1] == 0 || bytes[at + 1] == 0xFF ||
                                 (bytes[at + 1] >= 0xD0 && bytes[at + 1] <= 0xD7)))
            ++at;
        if (at + 1 >= size) return ends_early("JPEG");
        unsigned const marker = bytes[at + 1];
        size_t const begin = at + 2;
        bool keep = true;
        at = begin;
        if (marker != 0xD9) {
            if (size - begin < 2) return ends_early("JPEG");
            size_t const length = big(bytes + begin, 2);
            if (length < 2) return broken("JPEG", "a segment is shorter than its own length");
            if (size - begin < length) return ends_early("JPEG");
            fault_t const fault = jpeg_segment(jpeg, marker, bytes + begin + 2, length - 2, &keep);
            if (fault.status) return fault;
            at = begin + length;
        }
        size_t const until = keep ? at : begin - 2;
        memcpy(jpeg->stripped + jpeg->stripped_bytes, bytes + from, until - from);
        jpeg->stripped_bytes += until - from, from = at;
        jpeg_number(jpeg, marker, jpeg->stripped + jpeg->stripped_bytes - (at - begin) + 2);
        if (marker == 0xD9) return jpeg_complete(jpeg);
    }
}

static jpeg_colors_t jpeg_colors(jpeg_t const *jpeg) {
    jpeg_colors_t colors = {.jpeg = true};
    if (jpeg->components == 4) colors.inks = true, colors.adobe = jpeg->adobe;
    colors.transformed = colors.inks && jpeg->adobe && jpeg->transform;
    bool const named = memcmp(jpeg->ids, "RGB", 3) == 0;
    colors.rgb = jpeg->components == 3 && !jpeg->jfif && (jpeg->adobe ? !jpeg->transform : named);
    for (unsigned c = 1; jpeg->components >= 3 && c != jpeg->components; ++c) {
        unsigned const wide = jpeg->factors[c] >> 4, high = jpeg->factors[c] & 15;
        if (wide) colors.across[c] = (jpeg->factors[0] >> 4) / wide;
        if (high) colors.down[c] = (jpeg->factors[0] & 15) / high;
    }
    return colors;
}

static fault_t jpeg_decode(unsigned char const *bytes, size_t size, unsigned char const *background,
                           picture_t *picture) {
    jpeg_t jpeg = {.stripped = memory_take(size + plain_marker_bytes_k)};
    if (!jpeg.stripped) return fault_memory("a JPEG");
    fault_t fault = jpeg_walk(&jpeg, bytes, size);
    if (!fault.status) {
        jpeg_colors_t const colors = jpeg_colors(&jpeg);
        fault = decode("mjpeg", jpeg.stripped, jpeg.stripped_bytes, &colors, background, picture);
    }
    if (!fault.status) fault = picture_orient(picture, jpeg.orientation);
    memory_give(jpeg.stripped);
    return fault;
}

/* -------------------- PNG --------------------------------------------------------------------- */

/** Whether a chunk is needed for pixels. Others may unpack to any size, and mean nothing here. */
static bool png_keeps(unsigned char const *name) {
    static char const *const kept[] = {"IHDR", "PLTE", "tRNS", "IDAT", "IEND"};
    for (size_t i = 0; i != sizeof(kept) / sizeof(kept[0]); ++i)
        if (memcmp(name, kept[i], 4) == 0) return true;
    return false;
}

/** Goes through all chunks up to the end of the picture, and copies those that are needed. */
static fault_t png_walk(unsigned char const *bytes, size_t size, unsigned char *stripped, size_t *stripped_bytes) {
    memcpy(stripped, bytes, *stripped_bytes = 8);
    for (size_t at = 8;;) {
        if (size - at < 12) return ends_early("PNG");
        size_t const length = big(bytes + at, 4);
        unsigned char const *name = bytes + at + 4, *body = bytes + at + 8;
        if (length > size - at - 12) return ends_early("PNG");
        if (checksum_png(name, length + 4) != big(body + length, 4)) return broken("PNG", "a checksum does not hold");
        if (at == 8) {
            if (memcmp(name, "IHDR", 4) != 0 || length != 13) return broken("PNG", "it has no header");
            fault_t const fault = check_sides("PNG", big(body, 4), big(body + 4, 4));
            if (fault.status) return fault;
        }
        if (png_keeps(name)) {
            memcpy(stripped + *stripped_bytes, bytes + at, length + 12);
            *stripped_bytes += length + 12;
        }
        at += length + 12;
        if (memcmp(name, "IEND", 4) == 0) return fault_none();
    }
}

static fault_t png_decode(unsigned char const *bytes, size_t size, unsigned char const *background,
                          picture_t *picture) {
    unsigned char *stripped = memory_take(size);
    if (!stripped) return fault_memory("a PNG");
    size_t stripped_bytes = 0;
    jpeg_colors_t const none = {0};
    fault_t fault = png_walk(bytes, size, stripped, &stripped_bytes);
    if (!fault.status) fault = decode("png", stripped, stripped_bytes, &none, background, picture);
    memory_give(stripped);
    return fault;
}

/* -------------------- WebP -------------------------------------------------------------------- */

enum {
    webp_plain_k = 1 << 23, ///< up to so many pixels a file may have any size
    webp_dense_k = 1 << 14, ///< pixels for which a larger picture has a byte
};

/** The first picture of a file and where it lies on its canvas. */
typedef struct webp_t {
    bool extended, animated;
    size_t width, height, left, top, frame_width, frame_height;
    unsigned char const *codec, *alpha; // chunks, from their names on
} webp_t;

/** A chunk's bytes with its head and padding, zero where it is cut off. */
static size_t chunk_bytes(unsigned char const *chunk, size_t left) {
    if (left < 8) return 0;
    uint64_t const body = little(chunk + 4, 4);
    if (body > left - 8) return 0;
    uint64_t const bytes = 8 + body + body % 2;
    return (size_t)(bytes > left ? left : bytes); // the last padding may be missing
}

static fault_t webp_frame(webp_t *webp, unsigned char const *body, size_t size);

/** Takes a chunk that belongs to the first picture. */
static fault_t webp_chunk(webp_t *webp, unsigned char const *chunk, bool first, bool inside) {
    unsigned char const *body = chunk + 8;
    size_t const size = little(chunk + 4, 4);
    if (first && memcmp(chunk, "VP8X", 4) == 0) {
        if (size < 10) return broken("WebP", "its canvas header is too short");
        webp->extended = true, webp->animated = body[0] & 2;
        webp->width = webp->frame_width = 1 + little(body + 4, 3);
        webp->height = webp->frame_height = 1 + little(body + 7, 3);
        return check_sides("WebP", webp->width, webp->height);
    }
    if (webp->codec) return fault_none();
    if (memcmp(chunk, "ANMF", 4) == 0 && webp->animated && !inside) return webp_frame(webp, body, size);
    if (webp->animated && !inside) return fault_none();
    if (memcmp(chunk, "ALPH", 4) == 0 && webp->extended) webp->alpha = chunk;
    if (memcmp(chunk, "VP8 ", 4) == 0 || memcmp(chunk, "VP8L", 4) == 0) webp->codec = chunk;
    return fault_none();
}

static fault_t webp_frame(webp_t *webp, unsigned char const *body, size_t size) {
    if (size < 16) return broken("WebP", "the header of its first frame is too short");
    webp->left = 2 * (size_t)little(body, 3), webp->top = 2 * (size_t)little(body + 3, 3);
    webp->frame_width = 1 + (size_t)little(body + 6, 3), webp->frame_height = 1 + (size_t)little(body + 9, 3);
    if (webp->left + webp->frame_width > webp->width || webp->top + webp->frame_height > webp->height)
        return broken("WebP", "its first frame lies outside of its canvas");
    for (size_t at = 16; size - at >= 8;) {
        size_t const bytes = chunk_bytes(body + at, size - at);
        if (!bytes) return ends_early("WebP");
        fault_t const fault = webp_chunk(webp, body + at, false, true);
        if (fault.status) return fault;
        at += bytes;
    }
    return webp->codec ? fault_none() : broken("WebP", "its first frame holds no picture");
}

static fault_t webp_walk(webp_t *webp, unsigned char const *bytes, size_t size) {
    uint64_t const end = (uint64_t)little(bytes + 4, 4) + 8;
    if (end > size) return ends_early("WebP");
    for (size_t at = 12; at < end && end - at >= 8;) {
        size_t const chunk = chunk_bytes(bytes + at, (size_t)end - at);
        if (!chunk) return ends_early("WebP");
        fault_t const fault = webp_chunk(webp, bytes + at, at == 12, false);
        if (fault.status) return fault;
        at += chunk;
    }
    return webp->codec ? fault_none() : broken("WebP", "it holds no picture");
}

/** Copies a chunk with its padding, and returns the place after it. */
static unsigned char *chunk_copy(unsigned char *out, unsigned char const *chunk) {
    size_t const size = little(chunk + 4, 4);
    memcpy(out, chunk, 8 + size);
    return out + 8 + size + size % 2; // memory is zeroed
}

static void number_put(unsigned char *out, size_t value, unsigned count) {
    for (; count--; value >>= 8) *out++ = (unsigned char)value;
}

/** Decodes the first picture as a file of its own, which FFmpeg can read. */
static fault_t webp_still(webp_t const *webp, size_t most, unsigned char const *background, picture_t *picture) {
    // The lossless kind has its own.
    bool const alpha = webp->alpha && memcmp(webp->codec, "VP8 ", 4) == 0;
    unsigned char *still = memory_take(most + 64), *out = still + 12;
    if (!still) return fault_memory("a WebP");
    memcpy(still, "RIFF\0\0\0\0WEBP", 12);
    if (alpha) {
        memcpy(out, "VP8X\x0A\0\0\0\x10\0\0\0", 12);
        number_put(out + 12, webp->frame_width - 1, 3);
        number_put(out + 15, webp->frame_height - 1, 3);
        out = chunk_copy(out + 18, webp->alpha);
    }
    out = chunk_copy(out, webp->codec);
    number_put(still + 4, (size_t)(out - still) - 8, 4);
    jpeg_colors_t const none = {0};
    fault_t const fault = decode("webp", still, (size_t)(out - still), &none, background, picture);
    memory_give(still);
    return fault;
}

/** Puts the first frame of an animation on its canvas, which shows the background elsewhere. */
static fault_t webp_place(webp_t const *webp, unsigned char const *background, picture_t *picture) {
    picture_t canvas;
    fault_t const fault = picture_make(&canvas, webp->width, webp->height);
    if (fault.status) return fault;
    for (size_t k = 0; k != webp->width * webp->height * 3; ++k) canvas.own[k] = background[k % 3];
    for (size_t y = 0; y != picture->height; ++y)
        memcpy(canvas.own + ((webp->top + y) * webp->width + webp->left) * 3, picture->rgb + y * picture->width * 3,
               picture->width * 3);
    picture_drop(picture);
    *picture = canvas;
    return fault;
}

/** A few bytes may claim the limit of pixels, and keep a decoder busy for seconds. */
static fault_t webp_check_density(webp_t const *webp, size_t size) {
    unsigned char const *body = webp->codec + 8;
    uint64_t const length = little(webp->codec + 4, 4);
    uint64_t width = webp->width, height = webp->height;
    if (!webp->extended && memcmp(webp->codec, "VP8L", 4) == 0 && length >= 5)
        width = 1 + (little(body + 1, 4) & 0x3FFF), height = 1 + (little(body + 1, 4) >> 14 & 0x3FFF);
    else if (!webp->extended && length >= 10) width = little(body + 6, 2) & 0x3FFF, height = little(body + 8, 2) & 0x3FFF;
    uint64_t const area = width * height;
    bool const sparse = area > webp_plain_k && area / webp_dense_k > size;
    return sparse ? broken("WebP", "it is solid colour: scale it down") : fault_none();
}

static fault_t webp_decode(unsigned char const *bytes, size_t size, unsigned char const *background,
                           picture_t *picture) {
    webp_t webp = {0};
    fault_t fault = webp_walk(&webp, bytes, size);
    if (!fault.status) fault = webp_check_density(&webp, size);
    if (!fault.status) fault = webp_still(&webp, size, background, picture);
    if (fault.status || !webp.extended) return fault;
    if (picture->width != webp.frame_width || picture->height != webp.frame_height)
        return broken("WebP", "its picture has another size than its frame");
    return webp.animated ? webp_place(&webp, background, picture) : fault;
}

fault_t image_decode(unsigned char const *bytes, size_t size, unsigned char const *background, picture_t *picture) {
    if (size >= 3 && memcmp(bytes, "\xFF\xD8\xFF", 3) == 0) return jpeg_decode(bytes, size, background, picture);
    if (size >= 8 && memcmp(bytes, "\x89PNG\r\n\x1A\n", 8) == 0) return png_decode(bytes, size, background, picture);
    if (size >= 12 && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WEBP", 4) == 0)
        return webp_decode(bytes, size, background, picture);
    return fault_make(uform_status_malformed_k,
                      "not an image file: its first bytes are not those of JPEG, PNG or WebP");
}
#endif // UFORM_FFMPEG
