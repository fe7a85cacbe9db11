import traceloom.Recorder;

/** Uses the recorder like an app. The calls of i and o are those that the weaver inserts. */
public final class Program {
    private static final int RUN = 1, WORK = 2, THROWS = 3;

    public static void main(String[] args) throws Exception {
        String folder = args[0];
        run(0); // nothing is recorded yet
        Recorder.start(folder + "/java.ring", 1 << 20);
        try {
            Recorder.start(folder + "/other.ring", 1 << 20);
            throw new AssertionError("two recordings at once");
        } catch (java.io.IOException expected) {
        }
        Recorder.name(RUN, "Program run (I)V");
        Recorder.name(WORK, "Program work (I)I");
        Recorder.name(THROWS, "Program throwing ()V");
        run(3);
        Recorder.beginSection("a section \u00e4");
        Recorder.counter("queue", -7);
        Recorder.endSection();
        Recorder.instant("now");
        Recorder.asyncBegin("load", 5);
        Thread thread = new Thread(() -> { run(1); Recorder.asyncEnd("load", 5); }, "worker");
        thread.start();
        thread.join();
        Recorder.dumpLast(60, folder + "/last.ring");
        Recorder.save(folder + "/java.systrace", Recorder.FTRACE);
        Recorder.stop();

        Recorder.startMethodTracing(folder + "/methods", 0);
        Recorder.onlyThread(Thread.currentThread());
        run(2);
        Thread other = new Thread(() -> run(1));
        other.start();
        other.join();
        String trace = Recorder.stopMethodTracing();
        if (!trace.equals(folder + "/methods.trace")) throw new AssertionError(trace);
        if (Recorder.stopMethodTracing() != null) throw new AssertionError("twice");
    }

    static void run(int times) {
        Recorder.i(RUN);
        try {
            for (int n = 0; n < times; n++) work(n);
            try {
                throwing();
            } catch (IllegalStateException expected) {
            }
        } finally {
            Recorder.o(RUN);
        }
    }

    static int work(int n) {
        Recorder.i(WORK);
        try {
            return n * n;
        } finally {
            Recorder.o(WORK);
        }
    }

    static void throwing() {
        Recorder.i(THROWS);
        try {
            throw new IllegalStateException();
        } finally {
            Recorder.o(THROWS);
        }
    }
}
