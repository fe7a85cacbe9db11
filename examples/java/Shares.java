import traceloom.Recorder;

/** Spends three fifths of its time in fine() and two fifths in coarse() itself, a hundred times, and samples its own stacks. */
public final class Shares {
    private static double number;

    public static void main(String[] arguments) throws Exception {
        Recorder.onlyThread(Thread.currentThread());
        Recorder.startMethodTracingSampling(arguments[0], 0, 1000);
        for (int round = 0; round < 100; round++) coarse();
        System.out.println(Recorder.stopMethodTracing());
    }

    static void coarse() {
        fine();
        spin(20);
    }

    static void fine() {
        spin(30);
    }

    static void spin(int millis) {
        long end = System.nanoTime() + millis * 1_000_000L;
        while (System.nanoTime() < end) {
            for (int step = 0; step < 1_000; step++) number = Math.sqrt(number + step);
        }
    }
}
