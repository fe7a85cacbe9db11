import com.sun.jdi.Bootstrap;
import com.sun.jdi.Method;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.event.VMStartEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import java.io.InputStream;
import java.util.Map;
import java.util.TreeMap;

/** Runs a program under the JVM's debugger and counts the entries of each method. */
public class Entries {
    public static void main(String[] args) throws Exception {
        LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> with = connector.defaultArguments();
        with.get("options").setValue(args[0]);
        with.get("main").setValue(args[1]);
        VirtualMachine vm = connector.launch(with);
        drain(vm.process().getInputStream());
        drain(vm.process().getErrorStream());
        for (String filter : args[2].split(",")) {
            MethodEntryRequest request = vm.eventRequestManager().createMethodEntryRequest();
            request.addClassFilter(filter);
            request.setSuspendPolicy(EventRequest.SUSPEND_NONE);
            request.enable();
        }
        Map<Method, Integer> counts = count(vm);
        Map<String, Integer> names = new TreeMap<>();
        counts.forEach((method, count) -> names.merge(name(method), count, Integer::sum));
        names.forEach((name, count) -> System.out.println(count + " " + name));
    }

    private static String name(Method method) {
        return NAMES.get(method);
    }

    private static final Map<Method, String> NAMES = new java.util.HashMap<>();

    private static Map<Method, Integer> count(VirtualMachine vm) throws InterruptedException {
        Map<Method, Integer> counts = new java.util.HashMap<>();
        while (true) {
            EventSet events = vm.eventQueue().remove();
            for (Event event : events) {
                if (event instanceof MethodEntryEvent entry) {
                    Method method = entry.method();
                    counts.merge(method, 1, Integer::sum);
                    NAMES.computeIfAbsent(method,
                        m -> m.declaringType().name() + " " + m.name() + " " + m.signature());
                } else if (event instanceof VMStartEvent) {
                    events.resume();
                } else if (event instanceof VMDisconnectEvent) {
                    return counts;
                }
            }
        }
    }

    private static void drain(InputStream from) {
        Thread thread = new Thread(() -> {
            try {
                from.transferTo(java.io.OutputStream.nullOutputStream());
            } catch (java.io.IOException error) {
                // The program has ended.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }
}
