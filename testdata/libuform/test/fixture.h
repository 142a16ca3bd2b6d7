/** Small random checkpoints, kept as the numbers they stand for and written as files. */
#pragma once

#include <stdbool.h> // `bool`
#include <stddef.h>  // `size_t`
#include <stdint.h>  // `uint32_t`

enum { fixture_tensors_most_k = 64 };

/** One tensor: its stored bytes, and what they stand for. */
typedef struct fixture_tensor_t {
    char name[64];
    char dtype[8];
    size_t rows, columns; // no columns for a vector
    size_t stored_columns;
    size_t bytes;
    unsigned char *data;
    float *values; // none for scales
} fixture_tensor_t;

typedef struct fixture_t {
    uint32_t context, width, layers, heads, hidden, columns;
    bool skip, grams, words, fold, within, lexical, decoder; // the lane is within words always
    uint32_t hashes, buckets, lexical_buckets, lexical_columns;
    double epsilon, base, share, heats[2];
    uint64_t random;
    size_t count;
    fixture_tensor_t tensors[fixture_tensors_most_k];
    char config[1024];
} fixture_t;

/** Everything that the page knows, two layers, all four dtypes. */
fixture_t *fixture_rich(void);
/** No layers, grams alone, `f32`, no decoder. */
fixture_t *fixture_plain(void);
/** The smallest. */
fixture_t *fixture_tiny(void);
void fixture_free(fixture_t *fixture);

/** The numbers of a tensor, which must exist. */
float const *fixture_values(fixture_t const *fixture, char const *name);
fixture_tensor_t *fixture_find(fixture_t *fixture, char const *name);

/** The whole file in memory of the caller's; `extra` is put after the members of the header, or is
 *  empty. */
unsigned char *fixture_file(fixture_t const *fixture, char const *extra, size_t *size);
/** Writes bytes to a file beside the test and answers its name, one of a few that are reused. */
char const *file_write(unsigned char const *bytes, size_t size);
/** The fixture as such a file. */
char const *fixture_write(fixture_t const *fixture);
