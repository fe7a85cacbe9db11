package android.os;

/** As the class was on Android 9: it keeps a copy of libcutils' tags. */
public final class Trace {
    private static volatile long sEnabledTags = 1L << 63;
    private static final long SYSTEMS = 1L | 1L << 1;

    public static boolean isTagEnabled(long tag) {
        long tags = sEnabledTags;
        if (tags == 1L << 63) {
            tags = sEnabledTags = SYSTEMS;
        }
        return (tags & tag) != 0;
    }

    /** As when a system property changes. */
    public static void update() {
        sEnabledTags = SYSTEMS;
    }
}
