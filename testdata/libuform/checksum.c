/** Two remainders by one polynomial. */
#include "checksum.h"

uint32_t checksum_png(unsigned char const *bytes, size_t size) {
    static uint32_t const table[16] = {0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4,
                                       0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                       0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
    uint32_t sum = 0xFFFFFFFF;
    for (size_t i = 0; i != size; ++i) {
        sum ^= bytes[i];
        sum = sum >> 4 ^ table[sum & 15];
        sum = sum >> 4 ^ table[sum & 15];
    }
    return ~sum;
}

uint32_t checksum_ogg(uint32_t sum, unsigned char const *bytes, size_t size) {
    for (size_t i = 0; i != size; ++i) {
        sum ^= (uint32_t)bytes[i] << 24;
        for (unsigned bit = 0; bit != 8; ++bit) sum = sum << 1 ^ (sum >> 31 ? 0x04C11DB7u : 0);
    }
    return sum;
}
