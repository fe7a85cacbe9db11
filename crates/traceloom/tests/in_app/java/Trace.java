package android.os;

/** Stands in for Android's class: its sections go to libcutils, where the tag of apps is on. */
public final class Trace {
    static {
        System.loadLibrary("section");
    }

    private Trace() {}

    public static native void beginSection(String name);

    public static native void endSection();

    /** Whether libcutils writes the sections of apps. */
    public static native boolean isOn();
}
