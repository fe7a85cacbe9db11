import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import traceloom.Recorder;

/**
 * Runs known stacks while they are sampled. Prints the minimum and maximum duration of each method, in nanoseconds,
 * whenever the samples were taken. The mapped ring file shows the number of samples so far.
 */
public final class Sampled {
    private static final int LOST_FULL = 128, SAMPLES = 184;

    private static volatile ByteBuffer ring;

    public static void main(String[] args) throws Exception {
        String folder = args[1];
        switch (args[0]) {
            case "known": known(folder); break;
            case "full": full(folder); break;
            case "only": only(folder); break;
            default: killed(folder);
        }
    }

    static void start(String name, int bufferSize) throws Exception {
        Recorder.startMethodTracingSampling(name, bufferSize, 1000);
        try (RandomAccessFile file = new RandomAccessFile(name + ".trace.ring", "r")) {
            ByteBuffer map = file.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, 4096);
            ring = map.order(ByteOrder.LITTLE_ENDIAN);
        }
    }

    // Bounds: a call begins between before() of its caller and its own after(). It ends between its own before() and
    // after() of its caller.

    static long samples() {
        return ring.getLong(SAMPLES);
    }

    /** A time before the start of every sample that ends after this call. */
    static long before() {
        long last = System.nanoTime(), samples = samples();
        while (true) {
            long now = System.nanoTime();
            if (samples() != samples) return last;
            last = now;
            LockSupport.parkNanos(50_000);
        }
    }

    /** Waits for a sample that began after this call. Returns a time after it. */
    static long after() {
        stay(2);
        return System.nanoTime();
    }

    static void stay(int samples) {
        for (long last = samples() + samples; samples() < last; ) LockSupport.parkNanos(50_000);
    }

    static synchronized void report(String method, long before, long[] inside, long after) {
        System.out.println("Sampled." + method + " " + (inside[1] - inside[0]) + " " + (after - before));
    }

    // The sampled methods.

    static long[] a() {
        long in = after(), before = before();
        long[] b = b();
        report("b", before, b, after());
        return new long[] {in, before()};
    }

    static long[] b() {
        long in = after(), before = before();
        long[] c = c();
        report("c", before, c, after());
        stay(20);
        return new long[] {in, before()};
    }

    static long[] c() {
        long in = after();
        Recorder.beginSection("within c");
        Recorder.i(1); // woven methods are not recorded
        for (long last = samples() + 40; samples() < last; ) {} // spins
        Recorder.o(1);
        Recorder.endSection();
        return new long[] {in, before()};
    }

    static long[] d(CountDownLatch sleeps, CountDownLatch wakes) throws InterruptedException {
        long in = after();
        sleeps.countDown();
        wakes.await();
        return new long[] {in, before()};
    }

    static long[] down(int levels) {
        return levels > 1 ? down(levels - 1) : new long[] {after(), before()};
    }

    static long[] e() {
        return new long[] {after(), before()};
    }

    static void known(String folder) throws Exception {
        start(folder + "/known", 0);
        CountDownLatch sleeps = new CountDownLatch(1), wakes = new CountDownLatch(1);
        Thread sleeper = thread("the sleeper, of a long name", () -> {
            try {
                long before = before();
                report("d", before, d(sleeps, wakes), after());
            } catch (InterruptedException error) {
                throw new AssertionError(error);
            }
        });
        sleeps.await();
        Thread spinner = thread("spinner", () -> {
            long before = before();
            report("a", before, a(), after());
            before = before();
            report("down", before, down(5), after());
        });
        spinner.join();
        long[][] e = new long[2][];
        Thread ends = thread("ends", () -> {
            e[0] = new long[] {before()};
            e[1] = e();
        });
        ends.join();
        report("e", e[0][0], e[1], after());
        Recorder.save(folder + "/live.ring", Recorder.RING);
        wakes.countDown();
        sleeper.join();
        after();
        String trace = Recorder.stopMethodTracing();
        if (!trace.equals(folder + "/known.trace")) throw new AssertionError(trace);
        if (Recorder.stopMethodTracing() != null) throw new AssertionError("twice");
    }

    static Thread thread(String name, Runnable runs) {
        Thread thread = new Thread(runs, name);
        thread.start();
        System.out.println("thread " + thread.getId() + " " + name);
        return thread;
    }

    /** Fills a buffer with changing stacks. */
    static void full(String folder) throws Exception {
        start(folder + "/full", 64 << 10);
        for (boolean isDeep = true; !isFull(); isDeep = !isDeep) deep(isDeep ? 100 : 0);
        Recorder.stopMethodTracing();
    }

    static boolean isFull() {
        return ring.getLong(LOST_FULL) > 0;
    }

    /** Waits for a sample that began after this call, or until the buffer is full. */
    static void deep(int levels) {
        if (levels > 0) {
            deep(levels - 1);
            return;
        }
        for (long last = samples() + 2; samples() < last && !isFull(); ) LockSupport.parkNanos(50_000);
    }

    static void only(String folder) throws Exception {
        try {
            Recorder.startMethodTracingSampling(folder + "/wrong", 0, 0);
            throw new AssertionError("an interval of 0");
        } catch (IllegalArgumentException expected) {
        }
        Recorder.onlyThread(Thread.currentThread());
        start(folder + "/only", 0);
        e();
        Recorder.stopMethodTracing();
    }

    static void killed(String folder) throws Exception {
        start(folder + "/killed", 0);
        e();
        Runtime.getRuntime().halt(0);
    }
}
