package android.os;

import android.util.Printer;

/** Stands in for Android's class: it prints the same lines around a message. */
public final class Looper {
    private static final Looper MAIN = new Looper();

    private Printer printer;

    public static Looper getMainLooper() {
        return MAIN;
    }

    public void setMessageLogging(Printer printer) {
        this.printer = printer;
    }

    public boolean hasPrinter() {
        return printer != null;
    }

    /** Handles a message as Android does. */
    public void dispatch(String target, Object callback, int what, Runnable work) {
        Printer logging = printer;
        if (logging != null) logging.println(">>>>> Dispatching to " + target + " " + callback + ": " + what);
        work.run();
        if (logging != null) logging.println("<<<<< Finished to " + target + " " + callback);
    }
}
