/** Pages, files and paired mappings over Win32. */
#include "system.h"

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

size_t system_page_bytes(void) {
    SYSTEM_INFO about;
    GetSystemInfo(&about);
    return about.dwPageSize;
}

uint32_t system_cores(void) {
    DWORD_PTR allowed = 0, machine = 0;
    uint32_t cores = 0;
    if (GetProcessAffinityMask(GetCurrentProcess(), &allowed, &machine))
        for (; allowed; allowed &= allowed - 1) ++cores;
    return cores ? cores : 1;
}

void system_sleep(uint32_t microseconds) { Sleep((microseconds + 999) / 1000); }

void *system_pages_map(size_t bytes) { return VirtualAlloc(NULL, bytes, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE); }

void system_pages_unmap(void *pages, size_t bytes) {
    (void)bytes;
    VirtualFree(pages, 0, MEM_RELEASE);
}

/** Maps an open file; a directory never gets here, as it does not open without a flag of its
 *  own. */
static uform_status_t handle_map(HANDLE handle, file_t *file) {
    LARGE_INTEGER size;
    if (GetFileType(handle) != FILE_TYPE_DISK || !GetFileSizeEx(handle, &size)) return uform_status_io_k;
    if ((uint64_t)size.QuadPart > SIZE_MAX / 2) return uform_status_out_of_memory_k;
    if (size.QuadPart == 0) return uform_status_success_k;
    HANDLE section = CreateFileMappingW(handle, NULL, PAGE_READONLY, 0, 0, NULL);
    if (!section) return uform_status_io_k;
    void *mapping = MapViewOfFile(section, FILE_MAP_READ, 0, 0, 0);
    CloseHandle(section); // a view keeps its section
    if (!mapping) return uform_status_out_of_memory_k;
    *file = (file_t){mapping, (size_t)size.QuadPart, mapping};
    return uform_status_success_k;
}

enum { path_most_k = 32768 }; // the longest path that Windows takes

static bool path_widen(char const *path, WCHAR *wide) {
    return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, path_most_k) != 0;
}

uform_status_t system_file_map(char const *path, file_t *file) {
    *file = (file_t){0};
    WCHAR wide[path_most_k];
    if (!path_widen(path, wide)) return uform_status_io_k;
    DWORD const attributes = GetFileAttributesW(wide);
    if (attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_DIRECTORY) return uform_status_unsupported_k;
    HANDLE handle = CreateFileW(wide, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    if (handle == INVALID_HANDLE_VALUE) return uform_status_io_k;
    uform_status_t const status = handle_map(handle, file);
    CloseHandle(handle);
    return status;
}

void system_file_unmap(file_t *file) {
    if (file->mapping) UnmapViewOfFile(file->mapping);
    *file = (file_t){0};
}

static bool handle_fill(HANDLE handle, unsigned char const *bytes, size_t size) {
    while (size) {
        DWORD written, piece = size > 1u << 30 ? 1u << 30 : (DWORD)size;
        if (!WriteFile(handle, bytes, piece, &written, NULL)) return false;
        bytes += written, size -= written;
    }
    return FlushFileBuffers(handle);
}

bool system_file_replaceable(char const *path) {
    WCHAR wide[path_most_k];
    if (!path_widen(path, wide)) return false;
    DWORD const attributes = GetFileAttributesW(wide);
    return attributes == INVALID_FILE_ATTRIBUTES || !(attributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_DEVICE));
}

uform_status_t system_file_replace(char const *path, unsigned char const *bytes, size_t size) {
    WCHAR wide[path_most_k], beside[path_most_k + 40];
    static volatile LONG taken;
    if (!path_widen(path, wide)) return uform_status_io_k;
    WCHAR suffix[40];
    wsprintfW(suffix, L".%lx-%lx.partial", (unsigned long)GetCurrentProcessId(), (unsigned long)InterlockedIncrement(&taken));
    lstrcpyW(beside, wide);
    lstrcatW(beside, suffix);
    HANDLE handle = CreateFileW(beside, GENERIC_WRITE, 0, NULL, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
    if (handle == INVALID_HANDLE_VALUE) return uform_status_io_k;
    bool good = handle_fill(handle, bytes, size);
    good = CloseHandle(handle) && good;
    good = good && MoveFileExW(beside, wide, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH);
    if (!good) DeleteFileW(beside);
    return good ? uform_status_success_k : uform_status_io_k;
}

bool system_twin_map(size_t bytes, twin_t *twin) {
    *twin = (twin_t){0};
    HANDLE section = CreateFileMappingW(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, (DWORD)bytes, NULL);
    if (!section) return false;
    void *hidden = MapViewOfFile(section, FILE_MAP_READ, 0, 0, bytes);
    void *own = MapViewOfFile(section, FILE_MAP_WRITE, 0, 0, bytes);
    CloseHandle(section);
    DWORD before;
    if (hidden && own && VirtualProtect(hidden, bytes, PAGE_NOACCESS, &before)) {
        *twin = (twin_t){hidden, own, bytes};
        return true;
    }
    if (hidden) UnmapViewOfFile(hidden);
    if (own) UnmapViewOfFile(own);
    return false;
}

void system_twin_unmap(twin_t *twin) {
    UnmapViewOfFile(twin->hidden);
    UnmapViewOfFile(twin->own);
    *twin = (twin_t){0};
}

#endif // _WIN32
