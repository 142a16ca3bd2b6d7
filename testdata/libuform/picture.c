/** Steps 2 and 4 to 6 of section 9. */
#include "picture.h"

#include <math.h>   // `fabs`, `floor`
#include <string.h> // `memcpy`

fault_t picture_make(picture_t *picture, size_t width, size_t height) {
    *picture = (picture_t){.width = width, .height = height, .own = memory_take(width * height * 3)};
    picture->rgb = picture->own;
    return picture->own ? fault_none() : fault_memory("a picture");
}

void picture_drop(picture_t *picture) {
    memory_give(picture->own);
    *picture = (picture_t){0};
}

fault_t picture_orient(picture_t *picture, unsigned orientation) {
    if (orientation < 2 || orientation > 8) return fault_none();
    bool const across = orientation > 4; // rows become columns
    // Whether the columns and the rows of the source are read backwards.
    bool const mirror = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    bool const flip = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    picture_t turned;
    fault_t const fault = across ? picture_make(&turned, picture->height, picture->width)
                                 : picture_make(&turned, picture->width, picture->height);
    if (fault.status) return fault;
    unsigned char *out = turned.own;
    for (size_t y = 0; y != turned.height; ++y)
        for (size_t x = 0; x != turned.width; ++x, out += 3) {
            size_t column = across ? y : x, row = across ? x : y;
            if (mirror) column = picture->width - 1 - column;
            if (flip) row = picture->height - 1 - row;
            memcpy(out, picture->rgb + (row * picture->width + column) * 3, 3);
        }
    picture_drop(picture);
    *picture = turned;
    return fault;
}

/* -------------------- Resizing ---------------------------------------------------------------- */

/** Pixels of the picture that one of the square is made of, `[first, last)`, and one over the sum
 *  of their weights. */
typedef struct window_t {
    size_t first, last;
    double share;
} window_t;

/** One axis. `scale` is pixels of the picture for one of the square, `spread` the same but one
 *  where it is finer. */
typedef struct axis_t {
    size_t length;
    uint32_t side;
    double scale, spread;
    window_t *windows;
} axis_t;

static double axis_cubic(axis_t const *axis, size_t o, size_t i) {
    double const t = fabs(((double)i + 0.5 - ((double)o + 0.5) * axis->scale) / axis->spread);
    if (t < 1) return (1.5 * t - 2.5) * t * t + 1;
    return t < 2 ? ((-0.5 * t + 2.5) * t - 4) * t + 2 : 0;
}

static double axis_weight(axis_t const *axis, size_t o, size_t i) {
    return axis_cubic(axis, o, i) * axis->windows[o].share;
}

static bool axis_measure(axis_t *axis, size_t length, uint32_t side) {
    *axis = (axis_t){length, side, (double)length / side, 1, memory_take(side * sizeof(window_t))};
    if (!axis->windows) return false;
    if (axis->scale > 1) axis->spread = axis->scale;
    for (uint32_t o = 0; o != side; ++o) {
        window_t *window = &axis->windows[o];
        double const centre = (o + 0.5) * axis->scale, reach = 2 * axis->spread;
        double const first = floor(centre - reach - 0.5), last = ceil(centre + reach - 0.5) + 1;
        window->first = first > 0 ? (size_t)first : 0;
        window->last = last < (double)length ? (size_t)last : length;
        double sum = 0;
        for (size_t i = window->first; i != window->last; ++i) sum += axis_cubic(axis, o, i);
        window->share = 1 / sum;
    }
    return true;
}

typedef struct resizer_t {
    axis_t columns, rows;
    /** Of some columns of the square, window by window. */
    float *weights;
    /** A row to be filtered, and one that was. */
    double *pixels, *filtered;
    /** Rows of the square so far, not bounded. */
    double *sums;
} resizer_t;

enum {
    /** Weights that are held at once, but those of one column however many they are. */
    band_weights_k = 1 << 18,
};

/** The column after the last whose weights fit a band that begins there, and how many they are. */
static uint32_t band_end(axis_t const *axis, uint32_t begin, size_t *weights) {
    uint32_t end = begin;
    *weights = 0;
    do {
        *weights += axis->windows[end].last - axis->windows[end].first;
        ++end;
    } while (end != axis->side && *weights + axis->windows[end].last - axis->windows[end].first <= band_weights_k);
    return end;
}

static void band_weigh(resizer_t *resizer, uint32_t begin, uint32_t end) {
    float *weight = resizer->weights;
    for (uint32_t o = begin; o != end; ++o)
        for (size_t i = resizer->columns.windows[o].first; i != resizer->columns.windows[o].last; ++i)
            *weight++ = (float)axis_weight(&resizer->columns, o, i);
}

/** Filters a row of pixels, which begins at column `left`, into some columns of the square. */
static void band_filter(resizer_t const *resizer, double const *pixels, size_t left, uint32_t begin, uint32_t end,
                        double *out) {
    float const *weight = resizer->weights;
    for (uint32_t o = begin; o != end; ++o, out += 3) {
        window_t const *window = &resizer->columns.windows[o];
        double const *pixel = pixels + (window->first - left) * 3;
        out[0] = out[1] = out[2] = 0;
        for (size_t i = window->first; i != window->last; ++i, ++weight, pixel += 3)
            for (unsigned c = 0; c != 3; ++c) out[c] += *weight * pixel[c];
    }
}

/** Adds a line of row `y` to the rows of the square that it belongs to. `first` is where to look,
 *  for the next row. */
static void rows_add(axis_t const *axis, size_t y, uint32_t *first, double const *line, size_t count, double *sums,
                     size_t stride) {
    while (axis->windows[*first].last <= y) ++*first;
    for (uint32_t o = *first; o != axis->side && axis->windows[o].first <= y; ++o) {
        double const weight = axis_weight(axis, o, y);
        double *sum = sums + o * stride;
        for (size_t k = 0; k != count; ++k) sum[k] += weight * line[k];
    }
}

/** Rows are filtered one by one, and added to the few of the square that they belong to. */
static bool resize_wide(resizer_t *resizer, picture_t const *picture) {
    uint32_t const side = resizer->columns.side;
    resizer->sums = memory_take((size_t)side * side * 3 * sizeof(double));
    if (!resizer->sums) return false;
    for (uint32_t begin = 0, end; begin != side; begin = end) {
        size_t weights;
        end = band_end(&resizer->columns, begin, &weights);
        size_t const left = resizer->columns.windows[begin].first, right = resizer->columns.windows[end - 1].last;
        resizer->weights = memory_take(weights * sizeof(float));
        resizer->pixels = memory_take((right - left) * 3 * sizeof(double));
        resizer->filtered = memory_take((size_t)(end - begin) * 3 * sizeof(double));
        if (!resizer->weights || !resizer->pixels || !resizer->filtered) return false;
        band_weigh(resizer, begin, end);
        uint32_t first = 0;
        for (size_t y = 0; y != picture->height; ++y) {
            unsigned char const *row = picture->rgb + (y * picture->width + left) * 3;
            for (size_t k = 0; k != (right - left) * 3; ++k) resizer->pixels[k] = row[k];
            band_filter(resizer, resizer->pixels, left, begin, end, resizer->filtered);
            rows_add(&resizer->rows, y, &first, resizer->filtered, (size_t)(end - begin) * 3,
                     resizer->sums + (size_t)begin * 3, (size_t)side * 3);
        }
        memory_give(resizer->weights), memory_give(resizer->pixels), memory_give(resizer->filtered);
        resizer->weights = NULL, resizer->pixels = resizer->filtered = NULL;
    }
    return true;
}

/** A picture narrower than the square is added first, since its rows would grow; linear steps have
 *  no order. */
static bool resize_narrow(resizer_t *resizer, picture_t const *picture) {
    uint32_t const side = resizer->columns.side;
    size_t const count = picture->width * 3;
    size_t weights;
    // All of them: each window has at most five pixels here.
    band_end(&resizer->columns, 0, &weights);
    resizer->weights = memory_take(weights * sizeof(float));
    resizer->pixels = memory_take(count * sizeof(double));
    resizer->filtered = memory_take(side * count * sizeof(double));
    resizer->sums = memory_take((size_t)side * side * 3 * sizeof(double));
    if (!resizer->weights || !resizer->pixels || !resizer->filtered || !resizer->sums) return false;
    band_weigh(resizer, 0, side);
    uint32_t first = 0;
    for (size_t y = 0; y != picture->height; ++y) {
        for (size_t k = 0; k != count; ++k) resizer->pixels[k] = picture->rgb[y * count + k];
        rows_add(&resizer->rows, y, &first, resizer->pixels, count, resizer->filtered, count);
    }
    for (uint32_t o = 0; o != side; ++o)
        band_filter(resizer, resizer->filtered + o * count, 0, 0, side, resizer->sums + (size_t)o * side * 3);
    return true;
}

static void cut_patches(double const *square, image_config_t const *config, float *out) {
    size_t const side = config->side, patch = config->patch;
    for (size_t top = 0; top != side; top += patch)
        for (size_t left = 0; left != side; left += patch)
            for (size_t y = top; y != top + patch; ++y)
                for (size_t k = left * 3; k != (left + patch) * 3; ++k) {
                    double value = square[y * side * 3 + k];
                    value = value < 0 ? 0 : value > 255 ? 255 : value;
                    *out++ = (float)((value / 255 - config->mean[k % 3]) / config->deviation[k % 3]);
                }
}

fault_t picture_patches(picture_t const *picture, image_config_t const *config, float *patches) {
    resizer_t resizer = {0};
    bool const good = axis_measure(&resizer.columns, picture->width, config->side) &&
                      axis_measure(&resizer.rows, picture->height, config->side) &&
                      (picture->width < config->side ? resize_narrow : resize_wide)(&resizer, picture);
    if (good) cut_patches(resizer.sums, config, patches);
    memory_give(resizer.columns.windows), memory_give(resizer.rows.windows);
    memory_give(resizer.weights), memory_give(resizer.pixels);
    memory_give(resizer.filtered), memory_give(resizer.sums);
    return good ? fault_none() : fault_memory("the resizing of a picture");
}
