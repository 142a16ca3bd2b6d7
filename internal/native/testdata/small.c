/* A library with one function for each way of package native to call, or to be called. */
#include <signal.h>
#include <stdint.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

typedef struct numbers_t {
    int32_t first, second;
} numbers_t;

/* uform_test_difference is a function of one pointer, whose result may be negative. */
EXPORT int32_t uform_test_difference(numbers_t const *numbers) { return numbers->first - numbers->second; }

/* uform_test_digits is a function of words. */
EXPORT uintptr_t uform_test_digits(uintptr_t hundreds, uintptr_t tens, uintptr_t ones) {
    return 100 * hundreds + 10 * tens + ones;
}

/* uform_test_report calls back. */
EXPORT uintptr_t uform_test_report(uintptr_t (*callback)(uintptr_t, uintptr_t), uintptr_t first, uintptr_t second) {
    return callback(first, second) + 1;
}

/* uform_test_take takes a signal for itself, and says whether it did; uform_test_has says whether
 * it has it. */
static void taken(int number) { (void)number; }

EXPORT int32_t uform_test_take(int32_t number) { return signal(number, taken) != SIG_ERR; }

#if !defined(_WIN32)
EXPORT int32_t uform_test_has(int32_t number) {
    struct sigaction now;
    return sigaction(number, 0, &now) == 0 && now.sa_handler == taken;
}
#endif
