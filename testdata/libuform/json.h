/**
 *  @brief A small strict JSON reader: a whole document, checked at once, as a tree of nodes.
 *
 *  Refused beyond what RFC 8259 refuses: a member named twice in any object, nesting deeper than
 *  16, an escaped half of a surrogate pair. The text must be valid UTF-8, which callers check
 *  before.
 */
#pragma once

#include <stdbool.h> // `bool`
#include <stddef.h>  // `size_t`
#include <stdint.h>  // `int64_t`

#include "outcome.h"

enum { json_depth_most_k = 16 };

typedef enum json_type_t {
    json_null_k,
    json_boolean_k,
    json_number_k,
    json_string_k,
    json_array_k,
    json_object_k,
} json_type_t;

/** Text of a string or a member's name, unescaped, not NUL-terminated, inside of the document's own
 *  memory. */
typedef struct json_text_t {
    char const *data;
    uint32_t length;
} json_text_t;

typedef struct json_node_t {
    uint8_t type;
    /** What a boolean says. */
    bool boolean;
    /** Of a number: an integer, without fraction and exponent, that `integer` holds. */
    bool whole;
    /** Index of the next node in the same object or array, zero where there is none. */
    uint32_t next;
    /** Members or elements, and the index of the first. */
    uint32_t count, first;
    /** Name within the object around it. */
    json_text_t name;
    /** What a string says. */
    json_text_t text;
    /** What a number says. */
    double number;
    int64_t integer;
} json_node_t;

/** The tree. Node zero is the document's value. */
typedef struct json_t {
    json_node_t *nodes;
    uint32_t count;
    char *texts;
} json_t;

/** Reads one value out of the text, which may be given back afterwards; `what` names it in
 *  messages. */
fault_t json_read(json_t *json, char const *text, size_t length, char const *what);
/** Safe on a tree that was never read. */
void json_drop(json_t *json);

/** The member of that name, or `NULL` where there is none or the node is `NULL` or no object. */
json_node_t const *json_member(json_t const *json, json_node_t const *object, char const *name);
/** The first element or member, and the one after; `NULL` at the end. */
json_node_t const *json_first(json_t const *json, json_node_t const *node);
json_node_t const *json_next(json_t const *json, json_node_t const *node);
bool json_text_is(json_text_t text, char const *other);
