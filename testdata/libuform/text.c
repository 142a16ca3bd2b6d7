/** UTF-8, padded texts and hashes, as sections 4 and 6 of the checkpoint page define them. */
#include "text.h"

size_t utf8_character(unsigned char const *text, size_t left) {
    unsigned const lead = text[0];
    if (lead < 0x80) return 1;
    // The second byte's range excludes overlong forms, surrogates and what lies above U+10FFFF.
    size_t const size = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (!size || left < size) return 0;
    unsigned const low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned const high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (text[1] < low || text[1] > high) return 0;
    for (size_t i = 2; i != size; ++i)
        if ((text[i] & 0xC0) != 0x80) return 0;
    return size;
}

size_t utf8_valid(unsigned char const *text, size_t length) {
    size_t at = 0;
    while (at != length) {
        size_t const size = utf8_character(text + at, length - at);
        if (!size) break;
        at += size;
    }
    return at;
}

static unsigned char byte_fold(unsigned char byte) {
    if (byte >= 'A' && byte <= 'Z') return (unsigned char)(byte + ('a' - 'A'));
    return byte >= 0x09 && byte <= 0x0D ? 0x20 : byte;
}

void text_pad(unsigned char const *text, size_t length, bool fold, unsigned char *padded) {
    padded[0] = padded[length + 1] = 0x20;
    for (size_t i = 0; i != length; ++i) padded[i + 1] = fold ? byte_fold(text[i]) : text[i];
}

bool grams_hold(grams_t const *grams, unsigned char const *padded, size_t end, size_t size) {
    if (size > end + 1) return false;
    for (size_t i = end + 2 - size; grams->within && i < end; ++i)
        if (padded[i] == 0x20) return false;
    return true;
}

static uint64_t bytes_hash(uint64_t hash, unsigned char const *bytes, size_t size) {
    for (size_t i = 0; i != size; ++i) {
        hash = (hash ^ ((uint64_t)bytes[i] + 1)) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    return hash;
}

uint64_t gram_hash(unsigned char const *bytes, size_t size) {
    return bytes_hash(size * UINT64_C(0xC2B2AE3D27D4EB4F), bytes, size);
}

uint64_t word_hash(unsigned char const *bytes, size_t size) { return bytes_hash(77, bytes, size); }

uint32_t hash_bucket(uint64_t hash, uint32_t buckets) { return (uint32_t)((hash ^ (hash >> 32)) % buckets); }

uint64_t hash_next(uint64_t hash) { return (hash ^ UINT64_C(0xD6E8FEB86659FD93)) * UINT64_C(0xFF51AFD7ED558CCD); }

uint64_t hash_signs(uint64_t hash, uint64_t block) {
    uint64_t z = hash + (block + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}
