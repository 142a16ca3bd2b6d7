/** Letters a cluster at a time, then spaces and runs over the whole, in place. */
#include "fold.h"

#include <stdbool.h> // `bool`
#include <string.h>  // `memcpy`

#include "fold_generated.h"
#include "text.h"

enum {
    /** What a record says of a code point: nothing before it composes with it or is sorted after
     *  it; by itself it folds to itself plus the difference; runs of it are cut. */
    starts_k = 1,
    plain_k = 2,
    punctuation_k = 4,
    /** Marks that are left of a run that stands by itself. */
    run_most_k = 3,
    /** Most bytes, and code points of a cluster, that come of one byte. */
    growth_k = 3,
    points_growth_k = 2,
};

/** Hangul is composed and decomposed by arithmetic, section 3.12 of the Unicode Standard. */
enum {
    leads_k = 0x1100,
    vowels_k = 0x1161,
    trails_k = 0x11A7,
    syllables_k = 0xAC00,
    lead_count_k = 19,
    vowel_count_k = 21,
    trail_count_k = 28, // no trailing consonant among them
    syllable_count_k = lead_count_k * vowel_count_k * trail_count_k,
};

/** Code points with their combining classes. */
typedef struct cluster_t {
    uint32_t *points;
    unsigned char *classes;
    size_t count;
} cluster_t;

/** The layout of the working memory. */
typedef struct folder_t {
    unsigned char *folded;
    uint32_t *letters, *spaces;
    cluster_t cluster, sorting;
} folder_t;

static size_t aligned(size_t bytes) { return (bytes + 7) / 8 * 8; }

size_t fold_room(size_t length) {
    size_t const points = length * points_growth_k;
    return aligned(length * growth_k) + aligned(length * 4) + aligned(length * growth_k * 4) +
           2 * (aligned(points * 4) + aligned(points));
}

static void *carve(unsigned char **room, size_t bytes) {
    unsigned char *place = *room;
    *room += aligned(bytes);
    return place;
}

/** Zero where no valid character starts. */
static size_t character_read(unsigned char const *text, size_t left, uint32_t *point) {
    size_t const size = utf8_character(text, left);
    static unsigned char const masks[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    *point = text[0] & masks[size];
    for (size_t i = 1; i < size; ++i) *point = *point << 6 | (text[i] & 0x3F);
    return size;
}

static size_t character_write(unsigned char *out, uint32_t point) {
    if (point < 0x80) return out[0] = (unsigned char)point, 1;
    size_t const size = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i; --i, point >>= 6) out[i] = (unsigned char)(0x80 | (point & 0x3F));
    out[0] = (unsigned char)((0xF00 >> size) | point); // 110, 1110 and 11110 before the rest
    return size;
}

static unsigned record_number(uint32_t point) {
    return fold_blocks[fold_index[point / fold_block_k] * fold_block_k + point % fold_block_k];
}

/* -------------------- Clusters ---------------------------------------------------------------- */

static void push(cluster_t *cluster, uint32_t point, unsigned char class) {
    cluster->points[cluster->count] = point;
    cluster->classes[cluster->count++] = class;
}

static void decompose(cluster_t *to, uint32_t point) {
    uint32_t const syllable = point - syllables_k;
    if (syllable < syllable_count_k) {
        push(to, leads_k + syllable / (vowel_count_k * trail_count_k), 0);
        push(to, vowels_k + syllable % (vowel_count_k * trail_count_k) / trail_count_k, 0);
        if (syllable % trail_count_k) push(to, trails_k + syllable % trail_count_k, 0);
        return;
    }
    unsigned const number = record_number(point);
    uint32_t const *parts = fold_decompositions + fold_records[number].decomposition;
    if (parts == fold_decompositions) push(to, point, fold_records[number].class);
    for (uint32_t i = 1; parts != fold_decompositions && i <= parts[0]; ++i)
        push(to, parts[i], fold_records[record_number(parts[i])].class);
}

/** Zero for two that do not compose. */
static uint32_t composition(uint32_t first, uint32_t second) {
    uint32_t const lead = first - leads_k, vowel = second - vowels_k;
    if (lead < lead_count_k && vowel < vowel_count_k)
        return syllables_k + (lead * vowel_count_k + vowel) * trail_count_k;
    uint32_t const syllable = first - syllables_k, trail = second - trails_k;
    if (syllable < syllable_count_k && syllable % trail_count_k == 0 && trail && trail < trail_count_k)
        return first + trail;
    size_t low = 0, high = fold_pairs_k;
    while (low < high) {
        size_t const middle = (low + high) / 2;
        uint32_t const one = fold_pairs[middle].first, other = fold_pairs[middle].second;
        if (one == first && other == second) return fold_pairs[middle].composed;
        if (one < first || (one == first && other < second)) low = middle + 1;
        else high = middle;
    }
    return 0;
}

/** Orders marks by their classes, equal ones as they stood, by counting: a text may hold a million
 *  of them. */
static void sort(folder_t *folder, size_t begin, size_t end) {
    cluster_t *cluster = &folder->cluster, *sorting = &folder->sorting;
    size_t places[257] = {0};
    for (size_t i = begin; i != end; ++i) ++places[cluster->classes[i] + 1];
    for (size_t class = 0; class != 256; ++class) places[class + 1] += places[class];
    memcpy(sorting->points, cluster->points + begin, (end - begin) * sizeof(uint32_t));
    memcpy(sorting->classes, cluster->classes + begin, end - begin);
    for (size_t i = 0; i != end - begin; ++i) {
        size_t const place = begin + places[sorting->classes[i]]++;
        cluster->points[place] = sorting->points[i];
        cluster->classes[place] = sorting->classes[i];
    }
}

static void compose(folder_t *folder) {
    cluster_t *cluster = &folder->cluster;
    for (size_t i = 0, begin; i < cluster->count;) {
        bool sorted = true;
        if (!cluster->classes[i++]) continue;
        for (begin = i - 1; i < cluster->count && cluster->classes[i]; ++i)
            sorted = sorted && cluster->classes[i - 1] <= cluster->classes[i];
        if (!sorted) sort(folder, begin, i);
    }
    uint32_t *starter = NULL;
    int before = -1; // the class of what stands between, -1 for nothing
    size_t count = 0;
    for (size_t i = 0; i != cluster->count; ++i) {
        int const class = cluster->classes[i];
        uint32_t const composed =
            starter && before < class ? composition(*starter, cluster->points[i]) : 0;
        if (composed) {
            *starter = composed;
            continue;
        }
        before = class;
        cluster->points[count] = cluster->points[i];
        cluster->classes[count] = (unsigned char)class;
        if (!class) starter = cluster->points + count, before = -1;
        ++count;
    }
    cluster->count = count;
}

/** Folds the characters of a cluster: NFC, small letters, NFC. */
static size_t cluster_fold(folder_t *folder, unsigned char const *text, size_t length, unsigned char *out) {
    cluster_t *cluster = &folder->cluster;
    uint32_t point;
    cluster->count = 0;
    for (size_t i = 0; i != length; decompose(cluster, point)) i += character_read(text + i, length - i, &point);
    compose(folder);
    bool changed = false;
    for (size_t i = 0; i != cluster->count; ++i) {
        int32_t const difference = fold_records[record_number(cluster->points[i])].difference;
        cluster->points[i] += (uint32_t)difference;
        changed = changed || difference;
    }
    if (changed) {
        cluster_t const composed = *cluster;
        *cluster = folder->sorting;
        folder->sorting = composed;
        cluster->count = 0;
        for (size_t i = 0; i != composed.count; ++i) decompose(cluster, composed.points[i]);
        compose(folder);
    }
    size_t written = 0;
    for (size_t i = 0; i != cluster->count; ++i) written += character_write(out + written, cluster->points[i]);
    return written;
}

/** Bytes up to the next character that starts a cluster. */
static size_t cluster_length(unsigned char const *text, size_t first, size_t left) {
    uint32_t point;
    size_t at = first;
    while (at < left && text[at] >= 0x80) {
        size_t const size = character_read(text + at, left - at, &point);
        if (!size || fold_records[record_number(point)].flags & starts_k) break;
        at += size;
    }
    return at;
}

/* -------------------- Texts ------------------------------------------------------------------- */

static unsigned char byte_small(unsigned char byte) {
    if (byte >= 'A' && byte <= 'Z') return (unsigned char)(byte + ('a' - 'A'));
    return byte >= 0x09 && byte <= 0x0D ? 0x20 : byte;
}

/** A text in composed small letters, all white space as spaces. */
static size_t letters_fold(folder_t *folder, unsigned char const *text, size_t length) {
    size_t used = 0;
    for (size_t i = 0; i != length;) {
        unsigned char *out = folder->folded + used;
        uint32_t point;
        size_t taken = 1, written = 1, size;
        if (text[i] < 0x80 && (i + 1 == length || text[i + 1] < 0x80)) out[0] = byte_small(text[i]);
        else if (!(size = character_read(text + i, length - i, &point))) out[0] = text[i];
        else {
            taken = cluster_length(text + i, size, length - i);
            unsigned const number = record_number(point);
            if (taken == size && fold_records[number].flags & plain_k)
                written = character_write(out, point + (uint32_t)fold_records[number].difference);
            else written = cluster_fold(folder, text + i, taken, out);
        }
        for (size_t k = 0; folder->letters && k != taken; ++k)
            folder->letters[i + k] = (uint32_t)(used + (k < written ? k : written - 1));
        i += taken;
        used += written;
    }
    return used;
}

/** Where the run of a punctuation mark ends that begins with a character of `size` bytes; any other
 *  is its own run. */
static size_t run_length(unsigned char const *text, size_t size, size_t left) {
    uint32_t point;
    size_t end = size;
    while (end + size <= left && memcmp(text + end, text, size) == 0) {
        if (end == size && (!character_read(text, left, &point) ||
                            !(fold_records[record_number(point)].flags & punctuation_k)))
            break;
        end += size;
    }
    return end;
}

/** Runs of spaces and of punctuation, in place; how many bytes are left. */
static size_t spaces_fold(folder_t *folder, size_t length) {
    unsigned char *text = folder->folded;
    size_t to = 0;
    bool apart = false; // a space is due before the next character
    for (size_t i = 0, taken; i != length; i += taken) {
        uint32_t point;
        size_t size = text[i] < 0x80 ? 1 : character_read(text + i, length - i, &point);
        if (!size) size = 1;
        taken = run_length(text + i, size, length - i);
        // Behind `to` nothing was written yet, and where `to` is `i` everything before is as it
        // was.
        bool const touches =
            taken != size && ((i && text[i - 1] != 0x20) || (i + taken < length && text[i + taken] != 0x20));
        if (text[i] == 0x20 || touches) {
            for (size_t k = 0; folder->spaces && k != taken; ++k) folder->spaces[i + k] = (uint32_t)to;
            apart = true;
            continue;
        }
        size_t const kept = taken < run_most_k * size ? taken : run_most_k * size;
        if (apart && to) text[to++] = 0x20;
        apart = false;
        for (size_t k = 0; folder->spaces && k != taken; ++k)
            folder->spaces[i + k] = (uint32_t)(to + (k < kept ? k : kept - 1));
        memmove(text + to, text + i, kept);
        to += kept;
    }
    return to;
}

size_t fold_text(unsigned char const *text, size_t length, unsigned char *room, uint32_t const **places) {
    size_t const points = length * points_growth_k;
    folder_t folder = {.folded = carve(&room, length * growth_k)};
    uint32_t *letters = carve(&room, length * 4), *spaces = carve(&room, length * growth_k * 4);
    if (places) folder.letters = letters, folder.spaces = spaces;
    folder.cluster.points = carve(&room, points * 4);
    folder.sorting.points = carve(&room, points * 4);
    folder.cluster.classes = carve(&room, points);
    folder.sorting.classes = carve(&room, points);
    size_t const left = spaces_fold(&folder, letters_fold(&folder, text, length));
    if (!places) return left;
    size_t const last = left ? left - 1 : 0;
    for (size_t i = 0; i != length; ++i) letters[i] = spaces[letters[i]] < last ? spaces[letters[i]] : (uint32_t)last;
    *places = letters;
    return left;
}
