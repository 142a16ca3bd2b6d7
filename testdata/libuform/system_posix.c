/** Pages, files and paired mappings over POSIX. */
#if !defined(_WIN32)
#define _GNU_SOURCE           // `memfd_create`, `MAP_ANONYMOUS`
// A checkpoint may outgrow 2 GiB where a word is four bytes, and is refused then.
#define _FILE_OFFSET_BITS 64
#endif

#include "system.h"

#if !defined(_WIN32)

#include <errno.h>    // `errno`
#include <fcntl.h>    // `open`
#include <sched.h>    // `sched_getaffinity`
#include <stdatomic.h> // `atomic_uint`
#include <stdio.h>    // `snprintf`, `rename`
#include <string.h>   // `strrchr`
#include <sys/mman.h> // `mmap`
#include <sys/stat.h> // `fstat`
#include <time.h>     // `nanosleep`
#include <unistd.h>   // `close`, `sysconf`

size_t system_page_bytes(void) { return (size_t)sysconf(_SC_PAGESIZE); }

uint32_t system_cores(void) {
#if defined(__linux__)
    cpu_set_t allowed; // those of the machine, or fewer in a container
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return (uint32_t)CPU_COUNT(&allowed);
#endif
    long const cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : (uint32_t)cores;
}

void system_sleep(uint32_t microseconds) {
    struct timespec left = {(time_t)(microseconds / 1000000u), (long)(microseconds % 1000000u) * 1000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {}
}

void *system_pages_map(size_t bytes) {
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void system_pages_unmap(void *pages, size_t bytes) { munmap(pages, bytes); }

uform_status_t system_file_map(char const *path, file_t *file) {
    *file = (file_t){0};
    // Non-blocking, so that a pipe is refused rather than waited for.
    int const descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return uform_status_io_k;
    struct stat about;
    uform_status_t status = uform_status_success_k;
    bool const known = fstat(descriptor, &about) == 0;
    if (known && S_ISDIR(about.st_mode)) status = uform_status_unsupported_k;
    else if (!known || !S_ISREG(about.st_mode)) status = uform_status_io_k;
    else if ((uint64_t)about.st_size > SIZE_MAX / 2) status = uform_status_out_of_memory_k;
    else if (about.st_size > 0) {
        void *mapping = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (mapping != MAP_FAILED) *file = (file_t){mapping, (size_t)about.st_size, mapping};
        else status = errno == ENOMEM ? uform_status_out_of_memory_k : uform_status_io_k;
    }
    close(descriptor); // a mapping outlives its descriptor
    return status;
}

void system_file_unmap(file_t *file) {
    if (file->mapping) munmap(file->mapping, file->size);
    *file = (file_t){0};
}

/** Syncs the renaming of a path to the disk. */
static bool folder_sync(char *path) {
    char *slash = strrchr(path, '/');
    if (slash) slash[slash == path] = 0; // the root keeps its slash
    int const folder = open(slash ? path : ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    if (folder < 0) return false;
    bool const good = fsync(folder) == 0;
    close(folder);
    return good;
}

bool system_file_replaceable(char const *path) {
    struct stat about;
    return stat(path, &about) != 0 || S_ISREG(about.st_mode);
}

uform_status_t system_file_replace(char const *path, unsigned char const *bytes, size_t size) {
    char beside[4096];
    static atomic_uint taken;
    int const length = snprintf(beside, sizeof(beside), "%s.%lx-%x.partial", path, (unsigned long)getpid(),
                                atomic_fetch_add(&taken, 1));
    if (length < 0 || (size_t)length >= sizeof(beside)) return uform_status_io_k;
    int const descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) return uform_status_io_k;
    bool good = true;
    while (good && size) {
        ssize_t const written = write(descriptor, bytes, size);
        if (written > 0) bytes += written, size -= (size_t)written;
        else good = errno == EINTR;
    }
    good = fsync(descriptor) == 0 && good;
    good = close(descriptor) == 0 && good;
    good = good && rename(beside, path) == 0;
    if (!good) unlink(beside);
    return good && folder_sync(beside) ? uform_status_success_k : uform_status_io_k;
}

static int memory_file(void) {
#if defined(__linux__)
    return memfd_create("uform-device", MFD_CLOEXEC);
#else
    static unsigned taken;
    char name[32];
    snprintf(name, sizeof(name), "/uform-%ld-%u", (long)getpid(), ++taken);
    int const descriptor = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (descriptor >= 0) shm_unlink(name);
    return descriptor;
#endif
}

bool system_twin_map(size_t bytes, twin_t *twin) {
    *twin = (twin_t){0};
    int const descriptor = memory_file();
    if (descriptor < 0) return false;
    void *hidden = MAP_FAILED, *own = MAP_FAILED;
    if (ftruncate(descriptor, (off_t)bytes) == 0) {
        hidden = mmap(NULL, bytes, PROT_NONE, MAP_SHARED, descriptor, 0);
        own = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    }
    close(descriptor);
    if (hidden != MAP_FAILED && own != MAP_FAILED) {
        *twin = (twin_t){hidden, own, bytes};
        return true;
    }
    if (hidden != MAP_FAILED) munmap(hidden, bytes);
    if (own != MAP_FAILED) munmap(own, bytes);
    return false;
}

void system_twin_unmap(twin_t *twin) {
    munmap(twin->hidden, twin->bytes);
    munmap(twin->own, twin->bytes);
    *twin = (twin_t){0};
}

#endif // !_WIN32
