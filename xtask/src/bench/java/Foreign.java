import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** A prototype: the library's C functions through the foreign function interface of Java 22 and later. */
public final class Foreign {
    static final SymbolLookup LIBRARY =
            SymbolLookup.libraryLookup(System.getProperty("bench.library"), Arena.global());

    static MethodHandle function(String name, Linker.Option... options) {
        FunctionDescriptor type = FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT);
        return Linker.nativeLinker().downcallHandle(LIBRARY.find(name).orElseThrow(), type, options);
    }

    public static CallCost.Loop plain() {
        return Foreign::plainLoop;
    }

    public static CallCost.Loop critical() {
        return Foreign::criticalLoop;
    }

    private static long plainLoop(int turns) {
        long sum = 0;
        for (int n = 0; n < turns; n++) sum += WovenForeign.nothing(n);
        return sum;
    }

    private static long criticalLoop(int turns) {
        long sum = 0;
        for (int n = 0; n < turns; n++) sum += WovenCritical.nothing(n);
        return sum;
    }
}

/** The usual call of native code, which changes the state of the thread. */
final class ForeignPlain {
    private static final MethodHandle ENTER = Foreign.function("tl_method_enter"), EXIT = Foreign.function("tl_method_exit");

    static void i(int method) {
        try {
            ENTER.invokeExact(method);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    static void o(int method) {
        try {
            EXIT.invokeExact(method);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }
}

/** A critical call, which does not change the state of the thread. */
final class ForeignCritical {
    private static final Linker.Option CRITICAL = Linker.Option.critical(false);
    private static final MethodHandle ENTER = Foreign.function("tl_method_enter", CRITICAL),
            EXIT = Foreign.function("tl_method_exit", CRITICAL);

    static void i(int method) {
        try {
            ENTER.invokeExact(method);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    static void o(int method) {
        try {
            EXIT.invokeExact(method);
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }
}

final class WovenForeign {
    static int nothing(int number) {
        return number;
    }
}

final class WovenCritical {
    static int nothing(int number) {
        return number;
    }
}
