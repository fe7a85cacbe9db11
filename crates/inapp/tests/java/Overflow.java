import traceloom.Recorder;

/** Woven code whose stack is full. The calls of i and o are those that the weaver inserts. */
public final class Overflow {
    private static final int RUN = 1, DEEPER = 2, AFTER = 3;

    private static int depth;

    public static void main(String[] args) throws Exception {
        run(); // the interpreter and the compiler have different frames
        depth = 0;
        Recorder.start(args[0] + "/overflow.ring", 16 << 20);
        Recorder.name(RUN, "Overflow run ()V");
        Recorder.name(DEEPER, "Overflow deeper ()V");
        Recorder.name(AFTER, "Overflow after ()V");
        run();
        after();
        Recorder.stop();
        System.out.println("depth " + depth);
    }

    static void run() {
        Recorder.i(RUN);
        try {
            try {
                deeper();
            } catch (StackOverflowError expected) {
            }
        } finally {
            Recorder.o(RUN);
        }
    }

    static void deeper() {
        Recorder.i(DEEPER);
        depth++;
        try {
            deeper();
        } finally {
            Recorder.o(DEEPER);
        }
    }

    static void after() {
        Recorder.i(AFTER);
        Recorder.o(AFTER);
    }
}
