/** A second forward pass, written from the page alone and sharing nothing with the library. */
#include "reference.h"

#include <math.h>   // `exp`
#include <stdio.h>  // `snprintf`
#include <stdlib.h> // `calloc`

static unsigned char folded(bool fold, unsigned char byte) {
    if (!fold) return byte;
    return byte >= 65 && byte <= 90 ? (unsigned char)(byte + 32) : byte >= 9 && byte <= 13 ? 32 : byte;
}

/** y of section 4, one byte of it. */
static unsigned char padded(bool fold, unsigned char const *text, size_t length, size_t at) {
    return at == 0 || at == length + 1 ? 32 : folded(fold, text[at - 1]);
}

static uint64_t hash_of(uint64_t h, bool fold, unsigned char const *text, size_t length, size_t first, size_t last) {
    for (size_t i = first; i <= last; ++i) {
        h = (h ^ (uint64_t)(padded(fold, text, length, i) + 1)) * 0x9E3779B97F4A7C15u;
        h = h ^ (h >> 29);
    }
    return h;
}

static uint64_t gram_of(bool fold, unsigned char const *text, size_t length, size_t p, size_t m) {
    return hash_of((uint64_t)m * 0xC2B2AE3D27D4EB4Fu, fold, text, length, p + 1 - m, p);
}

/** Whether no space stands between the ends of a gram. */
static bool whole(bool fold, unsigned char const *text, size_t length, size_t p, size_t m) {
    for (size_t i = p + 2 - m; i < p; ++i)
        if (padded(fold, text, length, i) == 32) return false;
    return true;
}

static void add_rows(fixture_t const *f, uint64_t h, double *row) {
    float const *grams = fixture_values(f, "grams");
    for (unsigned i = 0; i != f->hashes; ++i) {
        size_t const bucket = (size_t)((h ^ (h >> 32)) % f->buckets);
        for (size_t k = 0; k != f->width; ++k) row[k] += grams[bucket * f->width + k];
        h = (h ^ 0xD6E8FEB86659FD93u) * 0xFF51AFD7ED558CCDu;
    }
}

static double *inputs(fixture_t const *f, unsigned char const *x, size_t n) {
    static size_t const sizes[] = {1, 2, 3, 5};
    double *e = calloc(n * f->width, sizeof(double));
    for (size_t i = 0; i != n; ++i)
        for (size_t k = 0; k != f->width; ++k) e[i * f->width + k] = fixture_values(f, "bytes")[x[i] * f->width + k];
    for (size_t p = 1; f->grams && n && p <= n + 1; ++p) {
        double *row = e + ((p < n ? p : n) - 1) * f->width;
        for (size_t s = 0; s != 4; ++s)
            if (sizes[s] <= p + 1 && (!f->within || whole(f->fold, x, n, p, sizes[s])))
                add_rows(f, gram_of(f->fold, x, n, p, sizes[s]), row);
        bool const ends = p <= n && padded(f->fold, x, n, p) != 32 && padded(f->fold, x, n, p + 1) == 32;
        if (!f->grams || !f->words || !ends) continue;
        size_t first = p;
        while (padded(f->fold, x, n, first - 1) != 32) --first;
        add_rows(f, hash_of(77, f->fold, x, n, first, p), row);
    }
    return e;
}

static double *product(fixture_t const *f, char const *name, size_t rows, size_t columns, double const *x,
                       size_t count) {
    float const *w = fixture_values(f, name);
    double *y = calloc(count * rows, sizeof(double));
    for (size_t i = 0; i != count; ++i)
        for (size_t r = 0; r != rows; ++r)
            for (size_t k = 0; k != columns; ++k) y[i * rows + r] += (double)w[r * columns + k] * x[i * columns + k];
    return y;
}

static double *layer_product(fixture_t const *f, unsigned layer, char const *part, size_t rows, size_t columns,
                             double const *x, size_t count) {
    char name[80];
    snprintf(name, sizeof(name), "layers.%u.%s", layer, part);
    return product(f, name, rows, columns, x, count);
}

static double *normed(fixture_t const *f, char const *name, double const *h, size_t n) {
    float const *g = fixture_values(f, name);
    double *u = calloc(n * f->width, sizeof(double));
    for (size_t i = 0; i != n; ++i) {
        double mean = 0;
        for (size_t k = 0; k != f->width; ++k) mean += h[i * f->width + k] * h[i * f->width + k] / f->width;
        double const root = sqrt(mean + f->epsilon);
        for (size_t k = 0; k != f->width; ++k) u[i * f->width + k] = h[i * f->width + k] / root * g[k];
    }
    return u;
}

/** An element of a turned query or key. */
static double turned(fixture_t const *f, double const *z, size_t i, size_t head, size_t t) {
    size_t const depth = f->width / f->heads, half = depth / 2, pair = t % half;
    double const angle = (double)i * pow(f->base, -2.0 * (double)pair / (double)depth);
    double const a = z[i * f->width + head * depth + pair], b = z[i * f->width + head * depth + pair + half];
    return t < half ? a * cos(angle) - b * sin(angle) : a * sin(angle) + b * cos(angle);
}

static void attention(fixture_t const *f, unsigned layer, double *h, size_t n) {
    size_t const d = f->width, depth = d / f->heads;
    char name[80];
    snprintf(name, sizeof(name), "layers.%u.attention.norm", layer);
    double *u = normed(f, name, h, n), *a = calloc(n * d, sizeof(double)), *weights = calloc(n, sizeof(double));
    double *q = layer_product(f, layer, "attention.query", d, d, u, n);
    double *k = layer_product(f, layer, "attention.key", d, d, u, n);
    double *v = layer_product(f, layer, "attention.value", d, d, u, n);
    for (size_t head = 0; head != f->heads; ++head)
        for (size_t i = 0; i != n; ++i) {
            double sum = 0;
            for (size_t j = 0; j != n; ++j) {
                double score = 0;
                for (size_t t = 0; t != depth; ++t) score += turned(f, q, i, head, t) * turned(f, k, j, head, t);
                sum += weights[j] = exp(score / sqrt((double)depth));
            }
            for (size_t j = 0; j != n; ++j)
                for (size_t t = head * depth; t != (head + 1) * depth; ++t)
                    a[i * d + t] += weights[j] / sum * v[j * d + t];
        }
    double *o = layer_product(f, layer, "attention.output", d, d, a, n);
    for (size_t i = 0; i != n * d; ++i) h[i] += o[i];
    free(u), free(a), free(weights), free(q), free(k), free(v), free(o);
}

static void feedforward(fixture_t const *f, unsigned layer, double *h, size_t n) {
    char name[80];
    snprintf(name, sizeof(name), "layers.%u.feedforward.norm", layer);
    double *u = normed(f, name, h, n);
    double *z = layer_product(f, layer, "feedforward.up", f->hidden, f->width, u, n);
    for (size_t i = 0; i != n * f->hidden; ++i) z[i] = z[i] / (1 + exp(-z[i]));
    double *o = layer_product(f, layer, "feedforward.down", f->width, f->hidden, z, n);
    for (size_t i = 0; i != n * f->width; ++i) h[i] += o[i];
    free(u), free(z), free(o);
}

double *reference_states(fixture_t const *f, unsigned char const *text, size_t length) {
    double *h = inputs(f, text, length);
    if (!f->layers) return h;
    for (unsigned i = 0; i != f->layers; ++i) attention(f, i, h, length), feedforward(f, i, h, length);
    double *states = normed(f, "norm", h, length);
    free(h);
    return states;
}

static double lane_column(fixture_t const *f, unsigned char const *x, size_t n, size_t column) {
    double sum = 0;
    for (size_t p = 1; p <= n + 1; ++p)
        for (size_t m = 3; m <= 4; ++m) {
            if (m > p + 1 || !whole(true, x, n, p, m)) continue;
            uint64_t const h = gram_of(true, x, n, p, m);
            double const w = (double)fixture_values(f, "lexical")[(h ^ (h >> 32)) % f->lexical_buckets];
            uint64_t z = h + (column / 64 + 1) * 0x9E3779B97F4A7C15u;
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
            z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
            z = z ^ (z >> 31);
            sum += z >> (column % 64) & 1 ? w : -w;
        }
    return sum;
}

double *reference_embedding(fixture_t const *f, unsigned char const *text, size_t length) {
    size_t const d = f->width, lane = f->lexical ? f->lexical_columns : 0;
    double *states = reference_states(f, text, length), *e = inputs(f, text, length);
    double *pooled = calloc(2 * d, sizeof(double)), *out = calloc(f->columns + lane, sizeof(double));
    for (size_t i = 0; i != length * d; ++i) pooled[i % d] += states[i] / (double)length;
    for (size_t i = 0; i != length * d; ++i) pooled[d + i % d] += e[i] / (double)length;
    double *dense = product(f, "projection", f->columns, f->skip ? 2 * d : d, pooled, 1);
    double square = 0, lane_square = 0;
    for (size_t i = 0; i != f->columns; ++i) square += dense[i] * dense[i];
    for (size_t i = 0; i != lane; ++i) out[f->columns + i] = lane_column(f, text, length, i);
    for (size_t i = 0; i != lane; ++i) lane_square += out[f->columns + i] * out[f->columns + i];
    double const share = lane && lane_square > 0 ? f->share : 0;
    for (size_t i = 0; i != f->columns; ++i) out[i] = sqrt(1 - share) * dense[i] / sqrt(square);
    for (size_t i = 0; i != lane && lane_square > 0; ++i) out[f->columns + i] *= sqrt(share / lane_square);
    free(states), free(e), free(pooled), free(dense);
    return out;
}

void reference_choose(fixture_t const *f, unsigned char const *text, size_t length, unsigned char const *choices,
                      size_t count, unsigned type, double *probabilities) {
    double *states = reference_states(f, text, length), sum = 0;
    for (size_t i = 0; i != count; ++i) {
        double logit = 0;
        for (size_t k = 0; k != f->width; ++k)
            logit += (double)fixture_values(f, "decoder.head")[choices[i] * f->width + k] *
                     (length ? states[(length - 1) * f->width + k] : (double)fixture_values(f, "decoder.empty")[k]);
        sum += probabilities[i] = exp(f->heats[type] * logit);
    }
    for (size_t i = 0; i != count; ++i) probabilities[i] /= sum;
    free(states);
}
