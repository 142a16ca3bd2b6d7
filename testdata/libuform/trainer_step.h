/** What a step works in, shared by its arithmetic and its exchanges with other processes. */
#pragma once

#include "trainer.h"

/** The items of all processes, of which this one's are together. */
typedef struct crowd_t {
    size_t count, first;
    float const *rows;
    uint64_t const *keys;
    /** What the loss says to each pair. */
    double *coefficients;
    /** What the rows and the keys are in, where there are several processes. */
    void *room;
} crowd_t;

/** What a step works in, in one block after it. */
typedef struct step_t {
    /** What is pooled of each item, and its embedding. */
    float *pooled, *rows;
    /** Dense parts of length 1, their lengths before that, and gradients of the former. */
    float *dense;
    double *lengths, *slopes;
    /** Of the projection, and after it whether this process has a fault. */
    double *gradient;
    /** What matches: items of equal keys. */
    uint64_t *keys;
    crowd_t crowd;
    double loss, norm;
} step_t;

/** The learning rate of the step. */
double step_rate(call_t const *call);

/** Tells all processes of this one's items, or that it has none to bring, and makes a crowd of
 *  everybody's. */
fault_t step_gather(call_t *call, fault_t fault);
/** Sums the gradients of all processes in the order of their indices, so that all get the same
 *  bits. */
fault_t step_reduce(call_t *call, fault_t fault);
