import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import traceloom.Recorder;

/** Calls every static method from int to int of the plain and the woven classes, and compares the results. */
public class Cases {
    private static final int[] INPUTS = {0, 1, 2, 3, 5, -1, -7, 100, 1000};

    public static void main(String[] args) throws Exception {
        int calls = 0;
        int thrown = 0;
        for (int i = 2; i < args.length; i++) {
            Class<?> plain = load(args[0], args[i]);
            Class<?> woven = load(args[1], args[i]);
            for (Method method : plain.getDeclaredMethods()) {
                Method other = woven.getDeclaredMethod(method.getName(), int.class);
                for (int input : INPUTS) {
                    String expected = call(method, input);
                    String found = call(other, input);
                    String where = args[i] + "." + method.getName() + "(" + input + ")";
                    if (!expected.equals(found)) {
                        throw new AssertionError(where + ": " + expected + ", woven " + found);
                    }
                    if (Recorder.depth() != 0 || Recorder.wrong() != 0) {
                        throw new AssertionError(where + ": open " + Recorder.depth()
                            + ", wrong " + Recorder.wrong());
                    }
                    calls++;
                    thrown += found.startsWith("java.lang.") ? 1 : 0;
                }
            }
        }
        System.out.println(calls + " calls, " + thrown + " thrown");
    }

    private static Class<?> load(String folder, String name) throws Exception {
        URL[] urls = {Path.of(folder).toUri().toURL()};
        Class<?> loaded = new URLClassLoader(urls, Cases.class.getClassLoader()).loadClass(name);
        loaded.getDeclaredMethods();
        return loaded;
    }

    private static String call(Method method, int input) throws Exception {
        try {
            return String.valueOf(method.invoke(null, input));
        } catch (InvocationTargetException error) {
            return error.getCause().getClass().getName();
        }
    }
}
