/** Checkpoints that are none: each is refused with its status, and nothing stays after. D13. */
#include <stdio.h>  // `snprintf`
#include <stdlib.h> // `free`, `malloc`
#include <string.h> // `memcpy`, `strstr`

#include "harness.h"

static void refused(char const *path, uform_status_t wanted, char const *mention) {
    uform_outcome_t outcome;
    uform_model_t model = model_open(path, uform_scalar_unknown_k, NULL, &outcome);
    CHECK_STATUS(outcome, wanted);
    CHECK(!model && outcome.item == -1 && outcome.message);
    if (mention && outcome.message && !CHECK(strstr(outcome.message, mention) != NULL))
        fprintf(stderr, "    %s\n", outcome.message);
    uform_model_free(model);
}

static void refused_bytes(void const *bytes, size_t size, uform_status_t wanted, char const *mention) {
    refused(file_write(bytes, size), wanted, mention);
}

/** A file of a header as it stands, and a body of zeroes. */
static void refused_header(char const *header, size_t body, char const *mention) {
    size_t const length = strlen(header);
    uint64_t const prefix = length;
    unsigned char *bytes = calloc(1, 8 + length + body);
    memcpy(bytes, &prefix, 8);
    memcpy(bytes + 8, header, length);
    refused_bytes(bytes, 8 + length + body, uform_status_malformed_k, mention);
    free(bytes);
}

static void test_files(void) {
    uint64_t lengths[] = {UINT64_MAX, INT64_MAX, 16777217, 9, 8};
    refused(".", uform_status_unsupported_k, "folder"); // a folder, such as models of others come in
    refused("no-such-file.safetensors", uform_status_io_k, NULL);
    refused("", uform_status_io_k, NULL);
    refused_bytes("", 0, uform_status_malformed_k, "shorter");
    for (size_t i = 0; i != 5; ++i) {
        unsigned char bytes[16] = {0};
        memcpy(bytes, &lengths[i], 8);
        memcpy(bytes + 8, "{}}}}}}}", 8);
        refused_bytes(bytes, 16, uform_status_malformed_k, "header");
    }
}

static void test_truncation(void) {
    fixture_t *fixture = fixture_tiny();
    size_t size;
    unsigned char *bytes = fixture_file(fixture, "", &size);
    for (size_t cut = 0; cut != size; ++cut) refused_bytes(bytes, cut, uform_status_malformed_k, NULL);
    refused_bytes(bytes, size - 1, uform_status_malformed_k, "end elsewhere");
    unsigned char *longer = malloc(size + 1);
    memcpy(longer, bytes, size), longer[size] = 0;
    refused_bytes(longer, size + 1, uform_status_malformed_k, "end elsewhere");
    free(longer), free(bytes);
    fixture_free(fixture);
}

static void test_headers(void) {
    static struct {
        char const *header;
        size_t body;
        char const *mention;
    } const cases[] = {
        {"", 0, "none"}, {"[]", 0, "not a JSON object"}, {"{", 0, NULL}, {"{}{}", 0, "goes on"}, {"{} x", 0, "goes on"},
        {"{\"a\":1,}", 0, "string"}, {"{\"a\" 1}", 0, "colon"}, {"{\"a\":01}", 0, "leading zero"},
        {"{\"a\":1.}", 0, "point"}, {"{\"a\":1e}", 0, "exponent"}, {"{\"a\":-}", 0, "none"}, {"{\"a\":+1}", 0, "none"},
        {"{\"a\":tru}", 0, "none"}, {"{\"a\":\"\\x\"}", 0, "escape"}, {"{\"a\":\"\\ud800\"}", 0, "half"},
        {"{\"a\":\"\\u12\"}", 0, "digits"}, {"{\"a\":\"\t\"}", 0, "control"}, {"{\"a\":\"\xFF\"}", 0, "UTF-8"},
        {"{\"a\":1,\"a\":1}", 0, "twice"}, {"{\"a\":1,\"\\u0061\":1}", 0, "twice"},
        {"{\"b\":{\"a\":1,\"a\":1}}", 0, "twice"},
        {"{}", 0, "__metadata__"}, {"{\"__metadata__\":{\"a\":1}}", 0, "string"}, {"{\"__metadata__\":{}}", 0, "uform"},
        {"{\"__metadata__\":{},\"t\":{\"dtype\":\"F33\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, "dtype"},
        {"{\"__metadata__\":{},\"t\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],"
         "\"data_offsets\":[0,4]}}", 4, "8 dim"},
        {"{\"__metadata__\":{},\"t\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 4, "natural"},
        {"{\"__metadata__\":{},\"t\":{\"dtype\":\"F32\",\"shape\":[1.5],\"data_offsets\":[0,4]}}", 4, "natural"},
        {"{\"__metadata__\":{},\"t\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],"
         "\"data_offsets\":[0,4]}}", 4, "overflow"},
        {"{\"__metadata__\":{},\"t\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, "size"},
        {"{\"__metadata__\":{},\"t\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", 4, "size"},
        {"{\"__metadata__\":{},\"t\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,8]}}", 4, "two"},
        {"{\"__metadata__\":{},\"t\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", 8, "gap"},
        {"{\"__metadata__\":{},\"t\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
         "\"u\":{\"dtype\":\"I8\",\"shape\":[4],\"data_offsets\":[2,6]}}", 6, "overlap"},
        {"{\"__metadata__\":{},\"t\":{\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "lacks"},
    };
    for (size_t i = 0; i != sizeof(cases) / sizeof(cases[0]); ++i)
        refused_header(cases[i].header, cases[i].body, cases[i].mention);
    for (size_t depth = 15; depth <= 17; ++depth) {
        char header[64] = "{\"a\":";
        size_t at = strlen(header);
        for (size_t i = 1; i != depth; ++i) header[at++] = '[';
        for (size_t i = 1; i != depth; ++i) header[at++] = ']';
        header[at++] = '}';
        refused_header(header, 0, depth > 16 ? "deeper" : "__metadata__"); // sixteen are allowed
    }
}

/** Replaces the first @p from in the fixture's configuration. */
static void config_edit(fixture_t *fixture, char const *from, char const *to) {
    char copy[sizeof(fixture->config)];
    char *at = strstr(fixture->config, from);
    if (!CHECK(at != NULL)) return;
    snprintf(copy, sizeof(copy), "%.*s%s%s", (int)(at - fixture->config), fixture->config, to, at + strlen(from));
    memcpy(fixture->config, copy, sizeof(copy));
}

static void test_configurations(void) {
    static struct {
        char const *from, *to;
        uform_status_t wanted;
    } const cases[] = {
        {"\"version\":1", "\"version\":3", uform_status_unsupported_k},
        {"\"version\":1", "\"version\":4294967297", uform_status_unsupported_k},
        {"\"version\":1", "\"version\":0", uform_status_malformed_k},
        {"\"version\":1", "\"version\":1.0", uform_status_malformed_k},
        {"\"format\":\"uform\"", "\"format\":\"other\"", uform_status_malformed_k},
        {"\"text\"", "\"image\"", uform_status_malformed_k},
        {"\"text\"", "\"text\",\"text\"", uform_status_malformed_k},
        {"\"context\":600", "\"context\":0", uform_status_malformed_k},
        {"\"context\":600", "\"context\":1048577", uform_status_malformed_k},
        {"\"context\":600", "\"context\":\"600\"", uform_status_malformed_k},
        {"\"width\":24", "\"width\":25", uform_status_malformed_k},
        {"\"heads\":3", "\"heads\":5", uform_status_malformed_k},
        {"\"heads\":3", "\"heads\":24", uform_status_malformed_k}, // an odd part
        {"\"heads\":3", "\"heads\":0", uform_status_malformed_k},
        {"\"layers\":2", "\"layers\":0", uform_status_malformed_k}, // heads are left
        {"\"layers\":2", "\"layers\":3", uform_status_malformed_k}, // a layer is missing
        {"\"norm_epsilon\":1e-5", "\"norm_epsilon\":0", uform_status_malformed_k},
        {"\"norm_epsilon\":1e-5", "\"norm_epsilon\":1e999", uform_status_malformed_k},
        {"\"rotary_base\":5e2", "\"rotary_base\":0.5", uform_status_malformed_k},
        {"\"skip\":true", "\"skip\":1", uform_status_malformed_k},
        {"\"sizes\":[1,2,3,5]", "\"sizes\":[]", uform_status_malformed_k},
        {"\"sizes\":[1,2,3,5]", "\"sizes\":[1,1]", uform_status_malformed_k},
        {"\"sizes\":[1,2,3,5]", "\"sizes\":[9]", uform_status_malformed_k},
        {"\"hashes\":2", "\"hashes\":5", uform_status_malformed_k},
        {"\"buckets\":97", "\"buckets\":96", uform_status_malformed_k},
        {"\"share\":0.3", "\"share\":1", uform_status_malformed_k},
        {"\"columns\":64", "\"columns\":65", uform_status_malformed_k},
        {"\"inverse_temperature\":1}", "\"inverse_temperature\":0}", uform_status_malformed_k},
        {"\"name\":\"plain\",", "", uform_status_malformed_k},
        {"\"skip\":true", "\"skip\":true,\"skip\":true", uform_status_malformed_k},
        {"\"skip\":true", "\"skip\":true,\"grams\":null", uform_status_malformed_k},
    };
    for (size_t i = 0; i != sizeof(cases) / sizeof(cases[0]); ++i) {
        fixture_t *fixture = fixture_rich();
        config_edit(fixture, cases[i].from, cases[i].to);
        refused(fixture_write(fixture), cases[i].wanted, NULL);
        fixture_free(fixture);
    }
}

static void test_tensors(void) {
    static uint32_t const odd[] = {0x7FC00000, 0x7F800000, 0xFF800000}; // a NaN and both infinities
    static char const *const places[] = {"layers.0.attention.query", "layers.1.attention.norm", "norm", "empty",
                                         "decoder.empty", "layers.0.attention.value.scales", "bytes.scales"};
    for (size_t i = 0; i != 7; ++i)
        for (size_t k = 0; k != 3; ++k) { // D13
            fixture_t *fixture = fixture_rich();
            fixture_tensor_t *tensor = fixture_find(fixture, places[i]);
            memcpy(tensor->data + tensor->bytes - 4, &odd[k], 4);
            refused(fixture_write(fixture), uform_status_malformed_k, places[i]);
            fixture_free(fixture);
        }
    static char const *const needed[] = {"bytes", "grams", "layers.1.feedforward.down", "norm", "projection", "empty",
                                         "lexical", "decoder.head", "decoder.empty", "grams.scales",
                                         "layers.0.attention.output.scales"};
    for (size_t i = 0; i != 11; ++i)
        for (int how = 0; how != 2; ++how) {
            fixture_t *fixture = fixture_rich();
            fixture_tensor_t *tensor = fixture_find(fixture, needed[i]);
            char const *same_size = tensor->dtype[0] == 'F' ? "I32" : tensor->dtype[0] == 'B' ? "F16" : "BOOL";
            if (how == 0) snprintf(tensor->name, sizeof(tensor->name), "else");
            else snprintf(tensor->dtype, sizeof(tensor->dtype), "%s", same_size);
            refused(fixture_write(fixture), uform_status_malformed_k, how == 0 ? needed[i] : NULL);
            fixture_free(fixture);
        }
    fixture_t *fixture = fixture_rich();
    uint16_t const negative = 0xBF80;
    memcpy(fixture_find(fixture, "lexical")->data, &negative, 2);
    refused(fixture_write(fixture), uform_status_malformed_k, "negative");
    fixture_free(fixture);
    fixture = fixture_rich();
    float const large = 2;
    memcpy(fixture_find(fixture, "empty")->data, &large, 4);
    refused(fixture_write(fixture), uform_status_malformed_k, "length 1");
    size_t size; // what the page does not name is ignored, empty tensors that share a place too
    memcpy(fixture_find(fixture, "empty")->data, &fixture_find(fixture, "empty")->values[0], 4);
    static char const extra[] = ",\"more\":{\"dtype\":\"F64\",\"shape\":[0,7],\"data_offsets\":[0,0]},"
                                "\"moments\":{\"dtype\":\"I64\",\"shape\":[3,0],\"data_offsets\":[0,0]}";
    unsigned char *bytes = fixture_file(fixture, extra, &size);
    uform_model_free(model_open(file_write(bytes, size), uform_scalar_unknown_k, NULL, NULL));
    free(bytes);
    fixture_free(fixture);
}

void test_hostile(void) {
    test_files();
    test_truncation();
    test_headers();
    test_configurations();
    test_tensors();
}
