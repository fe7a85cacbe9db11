import android.os.Trace;
import traceloom.TracePoints;

public class Main {
    static final long APP = 1L << 12, VIEW = 1L << 3, GRAPHICS = 1L << 1;

    static void expect(boolean holds, String what) {
        if (!holds) throw new AssertionError(what);
    }

    public static void main(String[] args) {
        System.load(args[0]);
        expect(TracePoints.turnOn(APP | VIEW), "turned on before its first use");
        expect(Trace.isTagEnabled(APP) && Trace.isTagEnabled(VIEW), "on");
        expect(!TracePoints.turnOn(APP), "on already");
        TracePoints.turnOff();
        expect(!Trace.isTagEnabled(APP) && Trace.isTagEnabled(GRAPHICS), "as it was: it asks the system");

        expect(TracePoints.turnOn(APP), "again");
        expect(Trace.isTagEnabled(APP) && Trace.isTagEnabled(GRAPHICS), "beside the system's");
        Trace.update();
        TracePoints.turnOff();
        expect(Trace.isTagEnabled(GRAPHICS), "what somebody has set since is theirs");
        TracePoints.turnOff();
        System.out.println("fine");
    }
}
