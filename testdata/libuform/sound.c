/** Steps 3 to 7 of section 11. */
#include "sound.h"

#include <math.h>   // `cos`, `log`, `sin`
#include <string.h> // `memset`

static double const pi = 3.14159265358979323846;

/* -------------------- Resampling -------------------------------------------------------------- */

enum {
    crossings_k = 32,
    /** Weights that are kept, of every phase, where they are no more. */
    table_weights_k = 1 << 20,
};

/** From rate `from` to `to`: their ratio in lowest terms is `up / down`. Nothing at `half` or
 *  farther counts. */
typedef struct resampler_t {
    uint64_t up, down, half;
    double cutoff;
    /** `2 * half` for each phase, or for the one that is being computed. */
    double *weights;
    bool whole_table;
} resampler_t;

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t const rest = a % b;
        a = b, b = rest;
    }
    return a;
}

size_t sound_resampled(size_t count, uint32_t from, uint32_t to) {
    uint64_t const divisor = common_divisor(from, to), up = to / divisor, down = from / divisor;
    uint64_t const whole = count / down, rest = count % down;
    if (whole > (SIZE_MAX - up) / up) return SIZE_MAX;
    return (size_t)(whole * up + (rest * up + down - 1) / down);
}

/** The modified Bessel function of the first kind and order zero, by its series. */
static double bessel(double x) {
    double sum = 1, term = 1;
    for (unsigned k = 1; term > sum * 1e-17; ++k) term *= x / 2 / k * (x / 2 / k), sum += term;
    return sum;
}

/** Weights of the samples from `1 - half` to `half` around an output, which lies `phase / up` after
 *  sample zero. */
static void phase_weigh(resampler_t const *resampler, uint64_t phase, double *weights) {
    double const beta = 12, rolloff = 0.945, half = (double)resampler->half;
    double const fraction = (double)phase / (double)resampler->up;
    double sum = 0;
    for (uint64_t i = 0; i != 2 * resampler->half; ++i) {
        double const t = (double)i + 1 - half - fraction, x = pi * resampler->cutoff * rolloff * t;
        double const inside = 1 - t / half * (t / half);
        weights[i] = inside <= 0 ? 0 : (x == 0 ? 1 : sin(x) / x) * bessel(beta * sqrt(inside));
        sum += weights[i];
    }
    for (uint64_t i = 0; i != 2 * resampler->half; ++i) weights[i] /= sum;
}

static fault_t resampler_make(resampler_t *resampler, uint32_t from, uint32_t to) {
    uint64_t const divisor = common_divisor(from, to);
    *resampler = (resampler_t){.up = to / divisor, .down = from / divisor, .half = crossings_k, .cutoff = 1};
    if (resampler->up < resampler->down) {
        resampler->half = (crossings_k * resampler->down + resampler->up - 1) / resampler->up;
        resampler->cutoff = (double)resampler->up / (double)resampler->down;
    }
    resampler->whole_table = resampler->half <= table_weights_k / 2 / resampler->up;
    uint64_t const phases = resampler->whole_table ? resampler->up : 1;
    resampler->weights = memory_take((size_t)(phases * 2 * resampler->half * sizeof(double)));
    if (!resampler->weights) return fault_memory("the filter of a resampler");
    for (uint64_t phase = 0; resampler->whole_table && phase != phases; ++phase)
        phase_weigh(resampler, phase, resampler->weights + phase * 2 * resampler->half);
    return fault_none();
}

/** The first `count` outputs, zero lying outside of the recording; fewer once the call is
 *  stopped. */
static void resampler_run(resampler_t const *resampler, sound_t const *sound, size_t count, float *out, call_t *call) {
    uint64_t at = 0, phase = 0; // an output's place among the inputs is at + phase / up
    for (size_t j = 0; j != count && !atomic_load(&call->stopped); ++j) {
        double *weights = resampler->weights;
        if (resampler->whole_table) weights += phase * 2 * resampler->half;
        else phase_weigh(resampler, phase, weights);
        double sum = 0;
        for (uint64_t i = 0; i != 2 * resampler->half; ++i) {
            // Wraps below zero, and then lies outside too.
            uint64_t const place = at + 1 + i - resampler->half;
            if (place < sound->count) sum += weights[i] * (double)sound->samples[place];
        }
        out[j] = (float)sum;
        at += resampler->down / resampler->up, phase += resampler->down % resampler->up;
        if (phase >= resampler->up) phase -= resampler->up, ++at;
    }
}

/* -------------------- Bands ------------------------------------------------------------------- */

size_t sound_patches_count(audio_config_t const *config, size_t count, size_t context) {
    if (!count) return 0;
    size_t const patches = (count - 1) / config->hop / config->frames + 1;
    return patches < context ? patches : context;
}

/** What the frames of a recording share. */
typedef struct analyzer_t {
    audio_config_t const *config;
    /** Hann's window, and the cosine and sine of every whole part of a turn. */
    double *window, *cosines, *sines;
    /** Points of the bands in Hz, `mels + 2` of them. */
    double *points;
    double *frame, *powers;
} analyzer_t;

static double mel_of(double frequency) { return 2595 * log10(1 + frequency / 700); }

static bool analyzer_make(analyzer_t *analyzer, audio_config_t const *config) {
    size_t const window = config->window, bands = config->mels;
    double *block = memory_take((window * 5 + 1 + bands + 2) * sizeof(double));
    *analyzer = (analyzer_t){config, block, block + window, block + 2 * window, block + 5 * window + 1,
                             block + 3 * window, block + 4 * window};
    if (!block) return false;
    for (size_t k = 0; k != window; ++k) {
        double const turn = 2 * pi * (double)k / (double)window;
        analyzer->cosines[k] = cos(turn), analyzer->sines[k] = sin(turn);
        analyzer->window[k] = 0.5 - 0.5 * cos(turn);
    }
    double const low = mel_of(config->low), high = mel_of(config->high);
    for (size_t i = 0; i != bands + 2; ++i)
        analyzer->points[i] =
            700 * (pow(10, (low + (high - low) * (double)i / (double)(bands + 1)) / 2595) - 1);
    return true;
}

/** Powers of the frame at a place of the samples, which may begin before them and end after. */
static void frame_powers(analyzer_t *analyzer, float const *samples, size_t count, size_t frame) {
    size_t const window = analyzer->config->window;
    for (size_t k = 0; k != window; ++k) {
        // Wraps below zero, and lies outside too.
        size_t const place = frame * analyzer->config->hop + k - window / 2;
        analyzer->frame[k] = place < count ? (double)samples[place] * analyzer->window[k] : 0;
    }
    for (size_t m = 0; m <= window / 2; ++m) {
        double real = 0, imaginary = 0;
        for (size_t k = 0, turn = 0; k != window; ++k, turn += m) {
            if (turn >= window) turn -= window;
            real += analyzer->frame[k] * analyzer->cosines[turn];
            imaginary -= analyzer->frame[k] * analyzer->sines[turn];
        }
        analyzer->powers[m] = real * real + imaginary * imaginary;
    }
}

static float band_value(audio_config_t const *config, double power) {
    return (float)((log(1e-6 + power) - config->mean) / config->deviation);
}

static void frame_bands(analyzer_t const *analyzer, float *out) {
    audio_config_t const *config = analyzer->config;
    for (size_t b = 0; b != config->mels; ++b) {
        double const *point = analyzer->points + b;
        double sum = 0;
        for (size_t m = 0; m <= config->window / 2; ++m) {
            double const frequency = (double)m * config->rate / config->window;
            if (frequency <= point[0] || frequency >= point[2]) continue;
            sum += analyzer->powers[m] * (frequency <= point[1] ? (frequency - point[0]) / (point[1] - point[0])
                                                                : (point[2] - frequency) / (point[2] - point[1]));
        }
        out[b] = band_value(config, sum);
    }
}

static fault_t bands_write(audio_config_t const *config, float const *samples, size_t count, size_t patches, float *out,
                           call_t *call) {
    analyzer_t analyzer;
    if (!analyzer_make(&analyzer, config)) return fault_memory("the analysis of a recording");
    for (size_t f = 0; f != patches * config->frames && !atomic_load(&call->stopped); ++f, out += config->mels) {
        if (f * config->hop < count) {
            frame_powers(&analyzer, samples, count, f);
            frame_bands(&analyzer, out);
            if (f % 64 == 63) call_advance(call, 0);
        }
        else
            for (size_t b = 0; b != config->mels; ++b) out[b] = band_value(config, 0);
    }
    memory_give(analyzer.window);
    return fault_none();
}

fault_t sound_patches(audio_config_t const *config, sound_t const *sound, size_t patches, float *out, call_t *call) {
    if (sound->rate == config->rate) return bands_write(config, sound->samples, sound->count, patches, out, call);
    // Samples past the last frame's end are not used.
    size_t count = sound_resampled(sound->count, sound->rate, config->rate);
    size_t const reach = patches * config->frames * config->hop + config->window;
    if (count > reach) count = reach;
    resampler_t resampler;
    fault_t fault = resampler_make(&resampler, sound->rate, config->rate);
    float *resampled = fault.status ? NULL : memory_take(count * sizeof(float));
    if (!fault.status && !resampled) fault = fault_memory("a resampled recording");
    if (!fault.status) {
        resampler_run(&resampler, sound, count, resampled, call);
        fault = bands_write(config, resampled, count, patches, out, call);
    }
    memory_give(resampled);
    memory_give(resampler.weights);
    return fault;
}
