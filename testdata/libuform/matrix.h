/** Weights as rows in one of four kinds, and the numbers of outputs. */
#pragma once

#include <stdbool.h> // `bool`
#include <stddef.h>  // `size_t`
#include <stdint.h>  // `uint32_t`

#include "../../abi/uform.h"

typedef enum storage_t {
    storage_f32_k,
    storage_bf16_k,
    /** Signed bytes with a scale for each row. */
    storage_i8_k,
    /** Two nibbles a byte, the low one first, eight standing for zero, with a scale for each
     *  row. */
    storage_i4_k,
} storage_t;

/** Row-major weights. Neither elements nor scales need be aligned, as those inside of a file are
 *  not. */
typedef struct matrix_t {
    storage_t storage;
    uint32_t rows, columns;
    unsigned char const *data;
    unsigned char const *scales;
} matrix_t;

/** Bytes from a row to the next. */
size_t matrix_row_bytes(storage_t storage, uint32_t columns);
/** Writes the `columns` elements of a row. */
void matrix_row(matrix_t const *matrix, uint32_t row, float *out);
/** Adds them instead. */
void matrix_add_row(matrix_t const *matrix, uint32_t row, float *out);
/**
 *  y = W·x for @p count vectors, `columns` apart in @p x and `rows` apart in @p y, added to it
 *  where @p add is set. Each result depends on its own vector alone, whatever the others are. @p
 *  row is room for one row.
 */
void matrix_multiply(matrix_t const *matrix, float const *x, size_t count, float *y, bool add, float *row);
float dot(float const *left, float const *right, size_t count);

float float_load(unsigned char const *bytes);
uint16_t bf16_round(float value);
float bf16_widen(uint16_t bits);
uint16_t f16_round(float value);

/** Bytes of an output's scalar; zero for kinds that no output has. */
size_t scalar_bytes(uform_scalar_t scalar);
/** Rounds floats into an output, to nearest, ties to even; `i8` as 127 times the value, clamped. */
void scalars_store(uform_scalar_t scalar, float const *values, size_t count, unsigned char *out);
