package traceloom;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Samples stacks until it is stopped or the buffer is full, and passes the changes to the library. */
final class Sampler extends Thread {
    /** Smaller ids belong to woven code and C. The first id is used for methods whose names did not fit. */
    private static final int FIRST_ID = 1 << 24;

    /** Instead of the number of entered methods: the thread has ended. */
    private static final int ENDED = -1;

    private final Thread only;
    private final long intervalNs;
    private final Map<Thread, Seen> threads = new IdentityHashMap<>();
    private final Map<String, Map<String, Integer>> ids = new HashMap<>();
    private int nextId = FIRST_ID;
    private boolean namesFull;

    /**
     * For each changed thread: its index, the number of methods left, the number of methods entered (or ENDED), and the ids of
     * the latter, outermost first.
     */
    private int[] words = new int[1 << 10];

    private int length;
    private long samples;
    private volatile boolean ends;
    private volatile Throwable failure;

    Sampler(Thread only, int intervalUs) {
        super("traceloom sampler");
        this.only = only;
        intervalNs = intervalUs * 1000L;
        setDaemon(true);
    }

    @Override
    public void run() {
        try {
            method(nextId++, "(unnamed) method (...)", null);
            for (long next = System.nanoTime(); !ends; ) {
                long began = System.nanoTime();
                if (!sampleAll()) break;
                next = pause(next, began);
            }
            leaveAll();
        } catch (Throwable error) {
            failure = error;
        }
    }

    /** Stops the thread and waits for its end. */
    void end() {
        ends = true;
        LockSupport.unpark(this);
        boolean interrupted = false;
        while (isAlive()) {
            try {
                join();
            } catch (InterruptedException again) {
                interrupted = true;
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
    }

    /** Why it ended early; null if it did not. */
    Throwable failure() {
        return failure;
    }

    /**
     * Waits for the next sample. A sample may stop all other threads, so the pause is never shorter than the sample took; late
     * samples are skipped.
     */
    private long pause(long last, long began) {
        long now = System.nanoTime(), next = last + intervalNs, soonest = now + (now - began);
        if (next - soonest < 0) next = soonest;
        for (; !ends && next - now > 0; now = System.nanoTime()) {
            LockSupport.parkNanos(this, next - now);
            // Clear the interrupt, or the next park would return at once.
            interrupted();
        }
        return next;
    }

    private boolean sampleAll() {
        long time = clock();
        length = 0;
        samples++;
        Map<Thread, StackTraceElement[]> stacks =
                only == null ? getAllStackTraces() : Collections.singletonMap(only, only.getStackTrace());
        for (Map.Entry<Thread, StackTraceElement[]> entry : stacks.entrySet()) {
            if (entry.getKey() != this) look(entry.getKey(), entry.getValue());
        }
        for (Iterator<Seen> seen = threads.values().iterator(); seen.hasNext(); ) {
            Seen thread = seen.next();
            if (thread.sample == samples) continue;
            put(thread.place, thread.stack.length, ENDED);
            seen.remove();
        }
        return sample(time, words, length);
    }

    private void look(Thread thread, StackTraceElement[] stack) {
        Seen seen = threads.get(thread);
        if (seen == null) {
            if (stack.length == 0) return;
            seen = new Seen(thread(thread.getId(), thread.getName()));
            threads.put(thread, seen);
        }
        int same = common(seen.stack, stack);
        int left = seen.stack.length - same, entered = stack.length - same;
        seen.sample = samples;
        seen.stack = stack;
        if (left + entered == 0) return;
        put(seen.place, left, entered);
        while (--entered >= 0) words[length++] = id(stack[entered]);
    }

    /** Appends the start of a change, and makes room for the rest. */
    private void put(int place, int left, int entered) {
        int most = length + 3 + Math.max(entered, 0);
        if (most > words.length) words = Arrays.copyOf(words, most * 2);
        words[length++] = place;
        words[length++] = left;
        words[length++] = entered;
    }

    /** Number of outermost frames that two stacks have in common. The arrays begin with the innermost frame. */
    private static int common(StackTraceElement[] a, StackTraceElement[] b) {
        int most = Math.min(a.length, b.length), same = 0;
        while (same < most && isSame(a[a.length - 1 - same], b[b.length - 1 - same])) same++;
        return same;
    }

    private static boolean isSame(StackTraceElement a, StackTraceElement b) {
        return a.getMethodName().equals(b.getMethodName()) && a.getClassName().equals(b.getClassName());
    }

    /** The id of a method. Stack frames have no signature, so overloads share an id. */
    private int id(StackTraceElement frame) {
        Map<String, Integer> ofClass = ids.get(frame.getClassName());
        Integer id = ofClass == null ? null : ofClass.get(frame.getMethodName());
        if (id != null) return id;
        if (namesFull) return FIRST_ID;
        String file = frame.getFileName();
        String source = file == null || frame.getLineNumber() < 0 ? file : file + ":" + frame.getLineNumber();
        String name = frame.getClassName() + " " + frame.getMethodName() + " (...)";
        namesFull = !method(nextId, name, source);
        if (namesFull) return FIRST_ID;
        if (ofClass == null) ids.put(frame.getClassName(), ofClass = new HashMap<>());
        ofClass.put(frame.getMethodName(), nextId);
        return nextId++;
    }

    /** Ends all open methods. */
    private void leaveAll() {
        length = 0;
        for (Seen thread : threads.values()) put(thread.place, thread.stack.length, ENDED);
        sample(clock(), words, length);
    }

    /** The state of a thread in the last sample. */
    private static final class Seen {
        final int place;
        StackTraceElement[] stack = {};
        long sample;

        Seen(int place) {
            this.place = place;
        }
    }

    /** The recording's clock. */
    private static native long clock();

    /** Adds a thread and returns its index; -1 if nothing is recorded. */
    private static native int thread(long number, String name);

    /** Writes the name of a method; source is FILE:LINE, FILE or null. False if there is no room. */
    private static native boolean method(int id, String name, String source);

    /** Records a sample in the format of {@link #words}. False if there is no room. */
    private static native boolean sample(long time, int[] words, int length);
}
