package traceloom;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * Makes each message of the main thread's Looper a task and a section, and reports frames. A Looper tells a Printer when it
 * begins and ends a message; a frame is a message to the Choreographer. Android's classes are found by name, so that this
 * class compiles without them.
 */
final class MainThread implements InvocationHandler {
    private static final String BEGINS = ">>>>> Dispatching to ";
    private static final String FRAME = "android.view.Choreographer$FrameDisplayEventReceiver";

    private final Object looper;
    private final Method setPrinter;

    // Only the main thread uses these.
    private boolean isOpen;
    private boolean isFrame;
    private long since;

    MainThread() throws IOException {
        try {
            Class<?> type = Class.forName("android.os.Looper");
            Class<?> printer = Class.forName("android.util.Printer");
            looper = type.getMethod("getMainLooper").invoke(null);
            setPrinter = type.getMethod("setMessageLogging", printer);
            if (looper == null) throw new IOException("there is no main Looper yet");
            ClassLoader loader = MainThread.class.getClassLoader();
            setPrinter.invoke(looper, Proxy.newProxyInstance(loader, new Class<?>[] {printer}, this));
        } catch (ClassNotFoundException | NoSuchMethodException | IllegalAccessException
                | InvocationTargetException error) {
            throw new IOException("this is not Android", error);
        }
    }

    void end() {
        try {
            setPrinter.invoke(looper, (Object) null);
        } catch (IllegalAccessException | InvocationTargetException error) {
            // It was public a moment ago.
            throw new IllegalStateException(error);
        }
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        if (method.getDeclaringClass() == Object.class) return method.invoke(this, arguments);
        String line = String.valueOf(arguments[0]);
        if (line.startsWith(BEGINS)) begins(line.substring(BEGINS.length()));
        else if (isOpen) ends();
        return null;
    }

    private void begins(String message) {
        isOpen = true;
        isFrame = message.contains(FRAME);
        since = System.nanoTime();
        Recorder.taskBegin();
        Recorder.beginSection(isFrame ? "Choreographer frame" : name(message));
    }

    private void ends() {
        isOpen = false;
        Recorder.endSection();
        Recorder.taskEnd();
        if (isFrame) Recorder.frame(System.nanoTime() - since);
    }

    /**
     * The callback, else the handler and the message's number. The line is "Handler (CLASS) {HASH} CALLBACK: WHAT"; a handler
     * may print itself in another way.
     */
    static String name(String message) {
        int colon = message.lastIndexOf(": ");
        int brace = message.indexOf("} ");
        String what = colon < 0 ? "" : message.substring(colon + 1);
        String target = colon < 0 ? message : message.substring(0, colon);
        if (brace >= 0 && brace + 2 <= target.length()) {
            String callback = target.substring(brace + 2);
            if (!callback.isEmpty() && !callback.equals("null")) return beforeFirst(callback, '@');
            target = target.substring(0, brace);
        }
        int open = target.indexOf('(');
        int close = target.indexOf(')', open + 1);
        if (open >= 0 && close > open) target = target.substring(open + 1, close);
        return target + what;
    }

    private static String beforeFirst(String text, char end) {
        int at = text.indexOf(end);
        return at < 0 ? text : text.substring(0, at);
    }
}
