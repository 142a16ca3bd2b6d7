/**
 *  @brief The verb whose only cost is reaching it: it writes four words and returns.
 *  @file nothing.c
 *
 *  It is compiled twice, into the program for cgo and into the shared library for every other way
 *  of calling, so that all of them run the same instructions. What it answers is what the loader
 *  asks an arena of the calling thread for.
 */
#include "uform.h"

void uform_arena_describe(uform_arena_describe_t *arguments) {
    arguments->description->residency = uform_residency_ram_k;
    arguments->description->device = -1;
    arguments->outcome->item = 0;
    arguments->outcome->status = uform_status_success_k;
}
