package android.os;

/** Imitates the class of Android 9, which keeps a copy of libcutils' tags. */
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

    /** Does what happens when a system property changes. */
    public static void update() {
        sEnabledTags = SYSTEMS;
    }
}
