import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** Enters and leaves methods in every way that a compiler can write, and prints the results. */
public class Corners {
    static final StringBuilder OUT = new StringBuilder();

    static void say(Object what) {
        // The order of the workers' output is different each time.
        if (!Thread.currentThread().getName().startsWith("worker-")) {
            OUT.append(what).append('\n');
        }
    }

    static class Failure extends RuntimeException {
        Failure(String why) {
            super(why);
        }
    }

    static class Base {
        final String name;

        Base(String name) {
            if (name == null) {
                throw new Failure("no name");
            }
            this.name = name;
        }

        Base() {
            this("nobody");
        }

        int value() {
            return 1;
        }

        Comparable<?> self() {
            return name;
        }
    }

    static class Derived extends Base {
        private final int[] field = {1, 2, 3};
        private long sum;

        // Branches, a new object and a call before the call of the superclass constructor.
        Derived(boolean flag, Object other) {
            super(flag ? new StringBuilder("a").append(other).toString() : other == null ? null : "b");
            for (int each : field) {
                sum += each;
            }
            if (sum > 100) {
                return;
            }
            try {
                sum = Integer.parseInt(name);
            } catch (NumberFormatException error) {
                sum = -1;
            } finally {
                say("made " + name + " " + sum);
            }
        }

        Derived(int depth) {
            super(depth > 0 ? new Derived(depth - 1).name + depth : "0");
        }

        @Override
        int value() {
            return super.value() + 1;
        }

        @Override
        String self() {
            return name;
        }

        class Inner extends Derived {
            final int captured;

            Inner(int captured) {
                super(true, captured);
                this.captured = captured + (int) sum;
            }

            IntSupplier supplier() {
                return () -> captured + field.length;
            }
        }
    }

    enum Kind {
        ONE { @Override int size() { return 1; } },
        TWO;

        int size() {
            return ordinal() + 10;
        }
    }

    record Point(int x, double y) {
        Point {
            if (x < 0) {
                throw new Failure("negative");
            }
        }
    }

    interface Shape {
        int LIMIT = Integer.parseInt("7");

        default int area() {
            return half() * 2;
        }

        private int half() {
            return LIMIT / 2;
        }

        static Shape make() {
            return new Shape() {};
        }
    }

    static int dense(int x) {
        switch (x) {
            case 0: return 10;
            case 1: return 11;
            case 2: x += 5; break;
            case 3: throw new Failure("three");
            default: return -1;
        }
        return x;
    }

    static long sparse(long x) {
        switch ((int) x) {
            case -1000: return 1L;
            case 5: return 2L;
            case 100000: return dense(2);
            default: return x;
        }
    }

    static String text(String x) {
        return switch (x) {
            case "a", "b" -> "ab";
            case "c" -> {
                try {
                    yield text(null);
                } catch (NullPointerException error) {
                    yield "null";
                }
            }
            default -> x;
        };
    }

    static int tries(int x) {
        int y = 0;
        try {
            try {
                if (x == 0) {
                    return y;
                }
                y = 10 / (x - 1);
            } catch (ArithmeticException error) {
                if (x == 1) {
                    throw new Failure("by zero");
                }
                y = 2;
            } finally {
                y++;
                if (x == 7) {
                    // Discards the exception in flight.
                    return 70;
                }
            }
            while (true) {
                if (y-- < -5) {
                    return y;
                }
                if (y == -2 && x == 3) {
                    break;
                }
            }
        } catch (Failure error) {
            say(error.getMessage());
            return -7;
        }
        return 33;
    }

    static synchronized int locked(Object lock, int x) {
        synchronized (lock) {
            synchronized (OUT) {
                if (x > 2) {
                    return x;
                }
                if (x == 2) {
                    throw new Failure("locked");
                }
            }
            return dense(x);
        }
    }

    static int deep(int n) {
        if (n == 0) {
            throw new Failure("deep");
        }
        try {
            return deep(n - 1) + 1;
        } finally {
            if (n == 3) {
                say("three");
            }
        }
    }

    // A loop to the first instruction.
    static void first() {
        do {
            OUT.append('.');
        } while (OUT.length() % 7 != 0);
    }

    static long parameters(long a, double b, int c, String d) {
        long e = a + c;
        a = e * 2;
        d = d + b;
        for (int i = 0; i < 3; i++) {
            long f = a + i;
            if (f == 4) {
                c = (int) f;
            }
        }
        return a + d.length() + c;
    }

    static class Broken {
        static final int VALUE;

        static {
            if (OUT.length() > 0) {
                throw new Failure("class initialiser");
            }
            VALUE = 1;
        }
    }

    static class Finalizable {
        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() {}
    }

    static void caught(Callable<?> work) {
        try {
            say(work.call());
        } catch (Throwable error) {
            say(error.getClass().getName() + " " + error.getMessage());
        }
    }

    static void threads() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        int[] results = new int[4];
        for (int t = 0; t < results.length; t++) {
            int number = t;
            Thread thread = new Thread(() -> {
                for (int i = 0; i < 50; i++) {
                    try {
                        results[number] += tries(i) + deep(i % 5);
                    } catch (Failure error) {
                        results[number]++;
                    }
                }
            }, "worker-" + t);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (int result : results) {
            say(result);
        }
    }

    public static void main(String[] args) throws Exception {
        caught(() -> new Derived(true, 5).value());
        caught(() -> new Derived(false, 5).self());
        caught(() -> new Derived(false, null));
        caught(() -> new Derived(3).name);
        caught(() -> new Derived(false, "x").new Inner(4).supplier().getAsInt());
        caught(() -> new Base().name);
        for (int i = -1; i < 5; i++) {
            int x = i;
            caught(() -> dense(x));
            caught(() -> locked(new Object(), x));
        }
        for (long i : new long[] {-1000, 5, 100000, 7}) {
            caught(() -> sparse(i));
        }
        for (String s : "a b c d".split(" ")) {
            caught(() -> text(s));
        }
        for (int i = 0; i < 9; i++) {
            int x = i;
            caught(() -> tries(x));
        }
        caught(() -> deep(6));
        first();
        caught(() -> parameters(1, 2, 3, "four"));
        caught(() -> Broken.VALUE);
        caught(() -> Kind.ONE.size() + Kind.TWO.size());
        caught(() -> new Point(1, 2.5));
        caught(() -> new Point(-1, 0).hashCode());
        caught(() -> Shape.make().area());
        caught(() -> new Finalizable().getClass().getSimpleName());
        Supplier<List<String>> made = ArrayList::new;
        caught(() -> made.get().get(3));
        threads();
        System.out.print(OUT);
    }
}
