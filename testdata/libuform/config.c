/** The configuration: one JSON object, every number in its range. */
#include "model.h"

#include <float.h> // `DBL_TRUE_MIN`
#include <math.h>  // `isnan`, `nextafter`

/** The least number that is above zero, as a bound. */
static double const above_zero = DBL_TRUE_MIN;

/** Members are read one after another; after the first fault, which is kept, nothing is read. */
typedef struct reader_t {
    json_t json;
    fault_t fault;
} reader_t;

static void refuse(reader_t *reader, char const *name, char const *why) {
    if (!reader->fault.status)
        reader->fault = fault_format(uform_status_malformed_k, "the configuration's %s %s", name, why);
}

/** The member, `NULL` where there is none or something was refused before. One of another type is
 *  refused. */
static json_node_t const *find(reader_t *reader, json_node_t const *object, char const *name, json_type_t type,
                               bool required) {
    if (reader->fault.status) return NULL;
    json_node_t const *member = json_member(&reader->json, object, name);
    if (!member && required) refuse(reader, name, "is missing");
    if (member && member->type != type) refuse(reader, name, "has another JSON type");
    return reader->fault.status ? NULL : member;
}

static bool in_range(json_node_t const *node, int64_t least, int64_t most) {
    return node->type == json_number_k && node->whole && node->integer >= least && node->integer <= most;
}

static uint32_t read_integer(reader_t *reader, json_node_t const *object, char const *name, int64_t least,
                             int64_t most) {
    json_node_t const *member = find(reader, object, name, json_number_k, true);
    if (!member) return 0;
    if (!in_range(member, least, most)) refuse(reader, name, "is not an integer in its range");
    return (uint32_t)member->integer;
}

static bool read_boolean(reader_t *reader, json_node_t const *object, char const *name) {
    json_node_t const *member = find(reader, object, name, json_boolean_k, false);
    return member && member->boolean;
}

/** A number within bounds, or its default; one without a default has NaN for it, and is
 *  required. */
static double read_number(reader_t *reader, json_node_t const *object, char const *name, double least, double most,
                          double otherwise) {
    json_node_t const *member = find(reader, object, name, json_number_k, isnan(otherwise));
    double const value = member ? member->number : otherwise;
    if (member && !(value >= least && value <= most)) refuse(reader, name, "is not a number in its range");
    return value;
}

static void read_modalities(reader_t *reader, json_node_t const *root, config_t *config) {
    static char const *const names[] = {"text", "image", "video", "audio"};
    json_node_t const *array = find(reader, root, "modalities", json_array_k, true);
    json_node_t const *entry = array ? json_first(&reader->json, array) : NULL;
    for (; entry; entry = json_next(&reader->json, entry)) {
        uint32_t bit = 0;
        for (uint32_t i = 0; i != 4; ++i)
            if (entry->type == json_string_k && json_text_is(entry->text, names[i])) bit = 1u << i;
        if (!bit || config->modalities & bit) refuse(reader, "modalities", "names an unknown one, or one twice");
        config->modalities |= bit;
    }
    if (!(config->modalities & 1u << uform_modality_text_k)) refuse(reader, "modalities", "lacks text");
}

/** What `grams` and `lexical` share. */
static void read_grams(reader_t *reader, json_node_t const *object, grams_t *grams) {
    json_node_t const *sizes = find(reader, object, "sizes", json_array_k, true);
    if (sizes && (sizes->count < 1 || sizes->count > gram_sizes_most_k))
        refuse(reader, "sizes", "has not 1 to 8 entries");
    json_node_t const *entry = sizes && !reader->fault.status ? json_first(&reader->json, sizes) : NULL;
    int64_t least = 1;
    for (; entry && !reader->fault.status; entry = json_next(&reader->json, entry)) {
        if (!in_range(entry, least, 8)) refuse(reader, "sizes", "has entries that do not ascend from 1 to 8");
        grams->sizes[grams->sizes_count++] = (uint32_t)entry->integer;
        least = entry->integer + 1;
    }
    grams->buckets = read_integer(reader, object, "buckets", 1, 16777216);
    grams->fold = read_boolean(reader, object, "fold");
    grams->within = read_boolean(reader, object, "within");
    grams->hashes = 1;
}

static void read_lexical(reader_t *reader, json_node_t const *object, config_t *config) {
    read_grams(reader, object, &config->lexical);
    config->lexical_columns = read_integer(reader, object, "columns", 64, 1024);
    if (config->lexical_columns % 64) refuse(reader, "lexical.columns", "is no multiple of 64");
    config->lexical_share = read_number(reader, object, "share", above_zero, nextafter(1, 0), NAN);
}

/** Three numbers within bounds, or a default for each. */
static void read_channels(reader_t *reader, json_node_t const *object, char const *name, double least, double most,
                          bool whole, double otherwise, double *channels) {
    for (unsigned c = 0; c != 3; ++c) channels[c] = otherwise;
    json_node_t const *array = find(reader, object, name, json_array_k, false);
    if (!array) return;
    if (array->count != 3) refuse(reader, name, "has not 3 entries");
    json_node_t const *entry = json_first(&reader->json, array);
    for (unsigned c = 0; c != 3 && entry; ++c, entry = json_next(&reader->json, entry)) {
        bool const good = entry->type == json_number_k && entry->number >= least && entry->number <= most;
        if (!good || (whole && !entry->whole)) refuse(reader, name, "is not of numbers in their range");
        channels[c] = entry->number;
    }
}

static void read_image(reader_t *reader, json_node_t const *object, config_t *config) {
    image_config_t *image = &config->image;
    image->side = read_integer(reader, object, "side", 8, 1024);
    image->patch = read_integer(reader, object, "patch", 1, 128);
    read_channels(reader, object, "mean", -10, 10, false, 0.5, image->mean);
    read_channels(reader, object, "deviation", above_zero, 10, false, 0.5, image->deviation);
    double background[3];
    read_channels(reader, object, "background", 0, 255, true, 255, background);
    for (unsigned c = 0; c != 3; ++c) image->background[c] = (unsigned char)background[c];
    if (reader->fault.status) return;
    if (image->side % image->patch) refuse(reader, "image.side", "is no multiple of image.patch");
    else if (image_tokens(config) > config->context) refuse(reader, "image.patch", "gives more tokens than context");
}

static void read_video(reader_t *reader, json_node_t const *object, config_t *config) {
    config->video_frames = read_integer(reader, object, "frames", 1, 256);
    if (!reader->fault.status && (uint64_t)config->video_frames * image_tokens(config) > config->context)
        refuse(reader, "video.frames", "gives more tokens than context");
}

static void read_audio(reader_t *reader, json_node_t const *object, audio_config_t *audio) {
    audio->rate = read_integer(reader, object, "rate", 4000, 96000);
    audio->window = read_integer(reader, object, "window", 16, 8192);
    audio->hop = read_integer(reader, object, "hop", 1, audio->window);
    audio->mels = read_integer(reader, object, "mels", 4, 256);
    audio->low = read_number(reader, object, "low", 0, 48000, NAN);
    audio->high = read_number(reader, object, "high", 0, audio->rate / 2.0, NAN);
    audio->frames = read_integer(reader, object, "frames", 1, 256);
    audio->mean = read_number(reader, object, "mean", -100, 100, NAN);
    audio->deviation = read_number(reader, object, "deviation", above_zero, 100, NAN);
    if (!reader->fault.status && audio->low >= audio->high) refuse(reader, "audio.low", "is not below audio.high");
}

/** The object of a part that must be there exactly when the modalities need it; `NULL` where it is
 *  not. */
static json_node_t const *find_part(reader_t *reader, json_node_t const *root, char const *name, bool needed) {
    json_node_t const *part = find(reader, root, name, json_object_k, needed);
    if (part && !needed) refuse(reader, name, "is there, and no modality needs it");
    return reader->fault.status ? NULL : part;
}

static void read_media(reader_t *reader, json_node_t const *root, config_t *config) {
    bool const image = config->modalities >> uform_modality_image_k & 1;
    bool const video = config->modalities >> uform_modality_video_k & 1;
    bool const audio = config->modalities >> uform_modality_audio_k & 1;
    json_node_t const *part = find_part(reader, root, "image", image || video);
    if (part) read_image(reader, part, config);
    part = find_part(reader, root, "video", video);
    if (part) read_video(reader, part, config);
    part = find_part(reader, root, "audio", audio);
    if (part) read_audio(reader, part, &config->audio);
}

static void read_decoder(reader_t *reader, json_node_t const *object, config_t *config) {
    json_node_t const *types = find(reader, object, "question_types", json_array_k, true);
    if (types && (types->count < 1 || types->count > 256)) refuse(reader, "question_types", "has not 1 to 256 entries");
    if (!types || reader->fault.status) return;
    config->inverse_temperatures = memory_take(types->count * sizeof(double));
    if (!config->inverse_temperatures) {
        reader->fault = fault_memory("the question types");
        return;
    }
    json_node_t const *entry = json_first(&reader->json, types);
    for (; entry && !reader->fault.status; entry = json_next(&reader->json, entry)) {
        if (entry->type != json_object_k) refuse(reader, "question_types", "holds something else than objects");
        find(reader, entry, "name", json_string_k, true);
        config->inverse_temperatures[config->question_types++] =
            read_number(reader, entry, "inverse_temperature", above_zero, 1000, NAN);
    }
}

static void read_trunk(reader_t *reader, json_node_t const *root, config_t *config) {
    config->context = read_integer(reader, root, "context", 1, 1048576);
    config->width = read_integer(reader, root, "width", 1, 8192);
    config->layers = read_integer(reader, root, "layers", 0, 256);
    int64_t const some = config->layers != 0;
    config->heads = read_integer(reader, root, "heads", some, some * config->width);
    config->hidden = read_integer(reader, root, "hidden", some, some * 65536);
    config->columns = read_integer(reader, root, "columns", 1, 8192);
    config->skip = read_boolean(reader, root, "skip");
    if (!reader->fault.status && some && (config->width % config->heads || config->width / config->heads % 2))
        refuse(reader, "heads", "does not divide width into even parts");
    config->norm_epsilon = read_number(reader, root, "norm_epsilon", above_zero, 1, 1e-6);
    config->rotary_base = read_number(reader, root, "rotary_base", 1, 1e9, 10000);
}

/** A reader of version 1 would ignore the name and compute other vectors, so this requires version
 *  2. */
static void read_fold(reader_t *reader, json_node_t const *root, json_node_t const *version, config_t *config) {
    json_node_t const *fold = find(reader, root, "fold", json_string_k, false);
    if (!fold) return;
    if (version->integer < 2) refuse(reader, "fold", "takes version 2");
    if (!json_text_is(fold->text, "unicode-15.0")) refuse(reader, "fold", "is none that is known");
    config->fold = true;
}

static void read_root(reader_t *reader, config_t *config) {
    json_node_t const *root = &reader->json.nodes[0];
    if (root->type != json_object_k) refuse(reader, "text", "is not a JSON object");
    json_node_t const *format = find(reader, root, "format", json_string_k, true);
    if (format && !json_text_is(format->text, "uform")) refuse(reader, "format", "is not uform");
    json_node_t const *version = find(reader, root, "version", json_number_k, true);
    if (version && in_range(version, 3, INT64_MAX))
        reader->fault = fault_make(uform_status_unsupported_k, "the checkpoint is of a later version than 2");
    if (version && !in_range(version, 1, INT64_MAX)) refuse(reader, "version", "is not an integer above 0");
    read_fold(reader, root, version, config);
    read_modalities(reader, root, config);
    read_trunk(reader, root, config);
    json_node_t const *grams = find(reader, root, "grams", json_object_k, false);
    if (grams) {
        config->has_grams = true;
        read_grams(reader, grams, &config->grams);
        config->grams.hashes = read_integer(reader, grams, "hashes", 1, 4);
        config->grams.words = read_boolean(reader, grams, "words");
    }
    json_node_t const *lexical = find(reader, root, "lexical", json_object_k, false);
    if (lexical) config->has_lexical = true, read_lexical(reader, lexical, config);
    read_media(reader, root, config);
    json_node_t const *decoder = find(reader, root, "decoder", json_object_k, false);
    if (decoder) config->has_decoder = true, read_decoder(reader, decoder, config);
}

fault_t config_read(config_t *config, json_text_t text) {
    reader_t reader = {0};
    reader.fault = json_read(&reader.json, text.data, text.length, "the configuration");
    if (!reader.fault.status) read_root(&reader, config);
    json_drop(&reader.json);
    return reader.fault;
}

void config_drop(config_t *config) {
    memory_give(config->inverse_temperatures);
    config->inverse_temperatures = NULL;
}
