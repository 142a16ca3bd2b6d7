/** What a text is before it is numbers: UTF-8, padding and folding, n-grams and their hashes. */
#pragma once

#include <stdbool.h> // `bool`
#include <stddef.h>  // `size_t`
#include <stdint.h>  // `uint64_t`

enum { gram_sizes_most_k = 8 };

/** How n-grams are read off a text, for its input rows or for the lexical lane. */
typedef struct grams_t {
    uint32_t sizes[gram_sizes_most_k];
    uint32_t sizes_count;
    uint32_t hashes;
    uint32_t buckets;
    bool words, fold, within;
} grams_t;

/** Bytes of the character that starts here, zero where none is valid. */
size_t utf8_character(unsigned char const *text, size_t left);
/** Where the first byte is that no UTF-8 text holds there, or `length` where there is none. */
size_t utf8_valid(unsigned char const *text, size_t length);

/** Writes the `length + 2` bytes of the padded text, folded where asked. */
void text_pad(unsigned char const *text, size_t length, bool fold, unsigned char *padded);

/** Whether a padded text has the gram of `size` bytes that ends at `end`: there is room, and,
 *  within words, no space inside. */
bool grams_hold(grams_t const *grams, unsigned char const *padded, size_t end, size_t size);

/** The hash of the gram of `size` bytes, and of a word. */
uint64_t gram_hash(unsigned char const *bytes, size_t size);
uint64_t word_hash(unsigned char const *bytes, size_t size);
/** The row of a table that a hash names, and the hash of the row after it. */
uint32_t hash_bucket(uint64_t hash, uint32_t buckets);
uint64_t hash_next(uint64_t hash);
/** The 64 signs of the lexical lane's columns `[64 * block, 64 * block + 64)`. */
uint64_t hash_signs(uint64_t hash, uint64_t block);
