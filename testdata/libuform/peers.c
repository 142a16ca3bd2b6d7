/** Connects a run's processes over TCP. */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L // `getaddrinfo`
#endif

#include "peers.h"

#include <string.h> // `memcpy`, `strrchr`

#include "memory.h"
#include "system.h"

#if !defined(_WIN32)

#include <errno.h>       // `EINTR`
#include <netdb.h>       // `getaddrinfo`
#include <netinet/in.h>  // `IPPROTO_TCP`
#include <netinet/tcp.h> // `TCP_NODELAY`
#include <sys/socket.h>  // `socket`
#include <sys/time.h>    // `timeval`
#include <unistd.h>      // `close`

#if !defined(MSG_NOSIGNAL)
#define MSG_NOSIGNAL 0
#endif

enum {
    patience_seconds_k = 120,
    attempt_microseconds_k = 10 * 1000,
};

struct peers_t {
    uint32_t index, count;
    bool broken;
    /** Of process zero one to each other process; of these one to it, the first. */
    int sockets[processes_most_k];
};

/** The first message of a process. */
typedef struct hello_t {
    uint32_t magic, index, count;
} hello_t;

static uint32_t const magic = 0x6D726655;

static fault_t lost(void) {
    return fault_make(uform_status_peer_k, "a process of the run left, did not come, or is of another run");
}

static bool bytes_send(int descriptor, void const *bytes, uint64_t size) {
    unsigned char const *at = bytes;
    while (size) {
        ssize_t const sent = send(descriptor, at, size > (1u << 30) ? 1u << 30 : (size_t)size, MSG_NOSIGNAL);
        if (sent > 0) at += sent, size -= (uint64_t)sent;
        else if (errno != EINTR) return false;
    }
    return true;
}

static bool bytes_receive(int descriptor, void *bytes, uint64_t size) {
    unsigned char *at = bytes;
    while (size) {
        ssize_t const got = recv(descriptor, at, size > (1u << 30) ? 1u << 30 : (size_t)size, 0);
        if (got > 0) at += got, size -= (uint64_t)got;
        else if (!got || errno != EINTR) return false;
    }
    return true;
}

static void socket_prepare(int descriptor) {
    int const yes = 1;
    struct timeval const patience = {.tv_sec = patience_seconds_k};
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
}

/** Accepts the other processes, each at its index. */
static bool meet_all(peers_t *peers, int listening) {
    for (uint32_t come = 1; come != peers->count; ++come) {
        int const descriptor = accept(listening, NULL, NULL);
        if (descriptor < 0) return false;
        socket_prepare(descriptor);
        hello_t hello;
        bool const known = bytes_receive(descriptor, &hello, sizeof(hello)) && hello.magic == magic &&
                           hello.count == peers->count && hello.index && hello.index < peers->count &&
                           peers->sockets[hello.index] < 0;
        if (!known) {
            close(descriptor);
            return false;
        }
        peers->sockets[hello.index] = descriptor;
    }
    uint32_t const welcome = magic;
    for (uint32_t i = 1; i != peers->count; ++i)
        if (!bytes_send(peers->sockets[i], &welcome, sizeof(welcome))) return false;
    return true;
}

static bool meet_as_first(peers_t *peers, struct addrinfo const *address) {
    int const listening = socket(address->ai_family, address->ai_socktype, address->ai_protocol), yes = 1;
    if (listening < 0) return false;
    socket_prepare(listening); // accept has the same timeout as recv
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    bool const met = bind(listening, address->ai_addr, address->ai_addrlen) == 0 &&
                     listen(listening, (int)peers->count) == 0 && meet_all(peers, listening);
    close(listening);
    return met;
}

static bool meet_first(peers_t *peers, struct addrinfo const *address) {
    for (int64_t left = (int64_t)patience_seconds_k * 1000000; left > 0; left -= attempt_microseconds_k) {
        int const descriptor = socket(address->ai_family, address->ai_socktype, address->ai_protocol);
        if (descriptor < 0) return false;
        if (connect(descriptor, address->ai_addr, address->ai_addrlen) == 0) {
            socket_prepare(descriptor);
            peers->sockets[0] = descriptor;
            hello_t const hello = {magic, peers->index, peers->count};
            uint32_t welcome = 0;
            return bytes_send(descriptor, &hello, sizeof(hello)) &&
                   bytes_receive(descriptor, &welcome, sizeof(welcome)) && welcome == magic;
        }
        close(descriptor);
        system_sleep(attempt_microseconds_k); // it does not listen yet
    }
    return false;
}

fault_t peers_meet(char const *rendezvous, uint32_t index, uint32_t count, peers_t **made) {
    uform_status_t const refused = uform_status_invalid_argument_k;
    char host[256];
    char const *colon = strrchr(rendezvous, ':');
    if (!colon || colon == rendezvous || (size_t)(colon - rendezvous) >= sizeof(host))
        return fault_make(refused, "the rendezvous is not host:port");
    if (count > processes_most_k) return fault_make(refused, "more than 64 processes");
    memcpy(host, rendezvous, (size_t)(colon - rendezvous));
    host[colon - rendezvous] = 0;
    struct addrinfo const wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *address = NULL;
    if (getaddrinfo(host, colon + 1, &wanted, &address) != 0)
        return fault_make(refused, "the rendezvous names no address");
    peers_t *peers = memory_take(sizeof(peers_t));
    fault_t fault = peers ? fault_none() : fault_memory("a meeting");
    if (peers) {
        peers->index = index, peers->count = count;
        for (uint32_t i = 0; i != processes_most_k; ++i) peers->sockets[i] = -1;
        if (!(index ? meet_first(peers, address) : meet_as_first(peers, address))) fault = lost();
    }
    freeaddrinfo(address);
    if (fault.status) peers_leave(peers), peers = NULL;
    *made = peers;
    return fault;
}

void peers_part(peers_t *peers) {
    peers->broken = true;
    for (uint32_t i = 0; i != peers->count; ++i)
        if (peers->sockets[i] >= 0) shutdown(peers->sockets[i], SHUT_RDWR);
}

void peers_leave(peers_t *peers) {
    if (!peers) return;
    for (uint32_t i = 0; i != processes_most_k; ++i)
        if (peers->sockets[i] >= 0) close(peers->sockets[i]);
    memory_give(peers);
}

/** Every process sends its size and its part to the first, and gets all sizes and then all parts
 *  from it. */
static fault_t exchange(peers_t *peers, void const *mine, uint64_t size, uint64_t *sizes, parts_t *parts) {
    uint32_t const count = peers->count;
    bool const first = peers->index == 0;
    int const *sockets = peers->sockets;
    if (!first && !(bytes_send(sockets[0], &size, sizeof(size)) && bytes_send(sockets[0], mine, size) &&
                    bytes_receive(sockets[0], sizes, count * sizeof(*sizes))))
        return lost();
    sizes[peers->index] = size;
    for (uint32_t i = 1; first && i != count; ++i)
        if (!bytes_receive(sockets[i], &sizes[i], sizeof(*sizes))) return lost();
    uint64_t all = 0;
    for (uint32_t i = 0; i != count; ++i) {
        if (sizes[i] > SIZE_MAX / 4 - all) return lost();
        all += sizes[i];
    }
    unsigned char *bytes = memory_take((size_t)all);
    if (!bytes) return fault_memory("what the processes exchange");
    parts[0].bytes = bytes;
    for (uint32_t i = 0; i != count; ++i) {
        parts[i] = (parts_t){bytes, sizes[i]};
        bytes += sizes[i];
    }
    if (!first) return bytes_receive(sockets[0], parts[0].bytes, all) ? fault_none() : lost();
    memcpy(parts[0].bytes, mine, (size_t)size);
    for (uint32_t i = 1; i != count; ++i)
        if (!bytes_receive(sockets[i], parts[i].bytes, sizes[i])) return lost();
    for (uint32_t i = 1; i != count; ++i)
        if (!bytes_send(sockets[i], sizes, count * sizeof(*sizes)) || !bytes_send(sockets[i], parts[0].bytes, all))
            return lost();
    return fault_none();
}

fault_t peers_exchange(peers_t *peers, void const *mine, uint64_t size, parts_t *parts) {
    uint64_t sizes[processes_most_k];
    *parts = (parts_t){0};
    if (peers->broken) return lost();
    fault_t const fault = exchange(peers, mine, size, sizes, parts);
    if (!fault.status) return fault;
    peers_part(peers);
    memory_give(parts[0].bytes);
    parts[0].bytes = NULL;
    return fault;
}

#else

fault_t peers_meet(char const *rendezvous, uint32_t index, uint32_t count, peers_t **made) {
    (void)rendezvous, (void)index, (void)count;
    *made = NULL;
    return fault_make(uform_status_unsupported_k, "on this system the library trains in one process");
}

void peers_part(peers_t *peers) { (void)peers; }
void peers_leave(peers_t *peers) { (void)peers; }

fault_t peers_exchange(peers_t *peers, void const *mine, uint64_t size, parts_t *parts) {
    (void)peers, (void)mine, (void)size;
    *parts = (parts_t){0};
    return fault_make(uform_status_peer_k, "there are no other processes");
}

#endif // !_WIN32
