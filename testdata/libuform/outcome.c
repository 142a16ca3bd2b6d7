/** Faults, the texts they carry, and the outcome's fields. */
#include "outcome.h"

#include <stdarg.h> // `va_list`
#include <stdio.h>  // `vsnprintf`
#include <string.h> // `strcmp`

#include "thread.h"

/* Texts are never freed, as the header promises callers, so the set is bounded and static: a report
 * cannot fail for lack of memory, and nothing is left after. */
enum { texts_most_k = 1024, text_bytes_k = 192 };
static char texts[texts_most_k][text_bytes_k];
static size_t texts_count;
static mutex_t texts_mutex = MUTEX_INITIAL;

char const *uform_status_to_string(uform_status_t status) {
    switch ((int)status) {
    case uform_status_success_k: return "success";
    case uform_status_deferred_k: return "the call is not final yet";
    case uform_status_invalid_argument_k: return "invalid argument";
    case uform_status_out_of_memory_k: return "out of memory";
    case uform_status_contended_k: return "another call holds the executor or the arena";
    case uform_status_device_k: return "memory of another device";
    case uform_status_unsupported_k: return "unsupported by the model, the build or the machine";
    case uform_status_malformed_k: return "malformed bytes";
    case uform_status_shape_mismatch_k: return "a length disagrees with its shape";
    case uform_status_cancelled_k: return "cancelled by the progress callback";
    case uform_status_io_k: return "a path could not be opened, read or written";
    case uform_status_peer_k: return "a peer process left or disagreed";
    case uform_status_library_missing_k: return "no shared library to load";
    case uform_status_symbol_missing_k: return "the shared library lacks a symbol";
    default: return "unknown failure";
    }
}

/** The set's own copy of a text, or the status' static one once the set is full. */
static char const *text_intern(uform_status_t status, char const *text) {
    char const *found = NULL;
    mutex_lock(&texts_mutex);
    for (size_t i = 0; i != texts_count && !found; ++i)
        if (strcmp(texts[i], text) == 0) found = texts[i];
    if (!found && texts_count != texts_most_k) {
        strcpy(texts[texts_count], text);
        found = texts[texts_count++];
    }
    mutex_unlock(&texts_mutex);
    return found ? found : uform_status_to_string(status);
}

fault_t fault_make(uform_status_t status, char const *text) { return (fault_t){status, -1, text}; }

fault_t fault_item(uform_status_t status, size_t item, char const *text) {
    return (fault_t){status, item > INT32_MAX ? INT32_MAX : (int32_t)item, text};
}

fault_t fault_format(uform_status_t status, char const *format, ...) {
    char text[text_bytes_k];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return fault_make(status, text_intern(status, text));
}

fault_t fault_item_format(uform_status_t status, size_t item, char const *format, ...) {
    char text[text_bytes_k];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return fault_item(status, item, text_intern(status, text));
}

fault_t fault_memory(char const *purpose) {
    return fault_format(uform_status_out_of_memory_k, "no memory for %s", purpose);
}

void outcome_open(uform_outcome_t *outcome) {
    if (!outcome) return;
    outcome->item = 0, outcome->message = NULL, outcome->call = 0;
    __atomic_store_n(&outcome->status, uform_status_deferred_k, __ATOMIC_RELEASE);
}

void outcome_close(uform_outcome_t *outcome, fault_t fault) {
    if (!outcome) return;
    outcome->item = fault.item, outcome->message = fault.message, outcome->call = 0;
    // Whoever reads this status with acquire ordering sees the fields above and the outputs, and
    // may free the outcome.
    __atomic_store_n(&outcome->status, fault.status, __ATOMIC_RELEASE);
}

uform_status_t uform_outcome_status(uform_outcome_t const *outcome) {
    return outcome ? __atomic_load_n(&outcome->status, __ATOMIC_ACQUIRE) : uform_status_invalid_argument_k;
}
