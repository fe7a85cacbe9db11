/* A thread that waits for a lock, a pipe and another process. Whatever it waits for happens only after it sleeps. */
#define _GNU_SOURCE
#include "traceloom.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t both = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ends[2], full[2], file_lock;

/* What read() becomes with _FORTIFY_SOURCE. */
extern ssize_t __read_chk(int fd, void *data, size_t count, size_t size);
static volatile int is_held, goes_on;
static pid_t waiter;

/* Until the waiter sleeps, and a little longer. */
static void until_it_waits(void) {
    char path[64], line[256], state = 'R';
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", waiter);
    while (state != 'S') {
        FILE *file = fopen(path, "r");
        if (file != NULL && fgets(line, sizeof line, file) != NULL) state = strrchr(line, ')')[2];
        if (file != NULL) fclose(file);
    }
    usleep(2000);
}

static void *other(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_rwlock_wrlock(&both);
    is_held = 1;
    until_it_waits();
    goes_on = 0;
    pthread_mutex_unlock(&lock);
    while (!goes_on) {}
    until_it_waits();
    goes_on = 0;
    pthread_rwlock_unlock(&both);
    while (!goes_on) {}
    until_it_waits();
    if (write(ends[1], "x", 1) != 1) _exit(9);
    while (!goes_on) {}
    goes_on = 0;
    until_it_waits();
    if (write(ends[1], "y", 1) != 1) _exit(9);
    while (!goes_on) {}
    goes_on = 0;
    until_it_waits();
    char drained[4096];
    if (read(full[0], drained, sizeof drained) != sizeof drained) _exit(9);
    while (!goes_on) {}
    goes_on = 0;
    until_it_waits();
    flock(file_lock, LOCK_UN);
    while (!goes_on) {}
    until_it_waits();
    pthread_mutex_lock(&lock);
    goes_on = 0;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(int argc, char **argv) {
    char ring[512], byte;
    pthread_t thread;
    if (argc != 2 || pipe(ends) != 0 || pipe(full) != 0) return 2;
    snprintf(ring, sizeof ring, "%s/file", argv[1]);
    file_lock = open(ring, O_CREAT | O_RDWR, 0600);
    const int same_file = open(ring, O_RDWR);
    if (flock(file_lock, LOCK_EX) != 0) return 2;
    static char page[4096];
    fcntl(full[1], F_SETFL, O_NONBLOCK);
    while (write(full[1], page, sizeof page) > 0) {}
    fcntl(full[1], F_SETFL, 0);
    snprintf(ring, sizeof ring, "%s/waits.ring", argv[1]);
    waiter = syscall(SYS_gettid);
    tl_options options = TL_OPTIONS(ring);
    if (tl_start(&options) != 0 || tl_platform_start("waits", 0) != 0) return 3;

    pthread_create(&thread, NULL, other, NULL);
    while (!is_held) {}
    pthread_mutex_lock(&lock);
    goes_on = 1;
    pthread_rwlock_rdlock(&both);
    goes_on = 1;
    if (read(ends[0], &byte, 1) != 1 || byte != 'x') return 4;
    goes_on = 1;
    if (__read_chk(ends[0], &byte, 1, 1) != 1 || byte != 'y') return 4;
    goes_on = 1;
    if (write(full[1], page, sizeof page) != sizeof page) return 4;
    goes_on = 1;
    if (flock(same_file, LOCK_EX) != 0) return 4;
    goes_on = 1;
    while (goes_on) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);

    /* BC_TRANSACTION that wants a reply, then a thread that offers to work. */
    uint32_t commands[17] = {1u << 30 | 64 << 16 | 0x6300};
    uint64_t request[6] = {sizeof commands, 0, (uintptr_t)commands, 256, 0, 0};
    errno = 0;
    if (ioctl(ends[0], 0xc0306201, request) != -1 || errno != ENOTTY) return 5;
    request[0] = 0;
    ioctl(ends[0], 0xc0306201, request);

    /* None of these waits. */
    tl_begin_name("quick");
    const int zeros = open("/dev/zero", O_RDONLY);
    for (int turn = 0; turn < 2000; turn++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
        if (read(zeros, &byte, 1) != 1) return 6;
    }
    errno = 0;
    if (read(-1, &byte, 1) != -1 || errno != EBADF) return 7;
    tl_end();
    return tl_stop();
}
