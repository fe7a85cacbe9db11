import java.nio.file.Files;
import java.nio.file.Path;

/** Links every class of a list without running it. Linking verifies the class. */
public class Verify {
    public static void main(String[] args) throws Exception {
        int linked = 0;
        for (String name : Files.readAllLines(Path.of(args[0]))) {
            try {
                // The JVM links a class before it lists its methods.
                Class.forName(name, false, Verify.class.getClassLoader()).getDeclaredMethods();
                linked++;
            } catch (Throwable error) {
                System.out.println(name + ": " + error);
            }
        }
        System.out.println("linked " + linked);
    }
}
