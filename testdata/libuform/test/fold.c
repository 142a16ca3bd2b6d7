/** The fold of texts, byte for byte: the same number comes out of the embedded engine's. */
#include <stdio.h>  // `printf`
#include <stdlib.h> // `malloc`
#include <string.h> // `memcmp`

#include "../fold.h"
#include "../text.h"
#include "harness.h"

static size_t write_point(unsigned char *out, uint32_t point) {
    if (point < 0x80) return out[0] = (unsigned char)point, 1;
    if (point < 0x800) return out[0] = (unsigned char)(0xC0 | point >> 6), out[1] = (unsigned char)(0x80 | (point & 63)), 2;
    size_t const lead = point >= 0x10000;
    if (lead) *out++ = (unsigned char)(0xF0 | point >> 18);
    out[0] = (unsigned char)(lead ? 0x80 | (point >> 12 & 63) : 0xE0 | point >> 12);
    out[1] = (unsigned char)(0x80 | (point >> 6 & 63));
    out[2] = (unsigned char)(0x80 | (point & 63));
    return 3 + lead;
}

/** FNV-1a of the folded text and a line's end; the room has just the bytes that are asked for. */
static uint64_t hash_folded(uint64_t hash, unsigned char const *text, size_t length) {
    unsigned char *room = malloc(fold_room(length) + !length), *again;
    uint32_t const *places;
    size_t const left = fold_text(text, length, room, &places);
    CHECK(left <= 3 * length && utf8_valid(room, left) == left);
    for (size_t i = 0; i != length; ++i) CHECK(places[i] < left || (!left && !places[i]));
    for (size_t i = 0; i != left; ++i) hash = (hash ^ room[i]) * UINT64_C(0x100000001B3);
    again = malloc(fold_room(left) + !left);
    CHECK(fold_text(room, left, again, NULL) == left && memcmp(room, again, left) == 0);
    free(room), free(again);
    return (hash ^ '\n') * UINT64_C(0x100000001B3);
}

void test_fold(void) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (uint32_t point = 0; point != 0x110000; ++point) {
        if (point >= 0xD800 && point < 0xE000) continue;
        unsigned char text[16] = "E";
        size_t length = write_point(text + 1, point);
        hash = hash_folded(hash, text + 1, length);
        length += write_point(text + 1 + length, 0x301);
        hash = hash_folded(hash, text, length + 1);
    }
    if (!CHECK(hash == UINT64_C(0xB4DB3CAD8E3102DC))) fprintf(stderr, "    %llx\n", (unsigned long long)hash);
}
