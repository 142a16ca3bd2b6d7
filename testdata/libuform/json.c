/** The JSON reader. */
#include "json.h"

#include <math.h>   // `pow`
#include <stdlib.h> // `qsort`
#include <string.h> // `memcmp`, `strlen`

#include "memory.h"

/** The reader's position. `why` is set once something is refused. */
typedef struct reader_t {
    json_t *json;
    char const *at, *end;
    size_t texts_used;
    unsigned depth;
    char const *why;
    bool starved;
} reader_t;

static bool refuse(reader_t *reader, char const *why) {
    if (!reader->why) reader->why = why;
    return false;
}

static void skip_space(reader_t *reader) {
    while (reader->at != reader->end && memchr(" \t\n\r", *reader->at, 4)) reader->at++;
}

static bool take(reader_t *reader, char wanted) {
    if (reader->at == reader->end || *reader->at != wanted) return false;
    reader->at++;
    return true;
}

static bool take_word(reader_t *reader, char const *word) {
    size_t const length = strlen(word);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0)
        return refuse(reader, "has a value that is none");
    reader->at += length;
    return true;
}

/* -------------------- Strings ----------------------------------------------------------------- */

static bool read_hex(reader_t *reader, uint32_t *code) {
    *code = 0;
    for (unsigned i = 0; i != 4; ++i, reader->at++) {
        char const c = reader->at == reader->end ? ' ' : *reader->at;
        unsigned const digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                               : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                               : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                      : 16;
        if (digit == 16) return refuse(reader, "has an escape without four digits");
        *code = *code * 16 + digit;
    }
    return true;
}

/** A code point that was escaped, of one half or two; what it takes is less than what its escape
 *  took. */
static bool read_escaped(reader_t *reader, char *out, size_t *length) {
    uint32_t code, low;
    if (!read_hex(reader, &code)) return false;
    if (code >= 0xD800 && code <= 0xDFFF) {
        if (code > 0xDBFF || !take(reader, '\\') || !take(reader, 'u') || !read_hex(reader, &low) || low < 0xDC00 ||
            low > 0xDFFF)
            return refuse(reader, "has half of an escaped pair");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    unsigned const more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static unsigned char const leads[4] = {0x00, 0xC0, 0xE0, 0xF0};
    out[(*length)++] = (char)(leads[more] | (code >> (6 * more)));
    for (unsigned i = more; i-- != 0;) out[(*length)++] = (char)(0x80 | ((code >> (6 * i)) & 0x3F));
    return true;
}

static bool read_string(reader_t *reader, json_text_t *text) {
    if (!take(reader, '"')) return refuse(reader, "lacks a string");
    char *out = reader->json->texts + reader->texts_used;
    size_t length = 0;
    for (;;) {
        if (reader->at == reader->end) return refuse(reader, "has a string without end");
        char const c = *reader->at++;
        if (c == '"') break;
        if ((unsigned char)c < 0x20) return refuse(reader, "has a control character in a string");
        if (c != '\\') {
            out[length++] = c;
            continue;
        }
        static char const names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
        char const name = reader->at == reader->end ? 0 : *reader->at++;
        char const *found = name ? strchr(names, name) : NULL;
        if (found) out[length++] = values[found - names];
        else if (name != 'u') return refuse(reader, "has an unknown escape");
        else if (!read_escaped(reader, out, &length)) return false;
    }
    reader->texts_used += length;
    *text = (json_text_t){out, (uint32_t)length};
    return true;
}

/* -------------------- Numbers ----------------------------------------------------------------- */

static bool is_digit(reader_t const *reader) {
    return reader->at != reader->end && *reader->at >= '0' && *reader->at <= '9';
}

/** Not `strtod`, whose decimal point is the locale's. The result may be off by an ulp, which is
 *  harmless here. */
static bool read_number(reader_t *reader, json_node_t *node) {
    bool const negative = take(reader, '-');
    double mantissa = 0;
    int64_t integer = 0;
    long exponent = 0;
    bool whole = true;
    char const *first = reader->at;
    for (; is_digit(reader); reader->at++) {
        int const digit = *reader->at - '0';
        if (integer > (INT64_MAX - digit) / 10) whole = false;
        else integer = integer * 10 + digit;
        mantissa = mantissa * 10 + digit;
    }
    if (reader->at == first) return refuse(reader, "has a value that is none");
    if (*first == '0' && reader->at - first > 1) return refuse(reader, "has a number with a leading zero");
    if (take(reader, '.')) {
        whole = false;
        if (!is_digit(reader)) return refuse(reader, "has a number without digits after its point");
        for (; is_digit(reader); reader->at++, exponent--) mantissa = mantissa * 10 + (*reader->at - '0');
    }
    if (take(reader, 'e') || take(reader, 'E')) {
        whole = false;
        bool const down = take(reader, '-');
        if (!down) take(reader, '+');
        if (!is_digit(reader)) return refuse(reader, "has a number without digits in its exponent");
        long power = 0;
        for (; is_digit(reader); reader->at++)
            if (power < 100000) power = power * 10 + (*reader->at - '0');
        exponent += down ? -power : power;
    }
    // Dividing by an exact power keeps short decimals such as 1e-6 the doubles they are meant to
    // be.
    double const value = exponent < 0 ? mantissa / pow(10, (double)-exponent) : mantissa * pow(10, (double)exponent);
    node->type = json_number_k;
    node->whole = whole;
    node->integer = negative ? -integer : integer;
    node->number = negative ? -value : value;
    return true;
}

/* -------------------- Objects and arrays ------------------------------------------------------ */

static int text_order(void const *left, void const *right) {
    json_text_t const *a = left, *b = right;
    if (a->length != b->length) return a->length < b->length ? -1 : 1;
    return memcmp(a->data, b->data, a->length);
}

/** Refuses a member named twice. A header may hold thousands, so names are sorted, not compared in
 *  pairs. */
static bool check_names(reader_t *reader, json_node_t const *object) {
    if (object->count < 2) return true;
    json_text_t *names = memory_take(object->count * sizeof(json_text_t));
    if (!names) {
        reader->starved = true;
        return refuse(reader, "is too large");
    }
    uint32_t count = 0;
    for (json_node_t const *member = json_first(reader->json, object); member; member = json_next(reader->json, member))
        names[count++] = member->name;
    qsort(names, count, sizeof(json_text_t), text_order);
    bool twice = false;
    for (uint32_t i = 1; i != count; ++i) twice = twice || text_order(&names[i - 1], &names[i]) == 0;
    memory_give(names);
    return !twice || refuse(reader, "names a member twice");
}

static bool read_value(reader_t *reader, uint32_t *index);

/** The rest of an array or object whose opening bracket was read. */
static bool read_children(reader_t *reader, json_node_t *node, bool named, char close) {
    if (++reader->depth > json_depth_most_k) return refuse(reader, "nests deeper than 16");
    node->type = named ? json_object_k : json_array_k;
    uint32_t *link = &node->first;
    skip_space(reader);
    bool more = !take(reader, close);
    while (more) {
        json_text_t name = {0};
        skip_space(reader);
        if (named) {
            if (!read_string(reader, &name)) return false;
            skip_space(reader);
            if (!take(reader, ':')) return refuse(reader, "lacks a colon");
        }
        uint32_t child;
        if (!read_value(reader, &child)) return false;
        reader->json->nodes[child].name = name;
        *link = child, link = &reader->json->nodes[child].next;
        node->count++;
        more = take(reader, ',');
        if (!more && !take(reader, close)) return refuse(reader, "lacks a comma or a closing bracket");
    }
    reader->depth--;
    return !named || check_names(reader, node);
}

/** Reads a value and the space around it. Nodes never move: there is room for all that the text can
 *  hold. */
static bool read_value(reader_t *reader, uint32_t *index) {
    *index = reader->json->count++;
    json_node_t *node = &reader->json->nodes[*index];
    skip_space(reader);
    char const c = reader->at == reader->end ? 0 : *reader->at;
    bool good;
    if (take(reader, '{')) good = read_children(reader, node, true, '}');
    else if (take(reader, '[')) good = read_children(reader, node, false, ']');
    else if (c == '"') node->type = json_string_k, good = read_string(reader, &node->text);
    else if (c == 't') node->type = json_boolean_k, node->boolean = true, good = take_word(reader, "true");
    else if (c == 'f') node->type = json_boolean_k, good = take_word(reader, "false");
    else if (c == 'n') node->type = json_null_k, good = take_word(reader, "null");
    else good = read_number(reader, node);
    skip_space(reader);
    return good;
}

fault_t json_read(json_t *json, char const *text, size_t length, char const *what) {
    *json = (json_t){0};
    // A value is the whole text, or follows a comma or an opening bracket.
    size_t values = 1;
    for (size_t i = 0; i != length; ++i) values += text[i] == ',' || text[i] == '[' || text[i] == '{';
    if (length < UINT32_MAX && values < SIZE_MAX / sizeof(json_node_t)) {
        json->nodes = memory_take(values * sizeof(json_node_t));
        json->texts = json->nodes ? memory_take(length) : NULL;
    }
    reader_t reader = {.json = json, .at = text, .end = text + length};
    uint32_t root;
    bool good = false;
    if (!json->texts) reader.starved = true;
    else good = read_value(&reader, &root) && (reader.at == reader.end || refuse(&reader, "goes on after its value"));
    if (good) return fault_none();
    json_drop(json);
    if (reader.starved) return fault_memory(what);
    return fault_format(uform_status_malformed_k, "%s %s", what, reader.why);
}

void json_drop(json_t *json) {
    memory_give(json->nodes);
    memory_give(json->texts);
    *json = (json_t){0};
}

json_node_t const *json_first(json_t const *json, json_node_t const *node) {
    return node->count ? &json->nodes[node->first] : NULL;
}

json_node_t const *json_next(json_t const *json, json_node_t const *node) {
    return node->next ? &json->nodes[node->next] : NULL;
}

bool json_text_is(json_text_t text, char const *other) {
    return text.length == strlen(other) && memcmp(text.data, other, text.length) == 0;
}

json_node_t const *json_member(json_t const *json, json_node_t const *object, char const *name) {
    if (!object || object->type != json_object_k) return NULL;
    json_node_t const *member = json_first(json, object);
    while (member && !json_text_is(member->name, name)) member = json_next(json, member);
    return member;
}
