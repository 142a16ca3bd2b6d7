/**
 *  @brief The processes of a training run, which meet at an address and exchange what they have in
 *  turns.
 *
 *  Process zero listens there, and the others come to it: what each of them sends in an exchange,
 *  it sends on to all. After a first failure every later exchange fails. Windows has none.
 */
#pragma once

#include <stdint.h> // `uint32_t`

#include "outcome.h"

/** Processes of a run, at most. */
enum { processes_most_k = 64 };

typedef struct peers_t peers_t;

/** What a process brought to an exchange. */
typedef struct parts_t {
    unsigned char *bytes;
    uint64_t size;
} parts_t;

/** Waits for all processes of the run at `host:port`, two minutes at most. */
fault_t peers_meet(char const *rendezvous, uint32_t index, uint32_t count, peers_t **made);
/** Ends the connections if a process cannot take part, so that the others do not wait for it. */
void peers_part(peers_t *peers);
/** `NULL` is safe. The others hear of it in their next exchange. */
void peers_leave(peers_t *peers);
/**
 *  Sends a part to all, and waits for theirs, two minutes at most. @p parts has as many places as
 *  there are processes; the bytes of the first are to be given back with `memory_give`, also after
 *  a fault.
 */
fault_t peers_exchange(peers_t *peers, void const *mine, uint64_t size, parts_t *parts);
