package traceloom;

import dalvik.annotation.optimization.FastNative;
import java.io.File;
import java.io.IOException;

/**
 * Records inside the app, into one file that outlives a crash. Woven code calls {@link #i} and {@link #o}; the app starts
 * and stops, and says what it likes in between.
 *
 * <p>Where libtraceloom.so is missing everything here does nothing, and starting throws.
 */
public final class Recorder {
    /** What a recording is saved as: everything, ftrace text for systrace and Perfetto, Traceview's .trace. */
    public static final int RING = 0, FTRACE = 1, METHOD_TRACE = 2;

    private static final int DEFAULT_BUFFER = 8 << 20;

    private static final Throwable MISSING = load();

    /** Whether calls go to the library. Not volatile: a thread may see a start a little later. */
    private static boolean on;

    /** Whether calls of woven methods do: not while stacks are sampled. */
    private static boolean methods;

    /** The only thread whose methods are recorded; null for all. */
    private static Thread only;

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

    /** A method was entered. What woven code calls first. */
    public static void i(int method) {
        if (methods && (only == null || only == Thread.currentThread())) enter(method);
    }

    /** A method is left, by a return or an exception. What woven code calls last. */
    public static void o(int method) {
        if (methods && (only == null || only == Thread.currentThread())) exit(method);
    }

    /** Records methods of this thread only, woven or sampled; null for all. Before a start. */
    public static void onlyThread(Thread thread) {
        only = thread;
    }

    /**
     * Starts to record into a file of about so many bytes, the oldest events giving way.
     *
     * @throws IOException if a recording is under way, the file cannot be made, or the library is missing
     */
    public static void start(String path, long bytes) throws IOException {
        start(path, bytes, false, 0, 0, 0, false, 0);
    }

    /**
     * Starts a flight recorder that saves its last ten seconds on its own, beside the file; 0 for what should not.
     *
     * @param sampleMs CPU time, page faults and memory of the process become counters so often
     * @param slowFrameMs a frame ({@link #frame}) that took longer saves
     * @param blockedMs a task of the main thread ({@link #taskBegin}) that takes longer saves
     * @param sigquit SIGQUIT, which Android sends to an app that does not respond, saves
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
                begin(path, bytes, stopWhenFull, sampleMs, slowFrameMs, blockedMs, sigquit, stacksUs));
        on = true;
        methods = stacksUs == 0;
    }

    /** Ends the recording, if there is one. The file stays. */
    public static synchronized void stop() {
        if (sampler != null) sampler.end();
        on = methods = false;
        if (MISSING == null) finish();
    }

    /**
     * Records what the platform says of this process, too: turns its trace points of these categories on, as atrace calls
     * them ("app view gfx"; null for all), and those of android.os.Trace. A stop ends it.
     *
     * @param passOn whether the kernel gets the marks as well, for a system trace of the same time
     * @throws IOException if it is under way, or a category is unknown
     */
    public static synchronized void startPlatform(String categories, boolean passOn) throws IOException {
        if (!on) throw new IOException("nothing is recorded");
        check("record the platform", platform(categories, passOn));
    }

    /** Ends that: the platform's trace points are as they were. */
    public static synchronized void stopPlatform() {
        if (MISSING == null) platformEnd();
    }

    /** Whether anything is recorded. */
    public static boolean isRecording() {
        return on;
    }

    /**
     * Saves all that is in the ring while recording goes on.
     *
     * @param format {@link #RING}, {@link #FTRACE} or {@link #METHOD_TRACE}
     * @throws IOException if nothing is recorded, or the file cannot be written
     */
    public static void save(String path, int format) throws IOException {
        dump(-1, path, format);
    }

    /**
     * Saves at least the last seconds while recording goes on.
     *
     * @throws IOException as {@link #save(String, int)}
     */
    public static void dumpLast(double seconds, String path) throws IOException {
        dump(Math.max(seconds, 0), path, RING);
    }

    private static void dump(double seconds, String path, int format) throws IOException {
        if (!on) throw new IOException("nothing is recorded");
        check("save " + path, write(seconds, path, format));
    }

    /**
     * Starts to record methods of woven code, as android.os.Debug does: into NAME.trace, in the temporary folder of the
     * app if the name is no path.
     *
     * @param bufferSize bytes; 0 for 8 MB. What comes when it is full is lost.
     * @throws IOException as {@link #start(String, long)}
     */
    public static synchronized void startMethodTracing(String name, int bufferSize) throws IOException {
        startMethods(name, bufferSize, 0);
    }

    /**
     * Starts to sample the stacks of all threads, as android.os.Debug does, into NAME.trace as {@link #startMethodTracing};
     * {@link #stopMethodTracing} ends it. Needs no woven code, and records none meanwhile. What two samples in a row have
     * in common counts as one call that went on; what is shorter than the interval may not be seen at all.
     *
     * @param bufferSize bytes; 0 for 8 MB. When it is full, sampling ends.
     * @param intervalUs microseconds from one sample to the next; samples that come late are left out
     * @throws IllegalArgumentException if the interval is not above 0
     * @throws IOException as {@link #start(String, long)}
     */
    public static synchronized void startMethodTracingSampling(String name, int bufferSize, int intervalUs)
            throws IOException {
        if (intervalUs <= 0) throw new IllegalArgumentException("intervalUs is " + intervalUs + ", not above 0");
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
     * Ends that, and writes the file; its path, or null where nothing was recorded.
     *
     * @throws IOException if the file cannot be written, or sampling had failed before; then the file has what came first
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

    /** A section of this thread begins. */
    public static void beginSection(String name) {
        if (on) section(name);
    }

    /** The innermost section of this thread ends. */
    public static void endSection() {
        if (on) sectionEnd();
    }

    /** A counter of the process has a new value. */
    public static void counter(String name, long value) {
        if (on) count(name, value);
    }

    /** A point in time on this thread. */
    public static void instant(String name) {
        if (on) point(name);
    }

    /** A section begins that may end on another thread; name and cookie tell which. */
    public static void asyncBegin(String name, long cookie) {
        if (on) async(name, cookie, true);
    }

    /** The section of that name and cookie ends. */
    public static void asyncEnd(String name, long cookie) {
        if (on) async(name, cookie, false);
    }

    /** Tells the name of a method or another id: "class method signature". Once is enough. */
    public static void name(int id, String name) {
        if (on) nameId(id, name);
    }

    /** A frame was shown, and took so long. */
    public static void frame(long tookNanos) {
        if (on) frameTook(tookNanos);
    }

    /** The main thread begins a task: a message of its Looper. */
    public static void taskBegin() {
        if (on) task(true);
    }

    /** The main thread's task is over. */
    public static void taskEnd() {
        if (on) task(false);
    }

    private static void check(String what, int result) throws IOException {
        if (result != 0) throw new IOException("cannot " + what + ": error " + -result);
    }

    // On ART a thread that calls these does not change its state, which is most of what a call costs there. They don't
    // wait for anybody, as that asks for.
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
            int stacksUs);

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
