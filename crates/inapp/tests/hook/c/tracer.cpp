// android::Tracer of Android 4.1: its exported variables, and the code that was inlined into every library.
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

namespace android {
class Tracer {
 public:
  static void begin(uint64_t tag, const char* name) {
    if (!sIsReady) init();
    if (!(tag & sEnabledTags) || sTraceFD == -1) return;
    char text[1024];
    int length = snprintf(text, sizeof text, "B|%d|%s", getpid(), name);
    write(sTraceFD, text, length);
  }
  static void end(uint64_t tag) {
    if (!sIsReady) init();
    if ((tag & sEnabledTags) && sTraceFD != -1) write(sTraceFD, "E", 1);
  }
  static void init();
  static volatile int32_t sIsReady;
  static int sTraceFD;
  static uint64_t sEnabledTags;
};
volatile int32_t Tracer::sIsReady = 0;
int Tracer::sTraceFD = -1;
uint64_t Tracer::sEnabledTags = 0;
void Tracer::init() {
  if (!sIsReady) sEnabledTags = 0;
  sIsReady = 1;
}
}  // namespace android

extern "C" void begin(uint64_t tag, const char* name) { android::Tracer::begin(tag, name); }
extern "C" void end(uint64_t tag) { android::Tracer::end(tag); }
