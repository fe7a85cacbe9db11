import android.os.Trace;
import traceloom.TracePoints;

public class Main {
    static final long APP = 1L << 12, VIEW = 1L << 3, GRAPHICS = 1L << 1;

    static void expect(boolean holds, String what) {
        if (!holds) throw new AssertionError(what);
    }

    public static void main(String[] args) {
        System.load(args[0]);
        expect(TracePoints.turnOn(APP | VIEW), "turned on before the first use of Trace");
        expect(Trace.isTagEnabled(APP) && Trace.isTagEnabled(VIEW), "on");
        expect(!TracePoints.turnOn(APP), "already on");
        TracePoints.turnOff();
        expect(!Trace.isTagEnabled(APP) && Trace.isTagEnabled(GRAPHICS), "restored: it reads the system's tags");

        expect(TracePoints.turnOn(APP), "turned on again");
        expect(Trace.isTagEnabled(APP) && Trace.isTagEnabled(GRAPHICS), "on in addition to the system's");
        Trace.update();
        TracePoints.turnOff();
        expect(Trace.isTagEnabled(GRAPHICS), "changes by other code are kept");
        TracePoints.turnOff();
        System.out.println("fine");
    }
}
