// The standard ABI of MPI 5.0, as far as a run uses it, on top of MPICH, whose own ABI has other
// handles and levels. No distribution has a library of the standard's yet. Numbers are those of the
// standard's mpi.h, and of MPICH's.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef MAJOR
#define MAJOR 5
#endif

typedef void *word; // a handle of the standard's: a small constant, or one of MPICH's

static void *symbol(char const *name) {
    static void *library;
    char const *path = getenv("UFORM_TEST_MPICH");
    if (!library && !(library = dlopen(path ? path : "", RTLD_NOW | RTLD_LOCAL))) {
        fprintf(stderr, "%s\n", dlerror());
        abort();
    }
    return dlsym(library, name);
}

#define REAL(name, ...) (((int (*)())symbol(#name))(__VA_ARGS__))

static int inner(word handle) {
    switch ((uintptr_t)handle) {
    case 0x101: return 0x44000000; // MPI_COMM_WORLD
    case 0x021: return 0x58000003; // MPI_SUM
    case 0x210: return 0x4c00040a; // MPI_FLOAT
    case 0x247: return 0x4c00010d; // MPI_BYTE
    case 0x143: return 0x54000001; // MPI_ERRORS_RETURN
    case 0x180: return 0x2c000000; // MPI_REQUEST_NULL
    }
    return (int)(uintptr_t)handle;
}

static word outer(int handle) { return handle == 0x2c000000 ? (word)0x180 : (word)(uintptr_t)(unsigned)handle; }

#define MPI __attribute__((visibility("default"))) int

MPI MPI_Get_version(int *major, int *minor) { return *major = MAJOR, *minor = 0, 0; }
MPI MPI_Abi_get_version(int *major, int *minor) { return *major = 1, *minor = 0, 0; }
MPI MPI_Get_library_version(char *text, int *length) { return REAL(MPI_Get_library_version, text, length); }
MPI MPI_Initialized(int *flag) { return REAL(MPI_Initialized, flag); }
MPI MPI_Finalize(void) { return ((int (*)(void))symbol("MPI_Finalize"))(); }
MPI MPI_Error_string(int code, char *text, int *length) { return REAL(MPI_Error_string, code, text, length); }
MPI MPI_Comm_rank(word comm, int *answer) { return REAL(MPI_Comm_rank, inner(comm), answer); }
MPI MPI_Comm_size(word comm, int *answer) { return REAL(MPI_Comm_size, inner(comm), answer); }

MPI MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int code = REAL(MPI_Init_thread, argc, argv, required / 1024 - (required == 4096), provided);
    static int const levels[] = {0, 1024, 2048, 4096};
    *provided = levels[*provided];
    return code;
}

MPI MPI_Comm_set_errhandler(word comm, word handler) { return REAL(MPI_Comm_set_errhandler, inner(comm), inner(handler)); }

MPI MPI_Comm_idup(word comm, word *answer, word *request) {
    int a, r, code = REAL(MPI_Comm_idup, inner(comm), &a, &r);
    return *answer = outer(a), *request = outer(r), code;
}

MPI MPI_Test(word *request, int *done, void *status) {
    int inside[5], r = inner(*request), code = REAL(MPI_Test, &r, done, inside);
    memset(status, 0, 32);
    return *request = outer(r), code;
}

MPI MPI_Isend(void const *from, int count, word kind, int to, int tag, word comm, word *request) {
    int r, code = REAL(MPI_Isend, from, count, inner(kind), to, tag, inner(comm), &r);
    return *request = outer(r), code;
}

MPI MPI_Irecv(void *to, int count, word kind, int from, int tag, word comm, word *request) {
    int r, code = REAL(MPI_Irecv, to, count, inner(kind), from, tag, inner(comm), &r);
    return *request = outer(r), code;
}

MPI MPI_Ireduce_scatter_block(void const *from, void *to, int count, word kind, word operation, word comm, word *request) {
    int r, code = REAL(MPI_Ireduce_scatter_block, from, to, count, inner(kind), inner(operation), inner(comm), &r);
    return *request = outer(r), code;
}

MPI MPI_Iallgather(void const *from, int count, word kind, void *to, int each, word of, word comm, word *request) {
    int r, code = REAL(MPI_Iallgather, from, count, inner(kind), to, each, inner(of), inner(comm), &r);
    return *request = outer(r), code;
}
