import java.io.StringReader;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Type annotations at every kind of place in code. All are after a return or jump, so that weaving moves them. */
public class Annotated {
    @Target(ElementType.TYPE_USE)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Tag {
        String value();
    }

    /** Also a type annotation, but not visible at run time. */
    @Target(ElementType.TYPE_USE)
    @Retention(RetentionPolicy.CLASS)
    @interface Hidden {}

    @Retention(RetentionPolicy.RUNTIME)
    @interface Traced {}

    @Retention(RetentionPolicy.CLASS)
    @interface Quiet {}

    static <T> T same(T value) {
        return value;
    }

    @Traced
    static String everywhere(Object given, int number) throws Exception {
        if (number < 0) {
            return "negative";
        }
        @Tag("local") String text = "";
        for (@Tag("loop") int each = 0; each < number; each++) {
            if (each == 7) {
                return text + each;
            }
            @Hidden long square = (long) each * each;
            text += square;
        }
        if (given instanceof @Tag("instanceof") String) {
            text += (@Tag("cast") String) given;
        }
        List<@Tag("in the local's type") String> list = new @Tag("new") ArrayList<@Tag("argument of new") String>();
        list.add(Annotated.<@Tag("argument of a call") String>same(text));
        Function<String, Integer> length = @Tag("reference") String::length;
        Supplier<List<String>> maker = @Tag("constructor reference") ArrayList::new;
        int[] array = new int @Tag("array") [number + 1];
        try (@Tag("resource") StringReader reader = new StringReader(text)) {
            array[0] = reader.read();
            if (number == 3) {
                return "three " + array[0];
            }
            Integer.parseInt(text);
        } catch (@Tag("first") NumberFormatException | @Tag("second") IllegalStateException error) {
            list.add("caught");
            if (number == 4) {
                return "four";
            }
        } catch (@Tag("third") RuntimeException other) {
            throw other;
        }
        Runnable inner = () -> {
            @Tag("in a lambda") String own = "own";
            list.add(own);
        };
        inner.run();
        return text + length.apply(text) + maker.get() + list;
    }

    final int value;

    Annotated(@Tag("parameter") Object given) {
        this(given == null ? 0 : given.hashCode() % 2);
        @Tag("in a constructor") Object same = given;
        if (same == null) {
            return;
        }
        @Tag("after a return") String text = same.toString();
        System.identityHashCode(text);
    }

    @Quiet
    private Annotated(int value) {
        this.value = value;
    }

    @Traced
    static class Inner {
        int counted(final int first, long second) {
            return (int) (first + second);
        }

        @Quiet
        int quiet(String named) {
            return named.length();
        }
    }

    public static void main(String[] args) throws Exception {
        for (int number = -1; number < 9; number++) {
            System.out.println(everywhere("given", number));
        }
        System.out.println(new Annotated((Object) null).value);
        System.out.println(new Annotated(new Inner().counted(1, 2) + new Inner().quiet("x")).value);
        System.out.println(new Annotated((Object) "a").value);
    }
}
