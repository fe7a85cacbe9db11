package traceloom;

import java.io.File;
import java.util.Arrays;

/** Records the methods of a woven program. Arguments: the trace file, its size in bytes, the main class, its arguments. */
public class Traced {
    public static void main(String[] args) throws Exception {
        Class<?> program = Class.forName(args[2]);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                Recorder.stopMethodTracing();
            } catch (Exception e) {
                System.err.println(e);
            }
        }));
        String trace = new File(args[0]).getAbsolutePath();
        Recorder.startMethodTracing(trace, Integer.parseInt(args[1]));
        String[] rest = Arrays.copyOfRange(args, 3, args.length);
        program.getMethod("main", String[].class).invoke(null, (Object) rest);
    }
}
