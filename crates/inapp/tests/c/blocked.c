/* A main thread that waits for a pipe in the middle of a task. It goes on when the trigger has saved its file. */
#include "traceloom.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];
static char saved[512];

static void *other(void *unused) {
    while (access(saved, R_OK) != 0) usleep(1000);
    if (write(ends[1], "x", 1) != 1) _exit(9);
    return unused;
}

__attribute__((noinline)) int waits_in_vain(void) {
    char byte;
    const int is_read = read(ends[0], &byte, 1) == 1;
    return is_read ? byte : -1;
}

__attribute__((noinline)) int handles_a_message(void) {
    return waits_in_vain() + 1;
}

int main(int argc, char **argv) {
    char ring[256];
    pthread_t thread;
    if (argc != 2 || pipe(ends) != 0) return 2;
    snprintf(ring, sizeof ring, "%s/blocked.ring", argv[1]);
    snprintf(saved, sizeof saved, "%s.blocked-1.ring", ring);
    tl_options options = TL_OPTIONS(ring);
    options.blocked_ms = 20;
    if (tl_start(&options) != 0) return 3;
    pthread_create(&thread, NULL, other, NULL);
    tl_task_begin();
    const int answer = handles_a_message();
    tl_task_end();
    pthread_join(thread, NULL);
    tl_stop();
    return answer == 'x' + 1 ? 0 : 4;
}
