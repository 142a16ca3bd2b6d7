/** The checkpoint page once more, in double precision and as slowly as it reads, to compare
 *  with. */
#pragma once

#include "fixture.h"

/** States of a cut text, `length` rows of `width`, in memory of the caller's. */
double *reference_states(fixture_t const *fixture, unsigned char const *text, size_t length);
/** The embedding of a cut text, likewise. */
double *reference_embedding(fixture_t const *fixture, unsigned char const *text, size_t length);
/** Probabilities of an item's choices after a text that is cut already. */
void reference_choose(fixture_t const *fixture, unsigned char const *text, size_t length, unsigned char const *choices,
                      size_t count, unsigned type, double *probabilities);
