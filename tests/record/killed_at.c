/* Preloaded: kills the process at one of its calls that write to files named *.vtkhdf*, which it counts. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static long calls = 0;

static void counted(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = 0;
    if (!strstr(path, ".vtkhdf")) return;
    const char *last = getenv("KILLED_AT");
    if (last && ++calls == atol(last)) raise(SIGKILL);
}

ssize_t write(int file, const void *from, size_t size) {
    static ssize_t (*full)(int, const void *, size_t);
    if (!full) full = dlsym(RTLD_NEXT, "write");
    counted(file);
    return full(file, from, size);
}

ssize_t pwrite(int file, const void *from, size_t size, off_t at) {
    static ssize_t (*full)(int, const void *, size_t, off_t);
    if (!full) full = dlsym(RTLD_NEXT, "pwrite");
    counted(file);
    return full(file, from, size, at);
}

ssize_t pwrite64(int file, const void *from, size_t size, off64_t at) {
    static ssize_t (*full)(int, const void *, size_t, off64_t);
    if (!full) full = dlsym(RTLD_NEXT, "pwrite64");
    counted(file);
    return full(file, from, size, at);
}

int ftruncate(int file, off_t size) {
    static int (*full)(int, off_t);
    if (!full) full = dlsym(RTLD_NEXT, "ftruncate");
    counted(file);
    return full(file, size);
}

int ftruncate64(int file, off64_t size) {
    static int (*full)(int, off64_t);
    if (!full) full = dlsym(RTLD_NEXT, "ftruncate64");
    counted(file);
    return full(file, size);
}
