/** Remainders that files carry. */
#pragma once

#include <stddef.h> // `size_t`
#include <stdint.h> // `uint32_t`

/** CRC-32 of PNG: reflected, complemented before and after. */
uint32_t checksum_png(unsigned char const *bytes, size_t size);
/** CRC-32 of Ogg: not reflected, begun at zero; goes on from @p sum. */
uint32_t checksum_ogg(uint32_t sum, unsigned char const *bytes, size_t size);
