/* A child of vfork, which runs in its parent's memory. */
#define _GNU_SOURCE
#include "traceloom.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char ring[512];
    int status;
    if (argc != 2) return 2;
    snprintf(ring, sizeof ring, "%s/vfork.ring", argv[1]);
    tl_options options = TL_OPTIONS(ring);
    if (tl_start(&options) != 0) return 3;
    tl_begin_name("parent");
    const pid_t child = vfork();
    if (child == 0) {
        tl_begin_name("child");
        tl_end();
        if (tl_stop() != -ENODATA) _exit(4);
        execl("/bin/true", "true", (char *)NULL);
        _exit(5);
    }
    if (waitpid(child, &status, 0) != child || status != 0) return 6;
    tl_end();
    return tl_stop();
}
