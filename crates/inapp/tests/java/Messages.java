import android.os.Looper;
import java.io.File;
import traceloom.Recorder;

/** A main thread with messages and a slow frame. It blocks until the recorder has noticed. */
public final class Messages {
    public static void main(String[] args) throws Exception {
        String ring = args[0] + "/messages.ring";
        Looper looper = Looper.getMainLooper();
        Recorder.startFlightRecorder(ring, 1 << 20, 0, 50, 300, false);
        Recorder.watchMainThread();
        looper.dispatch("Handler (android.os.Handler) {4e3f}", "com.example.Feed$Load@5a1", 0, () -> {});
        looper.dispatch("Handler (com.example.MyHandler) {1}", null, 7, () -> {
            Recorder.beginSection("inside");
            Recorder.endSection();
        });
        String frame = "android.view.Choreographer$FrameDisplayEventReceiver@9c";
        looper.dispatch("Handler (android.view.Choreographer$FrameHandler) {2}", frame, 0, () -> spin(100));
        waitFor(ring + ".slow-frame-1.ring");
        looper.dispatch("Handler (android.app.ActivityThread$H) {3}", null, 159,
                () -> sleeps(ring + ".blocked-2.ring"));
        Recorder.stop();
        if (looper.hasPrinter()) throw new AssertionError("the Looper still has the printer");
        System.out.println("fine");
    }

    private static void spin(int ms) {
        long until = System.nanoTime() + ms * 1_000_000L;
        while (System.nanoTime() < until) {}
    }

    private static void sleeps(String file) {
        waitFor(file);
    }

    private static void waitFor(String file) {
        while (!new File(file).exists()) Thread.yield();
    }
}
