/** Sections 4 to 6 of the checkpoint page, one item at a time. */
#include "trunk.h"

#include <math.h>   // `sqrt`, `expf`
#include <string.h> // `memset`

#include "fold.h"
#include "tape.h"

enum {
    /** Tokens that go through the feed-forward part together. */
    hidden_tokens_k = 64,
};

/* -------------------- Rooms ------------------------------------------------------------------- */

typedef struct surveyor_t {
    unsigned char *base;
    uint64_t used;
} surveyor_t;

static void *room(surveyor_t *surveyor, uint64_t count, size_t element) {
    void *place = surveyor->base ? surveyor->base + surveyor->used : NULL;
    surveyor->used += (count * element + 63) / 64 * 64;
    return place;
}

static uint32_t greater(uint32_t a, uint32_t b) { return a > b ? a : b; }

uint32_t patch_scalars(model_t const *model, uform_modality_t modality) {
    config_t const *config = &model->config;
    switch (modality) {
    case uform_modality_image_k:
    case uform_modality_video_k: return 3 * config->image.patch * config->image.patch;
    case uform_modality_audio_k: return config->audio.frames * config->audio.mels;
    default: return 0;
    }
}

size_t rooms_lay(call_t const *call, uform_modality_t modality, unsigned char *base, rooms_t *rooms) {
    model_t const *model = call->model;
    size_t const tokens = call->longest_tokens;
    config_t const *config = &model->config;
    uint32_t const patch = patch_scalars(model, modality);
    surveyor_t surveyor = {.base = base};
    uint64_t const width = config->width, area = tokens * width;
    uint64_t const deep = config->layers != 0; // nothing of a layer is needed where there is none
    rooms->state_sums = room(&surveyor, width, sizeof(double));
    rooms->input_sums = room(&surveyor, width, sizeof(double));
    rooms->lane = room(&surveyor, config->lexical_columns, sizeof(double));
    rooms->states = room(&surveyor, area, sizeof(float));
    rooms->normed = room(&surveyor, area * deep, sizeof(float));
    rooms->queries = room(&surveyor, area * deep, sizeof(float));
    rooms->keys = room(&surveyor, area * deep, sizeof(float));
    rooms->values = room(&surveyor, area * deep, sizeof(float));
    rooms->turns = room(&surveyor, deep ? area / config->heads : 0, sizeof(float));
    rooms->scores = room(&surveyor, tokens * deep, sizeof(float));
    rooms->hidden = room(&surveyor, (uint64_t)hidden_tokens_k * config->hidden, sizeof(float));
    rooms->row = room(&surveyor, greater(greater(config->hidden, 2 * config->width), patch), sizeof(float));
    rooms->pooled = room(&surveyor, 2 * width, sizeof(float));
    rooms->dense = room(&surveyor, greater(model_columns(model), config->width), sizeof(float));
    rooms->padded = room(&surveyor, tokens + 2, 1);
    rooms->fold = room(&surveyor, config->fold ? fold_room(call->longest_bytes) : 0, 1);
    rooms->text = NULL;
    rooms->places = NULL;
    rooms->patches = room(&surveyor, (uint64_t)tokens * patch, sizeof(float));
    return surveyor.used > SIZE_MAX / 2 ? 0 : (size_t)surveyor.used;
}

unsigned char const *trunk_text(call_t const *call, size_t item, bool tail) {
    unsigned char const *text = tape_item(&call->inputs, item);
    return tail ? text + (tape_length(&call->inputs, item) - call_tokens(call, item)) : text;
}

/** Tokens of the longest text once all are folded. */
static fault_t measure_folded(call_t *call, bool tail) {
    unsigned char *room = memory_take(fold_room(call->longest_bytes));
    if (!room) return fault_memory("folding a text that long");
    call->longest_tokens = 0;
    for (size_t i = 0; i != call->total; ++i) {
        size_t const tokens = fold_text(trunk_text(call, i, tail), call_tokens(call, i), room, NULL);
        if (tokens > call->longest_tokens) call->longest_tokens = tokens;
    }
    memory_give(room);
    return fault_none();
}

fault_t trunk_prepare(call_t *call, uform_modality_t modality, bool tail) {
    for (size_t i = 0; i != call->total; ++i)
        if (call_tokens(call, i) > call->longest_tokens) call->longest_tokens = call_tokens(call, i);
    bool const folds = modality == uform_modality_text_k && call->model->config.fold && call->longest_tokens;
    if (folds) {
        call->longest_bytes = call->longest_tokens;
        fault_t const fault = measure_folded(call, tail);
        if (fault.status) return fault;
    }
    rooms_t rooms;
    size_t const bytes = rooms_lay(call, modality, NULL, &rooms);
    return bytes ? call_prepare(call, bytes) : fault_memory("the scratch of an item that long");
}

/* -------------------- Input rows -------------------------------------------------------------- */

static void add_hashed(model_t const *model, uint64_t hash, float *row) {
    grams_t const *grams = &model->config.grams;
    for (uint32_t i = 0; i != grams->hashes; ++i, hash = hash_next(hash))
        matrix_add_row(&model->grams, hash_bucket(hash, grams->buckets), row);
}

/** The rows of every gram and word, each added to the byte it belongs to. */
static void add_grams(model_t const *model, unsigned char const *padded, size_t tokens, float *rows) {
    grams_t const *grams = &model->config.grams;
    size_t const width = model->config.width;
    for (size_t end = 1; end <= tokens + 1; ++end) {
        float *row = rows + ((end < tokens ? end : tokens) - 1) * width;
        for (uint32_t i = 0; i != grams->sizes_count && grams_hold(grams, padded, end, grams->sizes[i]); ++i) {
            uint32_t const size = grams->sizes[i];
            add_hashed(model, gram_hash(padded + end + 1 - size, size), row);
        }
    }
    for (size_t begin = 1, end; grams->words && begin <= tokens; begin = end + 1) {
        for (end = begin; padded[end] != 0x20;) ++end; // the closing space ends the last word
        if (end != begin) add_hashed(model, word_hash(padded + begin, end - begin), rows + (end - 2) * width);
    }
}

void trunk_read_text(model_t const *model, unsigned char const *text, size_t length, rooms_t *rooms) {
    size_t const width = model->config.width;
    size_t const tokens = model->config.fold ? fold_text(text, length, rooms->fold, &rooms->places) : length;
    rooms->tokens = tokens;
    rooms->text = text = model->config.fold ? rooms->fold : text;
    for (size_t i = 0; i != tokens; ++i) matrix_row(&model->bytes, text[i], rooms->states + i * width);
    if (tokens && model->config.has_grams) {
        text_pad(text, tokens, model->config.grams.fold, rooms->padded);
        add_grams(model, rooms->padded, tokens, rooms->states);
    }
}

void trunk_read_patches(model_t const *model, uform_modality_t modality, size_t tokens, rooms_t *rooms) {
    bool const heard = modality == uform_modality_audio_k;
    size_t const width = model->config.width, picture = image_tokens(&model->config);
    rooms->tokens = tokens;
    matrix_t const *patches = heard ? &model->audio_patches : &model->image_patches;
    matrix_multiply(patches, rooms->patches, tokens, rooms->states, false, rooms->row);
    for (size_t i = 0; i != tokens && !heard; ++i) {
        matrix_add_row(&model->image_positions, (uint32_t)(i % picture), rooms->states + i * width);
        if (modality == uform_modality_video_k)
            matrix_add_row(&model->video_times, (uint32_t)(i / picture), rooms->states + i * width);
    }
}

static void sum_rows(float const *rows, size_t count, size_t width, double *sums) {
    memset(sums, 0, width * sizeof(double));
    for (size_t i = 0; i != count; ++i)
        for (size_t k = 0; k != width; ++k) sums[k] += rows[i * width + k];
}

/* -------------------- Layers ------------------------------------------------------------------ */

static void norm_rows(model_t const *model, float const *rows, size_t count, float const *gains, float *out) {
    size_t const width = model->config.width;
    for (size_t i = 0; i != count; ++i, rows += width, out += width) {
        double square = 0;
        for (size_t k = 0; k != width; ++k) square += (double)rows[k] * rows[k];
        float const scale = (float)(1 / sqrt(square / (double)width + model->config.norm_epsilon));
        for (size_t k = 0; k != width; ++k) out[k] = rows[k] * scale * gains[k];
    }
}

/** Angles are the same in every head and layer. */
static void fill_turns(model_t const *model, size_t tokens, float *turns) {
    size_t const half = model->config.width / model->config.heads / 2;
    for (size_t t = 0; t != half; ++t) {
        double const rate = pow(model->config.rotary_base, -(double)t / (double)half);
        for (size_t i = 0; i != tokens; ++i) {
            turns[(i * half + t) * 2] = (float)cos((double)i * rate);
            turns[(i * half + t) * 2 + 1] = (float)sin((double)i * rate);
        }
    }
}

static void turn_rows(model_t const *model, float const *turns, size_t tokens, float *rows) {
    size_t const width = model->config.width, heads = model->config.heads, half = width / heads / 2;
    for (size_t i = 0; i != tokens; ++i)
        for (size_t head = 0; head != heads; ++head) {
            float *low = rows + i * width + head * half * 2, *high = low + half;
            for (size_t t = 0; t != half; ++t) {
                float const cosine = turns[(i * half + t) * 2], sine = turns[(i * half + t) * 2 + 1];
                float const a = low[t], b = high[t];
                low[t] = a * cosine - b * sine;
                high[t] = a * sine + b * cosine;
            }
        }
}

/** Softmax in place; answers what to divide by. */
static float exponentiate(float *scores, size_t count) {
    float most = scores[0];
    for (size_t j = 1; j != count; ++j) most = scores[j] > most ? scores[j] : most;
    double sum = 0;
    for (size_t j = 0; j != count; ++j) sum += scores[j] = expf(scores[j] - most);
    return (float)sum;
}

/** One position in one head: what it attends to, summed into `out`. */
static void attend(rooms_t const *rooms, size_t tokens, size_t width, size_t from, size_t i, size_t depth, float *out) {
    float const *query = rooms->queries + i * width + from;
    float const scale = 1 / sqrtf((float)depth);
    for (size_t j = 0; j != tokens; ++j) rooms->scores[j] = dot(query, rooms->keys + j * width + from, depth) * scale;
    float const share = 1 / exponentiate(rooms->scores, tokens);
    memset(out, 0, depth * sizeof(float));
    for (size_t j = 0; j != tokens; ++j) {
        float const weight = rooms->scores[j] * share, *value = rooms->values + j * width + from;
        for (size_t t = 0; t != depth; ++t) out[t] += weight * value[t];
    }
}

static void run_attention(model_t const *model, layer_t const *layer, size_t tokens, rooms_t *rooms) {
    size_t const width = model->config.width, depth = width / model->config.heads;
    norm_rows(model, rooms->states, tokens, layer->attention_norm, rooms->normed);
    matrix_multiply(&layer->query, rooms->normed, tokens, rooms->queries, false, rooms->row);
    matrix_multiply(&layer->key, rooms->normed, tokens, rooms->keys, false, rooms->row);
    matrix_multiply(&layer->value, rooms->normed, tokens, rooms->values, false, rooms->row);
    turn_rows(model, rooms->turns, tokens, rooms->queries);
    turn_rows(model, rooms->turns, tokens, rooms->keys);
    for (size_t from = 0; from != width; from += depth)
        for (size_t i = 0; i != tokens; ++i)
            attend(rooms, tokens, width, from, i, depth, rooms->normed + i * width + from);
    matrix_multiply(&layer->output, rooms->normed, tokens, rooms->states, true, rooms->row);
}

static void run_feedforward(model_t const *model, layer_t const *layer, size_t tokens, rooms_t *rooms) {
    size_t const width = model->config.width, hidden = model->config.hidden;
    for (size_t first = 0; first < tokens; first += hidden_tokens_k) {
        size_t const count = tokens - first < hidden_tokens_k ? tokens - first : hidden_tokens_k;
        norm_rows(model, rooms->states + first * width, count, layer->feedforward_norm, rooms->normed);
        matrix_multiply(&layer->up, rooms->normed, count, rooms->hidden, false, rooms->row);
        for (size_t k = 0; k != count * hidden; ++k) rooms->hidden[k] /= 1 + expf(-rooms->hidden[k]);
        matrix_multiply(&layer->down, rooms->hidden, count, rooms->states + first * width, true, rooms->row);
    }
}

bool trunk_run(model_t const *model, rooms_t *rooms, call_t *call) {
    config_t const *config = &model->config;
    size_t const tokens = rooms->tokens;
    sum_rows(rooms->states, tokens, config->width, rooms->input_sums);
    if (!config->layers || !tokens) return true;
    fill_turns(model, tokens, rooms->turns);
    for (uint32_t i = 0; i != config->layers; ++i) {
        bool const go_on = i && tokens >= slice_tokens_k ? call_advance(call, 0) : !atomic_load(&call->stopped);
        if (!go_on) return false;
        run_attention(model, &model->layers[i], tokens, rooms);
        run_feedforward(model, &model->layers[i], tokens, rooms);
    }
    norm_rows(model, rooms->states, tokens, model->norm, rooms->states);
    return true;
}

/* -------------------- Embeddings -------------------------------------------------------------- */

/** The lexical lane, not scaled yet. */
static void fill_lane(model_t const *model, rooms_t *rooms) {
    size_t const tokens = rooms->tokens;
    grams_t const *grams = &model->config.lexical;
    uint32_t const columns = model->config.lexical_columns;
    memset(rooms->lane, 0, columns * sizeof(double));
    text_pad(rooms->text, tokens, grams->fold, rooms->padded);
    for (size_t end = 1; end <= tokens + 1; ++end)
        for (uint32_t i = 0; i != grams->sizes_count && grams_hold(grams, rooms->padded, end, grams->sizes[i]); ++i) {
            uint32_t const size = grams->sizes[i];
            uint64_t const hash = gram_hash(rooms->padded + end + 1 - size, size);
            double const weight = (double)model->lexical[hash_bucket(hash, grams->buckets)];
            for (uint32_t block = 0; block != columns / 64; ++block) {
                uint64_t const signs = hash_signs(hash, block);
                double *lane = rooms->lane + block * 64;
                for (unsigned c = 0; c != 64; ++c) lane[c] += signs >> c & 1 ? weight : -weight;
            }
        }
}

void trunk_embed(model_t const *model, rooms_t *rooms, float *embedding) {
    config_t const *config = &model->config;
    size_t const tokens = rooms->tokens;
    if (!tokens) {
        memcpy(embedding, model->empty, model_columns(model) * sizeof(float));
        return;
    }
    size_t const width = config->width, columns = config->columns, lane_columns = config->lexical_columns;
    sum_rows(rooms->states, tokens, width, rooms->state_sums);
    for (size_t k = 0; k != width; ++k) {
        rooms->pooled[k] = (float)(rooms->state_sums[k] / (double)tokens);
        // Read with `skip` only.
        rooms->pooled[width + k] = (float)(rooms->input_sums[k] / (double)tokens);
    }
    matrix_multiply(&model->projection, rooms->pooled, 1, embedding, false, rooms->row);
    if (rooms->text && config->has_lexical) fill_lane(model, rooms);
    else memset(rooms->lane, 0, lane_columns * sizeof(double));
    double dense_square = 0, lane_square = 0;
    for (size_t k = 0; k != columns; ++k) dense_square += (double)embedding[k] * embedding[k];
    for (size_t k = 0; k != lane_columns; ++k) lane_square += rooms->lane[k] * rooms->lane[k];
    if (dense_square == 0 && lane_square == 0) {
        memcpy(embedding, model->empty, model_columns(model) * sizeof(float));
        return;
    }
    // A part of length zero leaves the whole length to the other.
    double const share = dense_square == 0 ? 1 : lane_square == 0 ? 0 : config->lexical_share;
    double const dense_scale = dense_square == 0 ? 0 : sqrt((1 - share) / dense_square);
    double const lane_scale = lane_square == 0 ? 0 : sqrt(share / lane_square);
    for (size_t k = 0; k != columns; ++k) embedding[k] = (float)(embedding[k] * dense_scale);
    for (size_t k = 0; k != lane_columns; ++k) embedding[columns + k] = (float)(rooms->lane[k] * lane_scale);
}
