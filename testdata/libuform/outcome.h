/** How calls report: faults with a text, and the outcome fields that a caller reads. */
#pragma once

#include "../../abi/uform.h"

/** What went wrong, if anything. The zero value is success. */
typedef struct fault_t {
    uform_status_t status;
    int32_t item;
    char const *message;
} fault_t;

#if defined(__GNUC__) && !defined(_WIN32)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

static inline fault_t fault_none(void) { return (fault_t){uform_status_success_k, 0, NULL}; }
/** A fault of no item, with a static text. */
fault_t fault_make(uform_status_t status, char const *text);
/** A fault of the batch item at @p item. */
fault_t fault_item(uform_status_t status, size_t item, char const *text);
/** A fault of no item, whose formatted text joins the bounded set of the library's texts. */
fault_t fault_format(uform_status_t status, char const *format, ...) PRINTF_LIKE(2, 3);
/** Likewise, of the batch item at @p item. */
fault_t fault_item_format(uform_status_t status, size_t item, char const *format, ...) PRINTF_LIKE(3, 4);
/** Memory ran out while something for @p purpose was taken. */
fault_t fault_memory(char const *purpose);

/** Resets every field and marks the call as not final. `NULL` is safe, here and below. */
void outcome_open(uform_outcome_t *outcome);
/** Makes the outcome final. The store of its status is the last that the library does to it. */
void outcome_close(uform_outcome_t *outcome, fault_t fault);
