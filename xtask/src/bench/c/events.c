/*
 * The cost of the recorder's calls in CPU time, next to a bare ring: the processor's counter and a store. Prints lines
 * `NAME<tab>NS`, the best round each. The rounds of all calls alternate, so that they share whatever slows the machine down.
 *
 *     events FILE ROUNDS
 */
#define _GNU_SOURCE
#include "traceloom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

#define TURNS 200000
#define WORDS ((16u << 20) / sizeof(uint64_t))

static uint64_t *ring;
static size_t next;

__attribute__((noinline)) static void bare(uint32_t id) {
    ring[next] = (uint64_t)id << 32 ^ __rdtsc();
    next = (next + 1) & (WORDS - 1);
}

static double cpu_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static const char *const NAMES[] = {"off", "bare", "begin", "end", "counter", "name", "mark"};
enum { OFF, BARE, BEGIN, END, COUNTER, NAME, MARK, CALLS };

#define TIMES(call)                                      \
    for (int turn = 0; turn < TURNS; turn++) {           \
        call;                                            \
    }                                                    \
    break

static double measure(int which) {
    const double before = cpu_ns();
    switch (which) {
        case BARE: TIMES(bare(7));
        case OFF:
        case BEGIN: TIMES(tl_begin(7));
        case END: TIMES(tl_end());
        case COUNTER: TIMES(tl_counter(7, turn));
        case NAME: TIMES(tl_begin_name("a name of some length"));
        case MARK: TIMES(tl_mark("B|12345|a name of some length", 29));
    }
    return (cpu_ns() - before) / TURNS;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    ring = malloc(WORDS * sizeof(uint64_t));
    memset(ring, 1, WORDS * sizeof(uint64_t));
    double best[CALLS];
    for (int which = 0; which < CALLS; which++) best[which] = 1e9;
    const int rounds = atoi(argv[2]);
    for (int round = 0; round < rounds; round++) {
        const double took = measure(OFF);
        if (took < best[OFF]) best[OFF] = took;
    }
    const tl_options options = TL_OPTIONS(argv[1]);
    if (tl_start(&options) != 0) return 1;
    /* Touch every page of the file. */
    for (int turn = 0; turn < 3000000; turn++) tl_begin(7);
    for (int round = 0; round < rounds; round++) {
        for (int which = BARE; which < CALLS; which++) {
            const double took = measure(which);
            if (took < best[which]) best[which] = took;
        }
    }
    tl_stop();
    for (int which = 0; which < CALLS; which++) printf("%s\t%.2f\n", NAMES[which], best[which]);
    return 0;
}
