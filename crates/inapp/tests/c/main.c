/* A C program that uses the library. The argument is the folder for its files. */
#define TL_TAG 4
#include "traceloom.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void called(void) {
    TL_CALL();
    TL_COUNTER("depth", 2);
}

static int sections(int early) {
    TL_NAME("first");
    {
        TL_ID(7);
        if (early) return 1;
        called();
    }
    TL_INSTANT("not early");
    return 0;
}

int main(int argc, char **argv) {
    char ring[512], text[512], last[512];
    if (argc != 2) return 2;
    snprintf(ring, sizeof ring, "%s/c.ring", argv[1]);
    snprintf(text, sizeof text, "%s/c.systrace", argv[1]);
    snprintf(last, sizeof last, "%s/c-last.ring", argv[1]);

    tl_options options = TL_OPTIONS(ring);
    options.bytes = 1 << 20;
    if (tl_stop() != -ENODATA) return 3;
    tl_options old = {.size = 8, .path = ring};
    if (tl_start(&old) != -EINVAL || tl_start(NULL) != -EINVAL) return 4;
    if (tl_start(&options) != 0 || !tl_is_recording()) return 5;
    if (tl_start(&options) != -EEXIST) return 6;
    tl_name_id(7, "seventh");
    sections(1);
    sections(0);

    tl_set_tags(~(uint64_t)TL_TAG);
    sections(0); /* a category that is off */
    tl_set_tags(TL_TAG);
    {
        TL_NAME("begun while on");
        tl_set_tags(0);
    }
    tl_set_tags(~(uint64_t)0);

    tl_async_begin_name("load", -1);
    tl_async_end_name("load", -1);
    tl_method_enter(9);
    tl_method_exit(9);
    tl_mark("C|1|raw|5", strlen("C|1|raw|5"));
    if (tl_save(text, TL_FTRACE) != 0 || tl_save(text, 17) != -EINVAL) return 7;
    if (tl_dump_last(60.0, last) != 0 || tl_dump_last(-1.0, last) != -EINVAL) return 8;
    if (tl_save("/nowhere/at/all", TL_RING) != -ENOENT) return 9;
    return tl_stop();
}
