import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import traceloom.Recorder;

/**
 * Measures a woven call of an empty method. Prints a line for each way: its name, and the minimum and the median of all
 * rounds in ns. The ways take turns in each round, so that other programs on the machine affect all of them.
 */
public final class CallCost {
    private static final int TURNS = 100_000;
    private static final int WARM_UP = 50;

    /** Measures CPU time, which does not include other programs. */
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** Uses the results of the loops, so that the compiler cannot remove them. */
    public static volatile long result;

    interface Loop {
        long run(int turns) throws Throwable;
    }

    private static final class Way {
        final String name;
        final Loop loop;
        final double[] took;

        Way(String name, Loop loop, int rounds) {
            this.name = name;
            this.loop = loop;
            this.took = new double[rounds];
        }
    }

    public static void main(String[] args) throws Throwable {
        String folder = args[0];
        int rounds = Integer.parseInt(args[1]);
        List<Way> ways = new ArrayList<>();
        ways.add(new Way("woven, recording off", CallCost::off, rounds));
        measure(ways, rounds);

        Recorder.start(folder + "/recorder.ring", 16 << 20);
        Buffer.open(new File(folder, "buffer.ring"), 16 << 20);
        ways.clear();
        ways.add(new Way("not woven", CallCost::unwoven, rounds));
        ways.add(new Way("two reads of the clock (System.nanoTime)", CallCost::clock, rounds));
        ways.add(new Way("woven, through JNI: what traceloom does", CallCost::jni, rounds));
        ways.add(new Way("prototype: Java writes into a direct buffer", CallCost::buffer, rounds));
        Class<?> foreign = foreign();
        if (foreign != null) {
            ways.add(new Way("prototype: FFM", (Loop) foreign.getMethod("plain").invoke(null), rounds));
            ways.add(new Way("prototype: FFM, critical", (Loop) foreign.getMethod("critical").invoke(null), rounds));
        }
        measure(ways, rounds);
        Recorder.stop();
    }

    /** The class is only compiled if this Java is new enough. */
    private static Class<?> foreign() {
        try {
            return Class.forName("Foreign");
        } catch (ClassNotFoundException tooOld) {
            return null;
        }
    }

    private static void measure(List<Way> ways, int rounds) throws Throwable {
        for (int n = 0; n < WARM_UP; n++) {
            for (Way way : ways) result = way.loop.run(TURNS);
        }
        for (int round = 0; round < rounds; round++) {
            for (Way way : ways) {
                long before = THREADS.getCurrentThreadCpuTime();
                result = way.loop.run(TURNS);
                way.took[round] = (THREADS.getCurrentThreadCpuTime() - before) / (double) TURNS;
            }
        }
        for (Way way : ways) {
            Arrays.sort(way.took);
            System.out.printf("%s\t%.2f\t%.2f%n", way.name, way.took[0], way.took[rounds / 2]);
        }
    }

    private static long unwoven(int turns) {
        long sum = 0;
        for (int n = 0; n < turns; n++) sum += Unwoven.nothing(n);
        return sum;
    }

    private static long clock(int turns) {
        long sum = 0;
        for (int n = 0; n < turns; n++) {
            sum -= System.nanoTime();
            sum += System.nanoTime();
        }
        return sum;
    }

    private static long off(int turns) {
        long sum = 0;
        for (int n = 0; n < turns; n++) sum += WovenOff.nothing(n);
        return sum;
    }

    private static long jni(int turns) {
        long sum = 0;
        for (int n = 0; n < turns; n++) sum += WovenJni.nothing(n);
        return sum;
    }

    private static long buffer(int turns) {
        long sum = 0;
        for (int n = 0; n < turns; n++) sum += WovenBuffer.nothing(n);
        return sum;
    }
}

/** Each way has its own class, so that no loop is compiled for two of them. */
final class Unwoven {
    static int nothing(int number) {
        return number;
    }
}

final class WovenOff {
    static int nothing(int number) {
        return number;
    }
}

final class WovenJni {
    static int nothing(int number) {
        return number;
    }
}

final class WovenBuffer {
    static int nothing(int number) {
        return number;
    }
}
