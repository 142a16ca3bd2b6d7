/** Runs every test; the facts they hold are those of the project's contract, by number. */
#include <stdio.h>  // `printf`
#include <string.h> // `strcmp`

#include "harness.h"

/** Whether a test was named, or none was. */
static int chosen(char const *test, int count, char **arguments) {
    for (int i = 1; i != count; ++i)
        if (strcmp(arguments[i], test) == 0) return 1;
    return count == 1;
}

int main(int count, char **arguments) {
    static struct {
        char const *name;
        void (*run)(void);
    } const tests[] = {
        {"seed_loop", test_seed_loop}, {"arenas", test_arenas},   {"numbers", test_numbers},
        {"choices", test_choices},     {"receivers", test_receivers}, {"progress", test_progress},
        {"devices", test_devices},     {"hostile", test_hostile}, {"failures", test_failures},
        {"training", test_training},
        {"fold", test_fold},
        {"media", test_media},
        {"library", test_library}, // last, as it fills the set of texts
    };
    int ran = 0;
    for (size_t i = 0; i != sizeof(tests) / sizeof(tests[0]); ++i) {
        if (!chosen(tests[i].name, count, arguments)) continue;
        int64_t const live = control("live_allocations", 0, NULL);
        int const failures = failures_count();
        tests[i].run();
        ++ran;
        control("reset", 0, NULL);
        CHECK(control("live_allocations", 0, NULL) == live); // nothing stays after
        printf("%-10s %s\n", tests[i].name, failures_count() == failures ? "ok" : "FAILED");
    }
    if (count > 1 && ran != count - 1) {
        printf("%d of the %d named tests ran\n", ran, count - 1);
        return 1;
    }
    return failures_count() != 0;
}
