/* The one function of bcryptprimitives.dll that Go's runtime calls, for a Wine that has no such
 * library. */

#include <stddef.h>

__declspec(dllimport) unsigned char __stdcall SystemFunction036(void *data, unsigned long length); /* RtlGenRandom */

__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *data, size_t length) {
	return SystemFunction036(data, (unsigned long)length);
}
