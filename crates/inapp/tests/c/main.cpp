// A C++ program that uses the library: scopes end when exceptions leave them.
#include "traceloom.h"

#include <stdexcept>
#include <string>
#include <thread>

static void throws() {
    TL_CALL();
    throw std::runtime_error("out of here");
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    const std::string ring = std::string(argv[1]) + "/cpp.ring";
    tl_options options = TL_OPTIONS(ring.c_str());
    options.clock = TL_CLOCK_BOOTTIME;
    if (tl_start(&options) != 0) return 3;
    std::thread worker([] {
        TL_NAME("on a thread");
        try {
            TL_NAME("tries");
            throws();
        } catch (const std::exception &) {
            TL_COUNTER("caught", 1);
        }
    });
    worker.join();
    return tl_stop();
}
