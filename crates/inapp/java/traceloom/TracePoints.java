package traceloom;

/**
 * Turns on the platform's trace points in this process: those of the system's libraries, and those of android.os.Trace,
 * which keeps a copy of the tags on older versions of Android. Load the library first.
 */
public final class TracePoints {
    private TracePoints() {}

    /**
     * Turns on the tags of a mask, with the bits of android.os.Trace (TRACE_TAG_APP is 1 &lt;&lt; 12), in addition to those
     * that are on. False if there are no trace points, or this was called already.
     */
    public static native boolean turnOn(long tags);

    /** Turns them off again, unless other code has changed the tags since. */
    public static native void turnOff();
}
