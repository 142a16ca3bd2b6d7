/** Rows of weights, products with them, and rounding. */
#include "matrix.h"

#include <math.h>   // `rint`
#include <string.h> // `memcpy`

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Checkpoints are little-endian, and are read as the machine reads numbers"
#endif

float float_load(unsigned char const *bytes) {
    float value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

float bf16_widen(uint16_t bits) {
    uint32_t const wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof(value));
    return value;
}

uint16_t bf16_round(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    if ((bits & 0x7FFFFFFF) > 0x7F800000) return (uint16_t)((bits >> 16) | 0x40); // NaN stays one
    return (uint16_t)((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

uint16_t f16_round(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint32_t const sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7FFFFFFF;
    if (magnitude > 0x7F800000) return (uint16_t)(sign | 0x7E00);
    // 65536 and above are infinite, and less than half of the least subnormal is zero.
    if (magnitude >= 0x47800000) return (uint16_t)(sign | 0x7C00);
    if (magnitude < 0x33000000) return (uint16_t)sign;
    // Normal numbers lose 13 bits, subnormal ones more, and rounding may carry into the exponent,
    // rightly.
    uint32_t const exponent = magnitude >> 23;
    uint32_t const lost = exponent >= 113 ? 13 : 126 - exponent;
    uint32_t const whole = exponent >= 113 ? magnitude - (112u << 23) : (magnitude & 0x7FFFFF) | 0x800000;
    uint32_t const half = 1u << (lost - 1), odd = (whole >> lost) & 1;
    return (uint16_t)(sign | ((whole + half - 1 + odd) >> lost));
}

/* -------------------- Rows -------------------------------------------------------------------- */

size_t matrix_row_bytes(storage_t storage, uint32_t columns) {
    switch (storage) {
    case storage_f32_k: return (size_t)columns * 4;
    case storage_bf16_k: return (size_t)columns * 2;
    case storage_i8_k: return columns;
    default: return ((size_t)columns + 1) / 2;
    }
}

static float matrix_element(matrix_t const *matrix, unsigned char const *row, uint32_t column, float scale) {
    uint16_t half;
    switch (matrix->storage) {
    case storage_f32_k: return float_load(row + (size_t)column * 4);
    case storage_bf16_k: memcpy(&half, row + (size_t)column * 2, sizeof(half)); return bf16_widen(half);
    case storage_i8_k: return (float)(int8_t)row[column] * scale;
    default: return (float)((row[column / 2] >> (column % 2 * 4) & 15) - 8) * scale;
    }
}

static unsigned char const *matrix_find(matrix_t const *matrix, uint32_t row, float *scale) {
    *scale = matrix->scales ? float_load(matrix->scales + (size_t)row * 4) : 1;
    return matrix->data + row * matrix_row_bytes(matrix->storage, matrix->columns);
}

void matrix_row(matrix_t const *matrix, uint32_t row, float *out) {
    float scale;
    unsigned char const *data = matrix_find(matrix, row, &scale);
    for (uint32_t i = 0; i != matrix->columns; ++i) out[i] = matrix_element(matrix, data, i, scale);
}

void matrix_add_row(matrix_t const *matrix, uint32_t row, float *out) {
    float scale;
    unsigned char const *data = matrix_find(matrix, row, &scale);
    for (uint32_t i = 0; i != matrix->columns; ++i) out[i] += matrix_element(matrix, data, i, scale);
}

/** Eight sums side by side, so that one addition need not wait for the one before. */
float dot(float const *restrict left, float const *restrict right, size_t count) {
    float sums[8] = {0};
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (size_t j = 0; j != 8; ++j) sums[j] += left[i + j] * right[i + j];
    for (size_t j = 0; i != count; ++i, ++j) sums[j] += left[i] * right[i];
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

void matrix_multiply(matrix_t const *matrix, float const *x, size_t count, float *y, bool add, float *row) {
    for (uint32_t r = 0; r != matrix->rows; ++r) {
        matrix_row(matrix, r, row);
        for (size_t i = 0; i != count; ++i) {
            float const sum = dot(row, x + i * matrix->columns, matrix->columns);
            y[i * matrix->rows + r] = sum + (add ? y[i * matrix->rows + r] : 0);
        }
    }
}

/* -------------------- Outputs ----------------------------------------------------------------- */

size_t scalar_bytes(uform_scalar_t scalar) {
    switch (scalar) {
    case uform_scalar_f32_k: return 4;
    case uform_scalar_f16_k:
    case uform_scalar_bf16_k: return 2;
    case uform_scalar_i8_k: return 1;
    default: return 0;
    }
}

void scalars_store(uform_scalar_t scalar, float const *values, size_t count, unsigned char *out) {
    if (!count) return; // and then there may be no place either
    if (scalar == uform_scalar_f32_k) {
        memcpy(out, values, count * 4);
        return;
    }
    for (size_t i = 0; i != count; ++i) {
        if (scalar == uform_scalar_i8_k) {
            double const scaled = rint(127.0 * values[i]); // exact before it is rounded
            ((int8_t *)out)[i] = (int8_t)(scaled > 127 ? 127 : scaled < -127 ? -127 : scaled);
            continue;
        }
        uint16_t const half = scalar == uform_scalar_f16_k ? f16_round(values[i]) : bf16_round(values[i]);
        memcpy(out + 2 * i, &half, sizeof(half));
    }
}
