package traceloom;

/**
 * Turns the platform's trace points on in this process: those of the system's libraries, and those
 * of android.os.Trace where it keeps a copy of the tags. Load the library first.
 */
public final class TracePoints {
    private TracePoints() {}

    /**
     * Turns on the tags of a mask as android.os.Trace has them (TRACE_TAG_APP is 1 &lt;&lt; 12), beside any
     * that are on. False where there is nothing to turn on, or it is on already.
     */
    public static native boolean turnOn(long tags);

    /** Turns them off again, so far as nobody else has turned them on since. */
    public static native void turnOff();
}
