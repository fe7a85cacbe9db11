/* libcutils, as far as programs with inlined trace points use it: its variables, and a function that sets them at its first
 * call, as if all of the system's properties were unset. */
#include <stdint.h>

uint64_t atrace_enabled_tags = 1;
int atrace_marker_fd = -1;

void atrace_setup(void) {
    static int is_done;
    if (!is_done) atrace_enabled_tags = 0;
    is_done = 1;
}
