/* A position-dependent program with inlined trace points: it has copies of libcutils' variables. */
#include "traceloom.h"

#include <stdio.h>
#include <unistd.h>

extern uint64_t atrace_enabled_tags;
extern int atrace_marker_fd;
void atrace_setup(void);

/* Keeps the library linked, as its other functions would. */
void (*volatile setup)(void) = atrace_setup;

static void mark(const char *text, int length) {
    if (atrace_enabled_tags & 1 << 12 && atrace_marker_fd != -1) {
        if (write(atrace_marker_fd, text, length) != length) _exit(9);
    }
}

int main(int argc, char **argv) {
    char ring[512];
    if (argc != 2) return 2;
    snprintf(ring, sizeof ring, "%s/copies.ring", argv[1]);
    tl_options options = TL_OPTIONS(ring);
    if (tl_start(&options) != 0) return 3;
    if (tl_platform_start("app", 0) != 0) return 4;
    mark("B|1|inlined", 11);
    mark("E|1", 3);
    if (tl_stop() != 0) return 5;
    return atrace_enabled_tags != 0 || atrace_marker_fd != -1;
}
