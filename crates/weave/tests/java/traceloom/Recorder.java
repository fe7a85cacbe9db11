package traceloom;

import java.io.FileWriter;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Replaces the in-app recorder: counts the calls of woven methods, and checks that every end matches the
 * last begin. The results go to the file named by the property weave.counts.
 */
public final class Recorder {
    private static final int LARGEST = 1 << 18;
    private static final List<State> STATES = new ArrayList<>();

    private static final class State {
        final String thread = Thread.currentThread().getName();
        final int[] open = new int[100_000];
        final int[] counts = new int[LARGEST];
        int depth;
        long wrong;
    }

    private static final ThreadLocal<State> STATE = ThreadLocal.withInitial(() -> {
        State state = new State();
        synchronized (STATES) {
            STATES.add(state);
        }
        return state;
    });

    static {
        String file = System.getProperty("weave.counts");
        if (file != null) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> write(file)));
        }
    }

    private Recorder() {}

    public static void i(int id) {
        State state = STATE.get();
        state.counts[id]++;
        state.open[state.depth++] = id;
    }

    public static void o(int id) {
        State state = STATE.get();
        if (state.depth == 0 || state.open[--state.depth] != id) {
            state.wrong++;
        }
    }

    /** The number of open sections of this thread. */
    public static int depth() {
        return STATE.get().depth;
    }

    /** The number of ends of this thread that did not match the last open begin. */
    public static long wrong() {
        return STATE.get().wrong;
    }

    private static void write(String file) {
        long wrong = 0;
        int open = 0;
        int[] counts = new int[LARGEST];
        StringBuilder threads = new StringBuilder();
        synchronized (STATES) {
            for (State state : STATES) {
                wrong += state.wrong;
                open += state.depth;
                threads.append("thread ").append(state.thread).append('\n');
                for (int id = 0; id < LARGEST; id++) {
                    counts[id] += state.counts[id];
                }
            }
        }
        try (PrintWriter out = new PrintWriter(new FileWriter(file))) {
            out.println("wrong " + wrong);
            out.println("open " + open);
            out.print(threads);
            for (int id = 0; id < LARGEST; id++) {
                if (counts[id] != 0) {
                    out.println(id + " " + counts[id]);
                }
            }
        } catch (java.io.IOException error) {
            error.printStackTrace();
        }
    }
}
