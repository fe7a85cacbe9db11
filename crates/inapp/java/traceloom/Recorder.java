package traceloom;

import dalvik.annotation.optimization.FastNative;
import java.io.File;
import java.io.IOException;

/**
 * Records inside the app, to one file that survives a crash. Woven code calls {@link #i} and {@link #o}; the app starts
 * and stops the recording, and may record sections, counters and instants in between.
 *
 * <p>All methods may be called from any thread. While nothing is recorded, the recording methods do nothing. Without
 * libtraceloom.so, all methods do nothing, except that starting throws.
 */
public final class Recorder {
    /** File formats: the ring file, ftrace text for systrace and Perfetto, Traceview's .trace of the methods. */
    public static final int RING = 0, FTRACE = 1, METHOD_TRACE = 2;

    private static final int DEFAULT_BUFFER = 8 << 20;

    private static final Throwable MISSING = load();

    /** Whether calls go to the library. Not volatile: a thread may notice a start a little later. */
    private static boolean on;

    /** Whether calls of woven methods go to the library: not while stacks are sampled. */
    private static boolean methods;

    /** The only thread whose methods are recorded; null for all. */
    private static Thread only;

    /** Calls of methods that take fewer microseconds are dropped. */
    private static int minCallUs;

    /** The thread whose tasks are reported; null if there was none. */
    private static volatile Thread taskThread;

    private static MainThread mainThread;
    private static String methodRing;
    private static String methodTrace;
    private static Sampler sampler;

    private Recorder() {}

    private static Throwable load() {
        try {
            System.loadLibrary("traceloom");
            return null;
        } catch (UnsatisfiedLinkError | SecurityException error) {
            return error;
        }
    }

    /** Records that a method was entered. Woven code calls this first. */
    public static void i(int method) {
        if (methods && (only == null || only == Thread.currentThread())) enter(method);
    }

    /** Records that a method was left, by a return or an exception. Woven code calls this last. */
    public static void o(int method) {
        if (methods && (only == null || only == Thread.currentThread())) exit(method);
    }

    /** Records methods of this thread only, woven or sampled; null for all threads. To be called before a start. */
    public static void onlyThread(Thread thread) {
        only = thread;
    }

    /**
     * Drops calls of woven methods that take less than this and in which nothing else is recorded; their callers stay as they
     * are. To be called before a start.
     *
     * @param micros microseconds; 0, the default, to keep all calls
     */
    public static void minCallMicros(int micros) {
        minCallUs = micros;
    }

    /**
     * Starts recording. When the file is full, the oldest events are overwritten.
     *
     * @param path the ring file; a recording that an earlier process left there is renamed to PATH.previous
     * @param bytes approximate size of the file; 0 for 16 MB
     * @throws IOException if a recording is already running, the file cannot be created, or the library is missing
     */
    public static void start(String path, long bytes) throws IOException {
        start(path, bytes, false, 0, 0, 0, false, 0);
    }

    /**
     * Starts a flight recorder: when a trigger fires, the last ten seconds are saved next to the file, at most five times.
     *
     * @param path the ring file, as for {@link #start(String, long)}
     * @param bytes approximate size of the file; 0 for 16 MB
     * @param sampleMs interval in milliseconds at which CPU time, page faults, context switches and memory of the process are
     *     recorded as counters; 0 for never
     * @param slowFrameMs save when a frame ({@link #frame}) took longer than this, in milliseconds; 0 for never
     * @param blockedMs save when a task of the main thread ({@link #taskBegin}) takes longer than this, in milliseconds; 0 for
     *     never
     * @param sigquit save on SIGQUIT, which Android sends to an app that does not respond
     * @throws IOException as {@link #start(String, long)}
     */
    public static void startFlightRecorder(
            String path, long bytes, int sampleMs, int slowFrameMs, int blockedMs, boolean sigquit)
            throws IOException {
        start(path, bytes, false, sampleMs, slowFrameMs, blockedMs, sigquit, 0);
    }

    private static synchronized void start(
            String path,
            long bytes,
            boolean stopWhenFull,
            int sampleMs,
            int slowFrameMs,
            int blockedMs,
            boolean sigquit,
            int stacksUs)
            throws IOException {
        if (MISSING != null) throw new IOException("libtraceloom.so is missing", MISSING);
        check(
                "start " + path,
                begin(path, bytes, stopWhenFull, sampleMs, slowFrameMs, blockedMs, sigquit, stacksUs, minCallUs));
        prepareStack();
        on = true;
        methods = stacksUs == 0;
    }

    /** Stops the recording, if there is one. The file stays. */
    public static synchronized void stop() {
        if (sampler != null) sampler.end();
        if (mainThread != null) mainThread.end();
        mainThread = null;
        on = methods = false;
        if (MISSING == null) finish();
    }

    /**
     * Turns on the platform's own trace points in this process, including those of android.os.Trace, and records what they
     * write. {@link #stop} ends this as well.
     *
     * @param categories atrace's names, separated by spaces: "app view gfx"; null for all. The name "waits" adds a
     *     section for each time that a thread waits for another process, a file or a lock
     * @param passOn whether the kernel gets the marks too, for a system trace of the same time
     * @throws IOException if nothing is being recorded, the trace points are already on, or a category is unknown
     */
    public static synchronized void startPlatform(String categories, boolean passOn) throws IOException {
        if (!on) throw new IOException("nothing is being recorded");
        check("record the platform", platform(categories, passOn));
    }

    /** Restores the platform's trace points. */
    public static synchronized void stopPlatform() {
        if (MISSING == null) platformEnd();
    }

    /**
     * Makes each message of Android's main thread a section and a task ({@link #taskBegin}), and reports each frame of the
     * Choreographer ({@link #frame}), until {@link #stop}. This replaces the Printer of the main Looper, if the app has set one.
     *
     * @throws IOException if nothing is being recorded, or this is not Android
     */
    public static synchronized void watchMainThread() throws IOException {
        if (!on) throw new IOException("nothing is being recorded");
        if (mainThread == null) mainThread = new MainThread();
    }

    /** Whether anything is recorded. False if the file was cut or its disk has failed, which ends the recording. */
    public static boolean isRecording() {
        return on && active();
    }

    /**
     * Saves the whole recording while it continues.
     *
     * @param path the new file, which appears under this name once it is complete
     * @param format {@link #RING}, {@link #FTRACE} or {@link #METHOD_TRACE}
     * @throws IOException if nothing is being recorded, or the file cannot be written
     */
    public static void save(String path, int format) throws IOException {
        dump(-1, path, format);
    }

    /**
     * Saves at least the last seconds as a ring file while recording continues.
     *
     * @param seconds how much to save; the file has whole chunks of each thread, so it may have more
     * @param path the new file
     * @throws IOException as {@link #save(String, int)}
     */
    public static void dumpLast(double seconds, String path) throws IOException {
        dump(Math.max(seconds, 0), path, RING);
    }

    private static void dump(double seconds, String path, int format) throws IOException {
        if (!on) throw new IOException("nothing is being recorded");
        check("save " + path, write(seconds, path, format));
    }

    /**
     * Starts recording the methods of woven code to NAME.trace, like android.os.Debug.
     *
     * @param name the file, with or without ".trace"; a relative name is below the app's temporary folder (java.io.tmpdir)
     * @param bufferSize size in bytes; 0 for 8 MB. Once the buffer is full, further events are lost.
     * @throws IOException as {@link #start(String, long)}
     */
    public static synchronized void startMethodTracing(String name, int bufferSize) throws IOException {
        startMethods(name, bufferSize, 0);
    }

    /**
     * Starts sampling the stacks of all threads to NAME.trace, like android.os.Debug. {@link #stopMethodTracing} ends it. This
     * needs no woven code, and woven methods are not recorded meanwhile. Frames that two consecutive samples have in common
     * count as one call; calls shorter than the interval may be missed.
     *
     * @param name as for {@link #startMethodTracing}
     * @param bufferSize size in bytes; 0 for 8 MB. Once the buffer is full, sampling ends.
     * @param intervalUs microseconds between samples; late samples are skipped
     * @throws IllegalArgumentException if the interval is not positive
     * @throws IOException as {@link #start(String, long)}
     */
    public static synchronized void startMethodTracingSampling(String name, int bufferSize, int intervalUs)
            throws IOException {
        if (intervalUs <= 0) throw new IllegalArgumentException("intervalUs is " + intervalUs + ", must be positive");
        startMethods(name, bufferSize, intervalUs);
        sampler = new Sampler(only, intervalUs);
        sampler.start();
    }

    private static void startMethods(String name, int bufferSize, int stacksUs) throws IOException {
        File file = new File(name.endsWith(".trace") ? name : name + ".trace");
        if (!file.isAbsolute()) file = new File(System.getProperty("java.io.tmpdir", "."), file.getPath());
        String ring = file.getPath() + ".ring";
        start(ring, bufferSize > 0 ? bufferSize : DEFAULT_BUFFER, true, 0, 0, 0, false, stacksUs);
        methodTrace = file.getPath();
        methodRing = ring;
    }

    /**
     * Stops {@link #startMethodTracing} or {@link #startMethodTracingSampling} and writes the file.
     *
     * @return the path of the file, or null if no method tracing was running
     * @throws IOException if the file cannot be written, or sampling failed; then the file has the events up to the failure
     */
    public static synchronized String stopMethodTracing() throws IOException {
        String trace = methodTrace;
        if (trace == null) return null;
        methodTrace = null;
        stop();
        Throwable failure = sampler == null ? null : sampler.failure();
        sampler = null;
        check("write " + trace, convert(methodRing, trace, METHOD_TRACE));
        if (!new File(methodRing).delete()) new File(methodRing).deleteOnExit();
        if (failure != null) throw new IOException("sampling failed before the end of " + trace, failure);
        return trace;
    }

    /** Begins a section of this thread. */
    public static void beginSection(String name) {
        if (on) section(name);
    }

    /** Ends the innermost section of this thread. */
    public static void endSection() {
        if (on) sectionEnd();
    }

    /** Records a new value of a counter of the process. */
    public static void counter(String name, long value) {
        if (on) count(name, value);
    }

    /** Records a point in time on this thread. */
    public static void instant(String name) {
        if (on) point(name);
    }

    /** Begins an async section, which may end on another thread. Name and cookie identify it. */
    public static void asyncBegin(String name, long cookie) {
        if (on) async(name, cookie, true);
    }

    /** Ends the async section with this name and cookie. */
    public static void asyncEnd(String name, long cookie) {
        if (on) async(name, cookie, false);
    }

    /** Sets the name of a method or other id for this recording: "class method signature". Once is enough. */
    public static void name(int id, String name) {
        if (on) nameId(id, name);
    }

    /** Reports that a frame was shown, and how long it took, for the trigger slowFrameMs. */
    public static void frame(long tookNanos) {
        if (on) frameTook(tookNanos);
    }

    /** Reports that the main thread begins a task, such as a message of its Looper, for the trigger blockedMs. */
    public static void taskBegin() {
        if (!on) return;
        if (taskThread != Thread.currentThread()) taskThread = Thread.currentThread();
        task(true);
    }

    /** Reports that the main thread's task has ended. */
    public static void taskEnd() {
        if (on) task(false);
    }

    /** Records the stack of the thread whose tasks are reported. The library's thread calls this before it saves a file. */
    private static void recordStack() {
        Thread thread = taskThread;
        if (thread == null) return;
        point("stack of " + thread.getName());
        for (StackTraceElement frame : thread.getStackTrace()) point("at " + frame);
    }

    private static void check(String what, int result) throws IOException {
        if (result != 0) throw new IOException("cannot " + what + ": error " + -result);
    }

    // On ART, calls of @FastNative methods do not change the thread's state, which would be most of their cost. In return,
    // these methods must never wait, and they do not.
    @FastNative
    private static native void enter(int method);

    @FastNative
    private static native void exit(int method);

    private static native int begin(
            String path,
            long bytes,
            boolean stopWhenFull,
            int sampleMs,
            int slowFrameMs,
            int blockedMs,
            boolean sigquit,
            int stacksUs,
            int minCallUs);

    private static native boolean active();

    private static native void prepareStack();

    private static native void finish();

    private static native int platform(String categories, boolean passOn);

    private static native void platformEnd();

    private static native int write(double seconds, String path, int format);

    private static native int convert(String ring, String path, int format);

    private static native void section(String name);

    private static native void sectionEnd();

    private static native void count(String name, long value);

    private static native void point(String name);

    private static native void async(String name, long cookie, boolean isBegin);

    private static native void nameId(int id, String name);

    private static native void frameTook(long nanos);

    private static native void task(boolean begins);
}
