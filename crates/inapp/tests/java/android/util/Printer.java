package android.util;

/** Stands in for Android's interface. */
public interface Printer {
    void println(String line);
}
