/** Steps 1 and 3 of section 9, as far as they are about colors. */
#include "color.h"

#ifdef UFORM_FFMPEG
#include <math.h> // `floor`

#include "files.h"

/** A frame that is being read, and room for a row of each component. */
typedef struct reader_t {
    decoder_t const *decoder;
    pixels_t pixels;
    jpeg_colors_t const *jpeg;
    /** Pixels under a sample of chroma, of each component, and how many of the decoder's samples
     *  that is one of. */
    unsigned across[4], down[4], step_across[4], step_down[4];
    uint16_t *stored;
    float *near, *rows[4];
} reader_t;

static unsigned char bounded(double value) {
    double const whole = floor(value + 0.5);
    return (unsigned char)(whole < 0 ? 0 : whole > 255 ? 255 : whole);
}

/** A sample in 0 … 255: 16 bits are rounded, fewer than eight stretched; luma and chroma of more
 *  keep their fraction. */
static float sample_scale(pixels_t const *pixels, unsigned value) {
    if (pixels->depth == 8) return (float)value;
    if (pixels->depth == 16) return (float)((value + 128) / 257);
    if (pixels->depth < 8) return (float)(value * 255 / ((1u << pixels->depth) - 1));
    return (float)value / (float)(1u << (pixels->depth - 8));
}

/** Reads a row of samples of a component, of chroma where it has fewer. */
static void read_samples(reader_t *reader, unsigned component, size_t y, size_t count, unsigned step, float *out) {
    frame_line(reader->decoder, component, y, (count - 1) * step + 1, reader->stored);
    for (size_t i = 0; i != count; ++i) out[i] = sample_scale(&reader->pixels, reader->stored[i * step]);
}

/** A row of chroma, one value a pixel: three parts near to one part far on each axis, or repeated
 *  at a quarter. */
static void read_chroma(reader_t *reader, unsigned component, size_t y) {
    size_t const width = reader->pixels.width, height = reader->pixels.height;
    unsigned const across = reader->across[component], down = reader->down[component];
    unsigned const step_across = reader->step_across[component], step_down = reader->step_down[component];
    size_t const columns = (width + across - 1) / across, rows = (height + down - 1) / down;
    bool const repeated = across > 2 || down > 2;
    float *row = reader->rows[component], *near = reader->near;
    size_t const place = y / down;
    read_samples(reader, component, place * step_down, columns, step_across, near);
    if (down == 2 && !repeated) {
        size_t far = y % 2 ? place + 1 : place - 1;
        if (y % 2 ? far == rows : !place) far = place;
        read_samples(reader, component, far * step_down, columns, step_across, row);
        for (size_t i = 0; i != columns; ++i) near[i] = (3 * near[i] + row[i]) / 4;
    }
    for (size_t x = 0; x != width; ++x) {
        size_t const i = x / across;
        size_t const side = x % 2 ? (i + 1 == columns ? i : i + 1) : (i ? i - 1 : 0);
        row[x] = across == 2 && !repeated ? (3 * near[i] + near[side]) / 4 : near[i];
    }
}

static void read_row(reader_t *reader, size_t y) {
    for (unsigned c = 0; c != reader->pixels.components; ++c) {
        bool const colors = reader->pixels.components > 2 && !reader->pixels.rgb;
        if (colors && (c == 1 || c == 2)) read_chroma(reader, c, y);
        else read_samples(reader, c, y, reader->pixels.width, 1, reader->rows[c]);
    }
}

/** Luma and chroma to red, green and blue. */
static void convert_colors(pixels_t const *pixels, double y, double u, double v, unsigned char *rgb) {
    double const red = pixels->red, blue = pixels->blue, green = 1 - red - blue;
    double const luma = pixels->full ? y : (y - 16) * 255 / 219;
    double const cb = (u - 128) * (pixels->full ? 1 : 255.0 / 224), cr = (v - 128) * (pixels->full ? 1 : 255.0 / 224);
    rgb[0] = bounded(luma + 2 * (1 - red) * cr);
    rgb[1] = bounded(luma - (2 * blue * (1 - blue) * cb + 2 * red * (1 - red) * cr) / green);
    rgb[2] = bounded(luma + 2 * (1 - blue) * cb);
}

/** Four inks to red, green and blue: Adobe's files store light and mark it, others store ink. */
static void convert_inks(reader_t const *reader, size_t x, unsigned char *rgb) {
    unsigned light[3], black = bounded((double)reader->rows[3][x]);
    if (reader->jpeg->transformed) {
        convert_colors(&reader->pixels, (double)reader->rows[0][x], (double)reader->rows[1][x],
                       (double)reader->rows[2][x], rgb);
        for (unsigned c = 0; c != 3; ++c) light[c] = 255u - rgb[c];
    }
    else
        for (unsigned c = 0; c != 3; ++c) light[c] = bounded((double)reader->rows[c][x]);
    if (!reader->jpeg->adobe) black = 255 - black;
    for (unsigned c = 0; c != 3; ++c) {
        if (!reader->jpeg->adobe) light[c] = 255 - light[c];
        rgb[c] = (unsigned char)((light[c] * black + 127) / 255);
    }
}

static void convert_pixel(reader_t const *reader, size_t x, unsigned char *rgb) {
    unsigned const components = reader->pixels.components;
    float *const *rows = reader->rows;
    if (reader->jpeg->inks) convert_inks(reader, x, rgb);
    else if (components < 3) convert_colors(&reader->pixels, (double)rows[0][x], 128, 128, rgb);
    else if (reader->jpeg->jpeg ? reader->jpeg->rgb : reader->pixels.rgb)
        for (unsigned c = 0; c != 3; ++c) rgb[c] = bounded((double)rows[c][x]);
    else convert_colors(&reader->pixels, (double)rows[0][x], (double)rows[1][x], (double)rows[2][x], rgb);
}

static void lay_pixel(unsigned alpha, unsigned char const *background, unsigned char *rgb) {
    for (unsigned c = 0; c != 3; ++c)
        rgb[c] = (unsigned char)((rgb[c] * alpha + background[c] * (255 - alpha) + 127) / 255);
}

static void read_picture(reader_t *reader, unsigned char const *background, picture_t *picture) {
    unsigned const components = reader->pixels.components;
    bool const transparent = (components == 2 || components == 4) && !reader->jpeg->inks;
    unsigned char *rgb = picture->own;
    for (size_t y = 0; y != picture->height; ++y) {
        read_row(reader, y);
        for (size_t x = 0; x != picture->width; ++x, rgb += 3) {
            convert_pixel(reader, x, rgb);
            if (transparent) lay_pixel(bounded((double)reader->rows[components - 1][x]), background, rgb);
        }
    }
}

fault_t color_picture(decoder_t const *decoder, jpeg_colors_t const *jpeg, unsigned char const *background,
                      picture_t *picture) {
    reader_t reader = {.decoder = decoder, .jpeg = jpeg};
    fault_t fault = frame_pixels(decoder, &reader.pixels);
    if (fault.status) return fault;
    pixels_t *pixels = &reader.pixels;
    if (pixels->height > (size_t)pixels_most_k / pixels->width)
        return fault_make(uform_status_malformed_k, "a picture of more than 67,108,864 pixels: scale it down");
    if (jpeg->inks && pixels->components != 4)
        return fault_make(uform_status_unsupported_k, "a JPEG of four components that decodes to others");
    if (jpeg->jpeg) pixels->full = true, pixels->red = 0.299, pixels->blue = 0.114;
    for (unsigned c = 0; c != 4; ++c) {
        reader.across[c] = jpeg->across[c] > pixels->across ? jpeg->across[c] : pixels->across;
        reader.down[c] = jpeg->down[c] > pixels->down ? jpeg->down[c] : pixels->down;
        reader.step_across[c] = reader.across[c] / pixels->across, reader.step_down[c] = reader.down[c] / pixels->down;
    }
    size_t const row = pixels->width + 16; // a decoder's last sample may lie a little outside
    float *block = memory_take(row * (5 * sizeof(float) + sizeof(uint16_t)));
    if (!block) return fault_memory("rows of a picture");
    for (unsigned c = 0; c != 4; ++c) reader.rows[c] = block + c * row;
    reader.near = block + 4 * row;
    reader.stored = (uint16_t *)(void *)(block + 5 * row);
    fault = picture_make(picture, pixels->width, pixels->height);
    if (!fault.status) read_picture(&reader, background, picture);
    memory_give(block);
    return fault;
}
#endif // UFORM_FFMPEG
