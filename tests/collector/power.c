/* Preloaded into a process: writes down, in one order, what it asks of the disk.
 *
 * Of files below POWER_FOLDER: opening, writes, truncations, syncs and removals go to the file
 * POWER_LOG as records (kind, offset, length of name, length of data, name, data). What lies in
 * memory that is shared (-shm) and locks (-lock) are no matter of the disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define FILES 1024
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *names[FILES];
static const char *folder;
static int out = -1;

struct record {
    int64_t kind, offset, name, data;
};

static void put(const void *bytes, size_t left) {
    const char *at = bytes;
    while (left > 0) {
        ssize_t done = REAL(write)(out, at, left);
        if (done < 0) abort();
        at += done;
        left -= (size_t)done;
    }
}

static void note(char kind, const char *name, int64_t offset, const void *data, size_t size) {
    struct record head = {kind, offset, (int64_t)strlen(name), (int64_t)size};
    put(&head, sizeof head);
    put(name, strlen(name));
    if (size) put(data, size);
}

__attribute__((constructor)) static void begin(void) {
    folder = getenv("POWER_FOLDER");
    const char *log = getenv("POWER_LOG");
    if (folder && log) out = REAL(open)(log, O_CREAT | O_WRONLY | O_APPEND, 0600);
}

static int ends(const char *name, const char *end) {
    size_t n = strlen(name), m = strlen(end);
    return n >= m && !strcmp(name + n - m, end);
}

static int watched(const char *path) {
    return out >= 0 && !strncmp(path, folder, strlen(folder)) && !ends(path, "-shm") &&
           !ends(path, "-lock");
}

static const char *name_of(int file) {
    return out >= 0 && file >= 0 && file < FILES ? names[file] : NULL;
}

static int opened(int file, const char *path) {
    if (file >= 0 && file < FILES && watched(path)) {
        pthread_mutex_lock(&lock);
        free(names[file]);
        names[file] = strdup(path);
        note('o', path, 0, NULL, 0);
        pthread_mutex_unlock(&lock);
    }
    return file;
}

#define OPEN(name)                                            \
    int name(const char *path, int flags, ...) {              \
        va_list rest;                                         \
        va_start(rest, flags);                                \
        mode_t mode = va_arg(rest, mode_t);                   \
        va_end(rest);                                         \
        return opened(REAL(name)(path, flags, mode), path);   \
    }
OPEN(open)
OPEN(open64)

int close(int file) {
    if (name_of(file)) {
        pthread_mutex_lock(&lock);
        free(names[file]);
        names[file] = NULL;
        pthread_mutex_unlock(&lock);
    }
    return REAL(close)(file);
}

#define NOTED(call, kind, offset, data, size)            \
    const char *name = name_of(file);                    \
    if (!name) return call;                              \
    pthread_mutex_lock(&lock);                           \
    __typeof__(call) done = call;                        \
    if (done >= 0) note(kind, name, offset, data, size); \
    pthread_mutex_unlock(&lock);                         \
    return done;

ssize_t pwrite(int file, const void *data, size_t size, off_t at) {
    NOTED(REAL(pwrite)(file, data, size, at), 'w', at, data, (size_t)done)
}
ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) {
    NOTED(REAL(pwrite64)(file, data, size, at), 'w', at, data, (size_t)done)
}
ssize_t write(int file, const void *data, size_t size) {
    NOTED(REAL(write)(file, data, size), 'a', 0, data, (size_t)done)
}
int ftruncate(int file, off_t size) { NOTED(REAL(ftruncate)(file, size), 't', size, NULL, 0) }
int ftruncate64(int file, off64_t size) { NOTED(REAL(ftruncate64)(file, size), 't', size, NULL, 0) }
int fsync(int file) { NOTED(REAL(fsync)(file), 's', 0, NULL, 0) }
int fdatasync(int file) { NOTED(REAL(fdatasync)(file), 's', 0, NULL, 0) }

int unlink(const char *path) {
    if (!watched(path)) return REAL(unlink)(path);
    pthread_mutex_lock(&lock);
    int done = REAL(unlink)(path);
    if (done >= 0) note('u', path, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    return done;
}
