import traceloom.TracePoints;

/** Runs without android.os.Trace, as on any system but Android. */
public class Without {
    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        if (TracePoints.turnOn(1L << 12)) throw new AssertionError("there is nothing to turn on");
        TracePoints.turnOff();
        Class.forName("java.util.ArrayList");
        System.out.println("fine");
    }
}
