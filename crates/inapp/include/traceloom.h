/*
 * traceloom.h: records inside a program, to one file that survives a crash. Link with -ltraceloom.
 *
 *     tl_options options = TL_OPTIONS("/data/data/com.example/cache/app.ring");
 *     tl_start(&options);
 *     {
 *         TL_NAME("decode");                 // a section, to the end of the block
 *         tl_counter_name("queue", 3);
 *     }
 *     tl_stop();
 *
 * An event costs a clock read and a few stores, and while nothing is recorded, one check of a variable. All threads and
 * signal handlers may record.
 *
 * Functions that return int return 0, or a negative errno (-EEXIST: a recording is already running).
 */
#ifndef TRACELOOM_H
#define TRACELOOM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What happens when the file is full. */
enum { TL_DROP_OLDEST = 0, TL_STOP_WHEN_FULL = 1 };

/* The clock. TL_CLOCK_BEST is the processor's counter if it is reliable, else CLOCK_BOOTTIME. */
enum { TL_CLOCK_BEST = 0, TL_CLOCK_COUNTER = 1, TL_CLOCK_BOOTTIME = 2, TL_CLOCK_MONOTONIC = 3 };

/* File formats: the ring file, ftrace text for systrace and Perfetto, Traceview's .trace of the methods. */
enum { TL_RING = 0, TL_FTRACE = 1, TL_METHOD_TRACE = 2 };

/* Options of a recording. 0 means the default. Later versions may add fields at the end; `size` tells which ones the
 * caller has. */
typedef struct tl_options {
    uint32_t size;            /* sizeof(tl_options) */
    uint32_t policy;          /* when the file is full; default TL_DROP_OLDEST */
    const char *path;         /* the ring file */
    uint64_t bytes;           /* size of the file; default 16 MB, at most 1 GB */
    uint32_t chunk_bytes;     /* the part of the file that a thread takes at a time; default 8 KB */
    uint32_t clock;           /* default TL_CLOCK_BEST */
    uint32_t names;           /* room for names of ids, as a number of names of up to 56 bytes; default 1024 */
    uint32_t cpu_time;        /* not 0: record the CPU time with each method event, which costs a system call */
    uint32_t sample_ms;       /* interval of counters of CPU time, page faults, context switches and memory; 0: never */
    uint32_t slow_frame_ms;   /* save when a frame took longer (tl_frame); 0: never */
    uint32_t blocked_ms;      /* save when a task of the main thread takes longer (tl_task_begin); 0: never */
    uint32_t sigquit;         /* not 0: save on SIGQUIT, which Android sends to an app that does not respond */
    uint32_t last_seconds;    /* how much these triggers save; default 10 */
    uint32_t most_files;      /* how many files they save at most; default 5 */
    uint32_t min_call_us;     /* drop calls of methods that take less, unless something is recorded in them; 0: keep all */
} tl_options;

#ifdef __cplusplus
#define TL_OPTIONS(file) (::traceloom::options(file))
#else
#define TL_OPTIONS(file) ((tl_options){.size = sizeof(tl_options), .path = (file)})
#endif

/* Starts recording. A recording that an earlier process left at the path is renamed to PATH.previous. If the file is cut or its
 * disk fails, recording ends, and the program goes on. */
int tl_start(const tl_options *options);

/* Stops recording. The file stays. -ENODATA: nothing was being recorded. */
int tl_stop(void);

/* Saves the whole recording, or at least its last seconds, while recording continues. */
int tl_save(const char *path, uint32_t format);
int tl_dump_last(double seconds, const char *path);
int tl_dump_last_as(double seconds, const char *path, uint32_t format);

/* Converts a ring file that was stopped, or left by a process that died, to another format. */
int tl_convert(const char *ring, const char *path, uint32_t format);

/* Whether anything is recorded. */
int tl_is_recording(void);

/* Sets the name of an id for this recording; once is enough. Methods may be named "class method signature". */
void tl_name_id(uint32_t id, const char *name);

/* A section of this thread. tl_end() ends the innermost. */
void tl_begin(uint32_t id);
void tl_begin_name(const char *name);
void tl_end(void);

/* A counter of the process. */
void tl_counter(uint32_t id, int64_t value);
void tl_counter_name(const char *name, int64_t value);

/* A point in time on this thread. */
void tl_instant(uint32_t id);
void tl_instant_name(const char *name);

/* An async section, which may end on another thread. Id or name, and cookie, identify it. */
void tl_async_begin(uint32_t id, int64_t cookie);
void tl_async_begin_name(const char *name, int64_t cookie);
void tl_async_end(uint32_t id, int64_t cookie);
void tl_async_end_name(const char *name, int64_t cookie);

/* A method, for woven code. */
void tl_method_enter(uint32_t id);
void tl_method_exit(uint32_t id);

/* Text in the format of trace_marker, "B|123|name", of any length. */
void tl_mark(const void *payload, size_t bytes);

/* The platform's own trace points. tl_platform_start turns on those of the categories, with atrace's names ("app view gfx";
 * NULL: all), and records what libraries of this process write to trace_marker. The kernel gets it too if pass_on is not 0.
 * "waits" among the categories adds a section for each time that a thread waits for another process, a file or a lock.
 * Call tl_platform_refresh after libraries were loaded or a system trace has ended. tl_platform_stop or tl_stop restore
 * everything. libtraceloom.so must not be unloaded after a start. */
int tl_platform_start(const char *categories, int pass_on);
int tl_platform_refresh(void);
int tl_platform_stop(void);

/* For the triggers: a frame was shown and took took_ns; the main thread begins and ends a task. */
void tl_frame(uint64_t took_ns);
void tl_task_begin(void);
void tl_task_end(void);

/* Categories: the macros below record only if TL_TAG and this mask have a bit in common. A source file may define TL_TAG
 * before it includes this header. Initially all bits of the mask are set. */
extern uint64_t tl_enabled_tags;
void tl_set_tags(uint64_t tags);

#ifdef __cplusplus
}
#endif

#ifndef TL_TAG
#define TL_TAG 1
#endif

#define TL_IS_ON(tags) ((__atomic_load_n(&tl_enabled_tags, __ATOMIC_RELAXED) & (uint64_t)(tags)) != 0)

#define TL_JOIN_(a, b) a##b
#define TL_JOIN(a, b) TL_JOIN_(a, b)

/* A section from here to the end of the block, named after the function. TL_NAME and TL_ID, below, take a name or an id. */
#define TL_CALL() TL_NAME(__func__)

#define TL_COUNTER(name, value) (TL_IS_ON(TL_TAG) ? tl_counter_name((name), (int64_t)(value)) : (void)0)
#define TL_INSTANT(name) (TL_IS_ON(TL_TAG) ? tl_instant_name(name) : (void)0)
#define TL_ASYNC_BEGIN(name, cookie) (TL_IS_ON(TL_TAG) ? tl_async_begin_name((name), (cookie)) : (void)0)
#define TL_ASYNC_END(name, cookie) (TL_IS_ON(TL_TAG) ? tl_async_end_name((name), (cookie)) : (void)0)

#ifdef __cplusplus

namespace traceloom {

inline tl_options options(const char *path) {
    tl_options options = {};
    options.size = sizeof(options);
    options.path = path;
    return options;
}

/* A section that ends with its scope, also by an exception. If it began, it ends, even if the mask has changed meanwhile. */
class Scope {
public:
    Scope(bool is_on, const char *name) : is_on_(is_on) {
        if (is_on_) tl_begin_name(name);
    }
    Scope(bool is_on, uint32_t id) : is_on_(is_on) {
        if (is_on_) tl_begin(id);
    }
    ~Scope() {
        if (is_on_) tl_end();
    }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

private:
    const bool is_on_;
};

}  // namespace traceloom

#define TL_NAME(name) ::traceloom::Scope TL_JOIN(tl_scope_, __LINE__)(TL_IS_ON(TL_TAG), (name))
#define TL_ID(id) ::traceloom::Scope TL_JOIN(tl_scope_, __LINE__)(TL_IS_ON(TL_TAG), (uint32_t)(id))

#else

static inline int tl_scope_name_(int is_on, const char *name) {
    if (is_on) tl_begin_name(name);
    return is_on;
}

static inline int tl_scope_id_(int is_on, uint32_t id) {
    if (is_on) tl_begin(id);
    return is_on;
}

static inline void tl_scope_end_(const int *is_on) {
    if (*is_on) tl_end();
}

#define TL_SCOPE_(began) \
    const int TL_JOIN(tl_scope_, __LINE__) __attribute__((cleanup(tl_scope_end_), unused)) = (began)
#define TL_NAME(name) TL_SCOPE_(tl_scope_name_(TL_IS_ON(TL_TAG), (name)))
#define TL_ID(id) TL_SCOPE_(tl_scope_id_(TL_IS_ON(TL_TAG), (uint32_t)(id)))

#endif

#endif
