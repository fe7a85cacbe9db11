import java.util.Map;
import java.util.TreeMap;
import traceloom.Recorder;

/** Counts words, and records itself to the file given as its argument. */
public final class Words {
    private static final String TEXT = "the warp the weft the shuttle and the loom ".repeat(200);

    public static void main(String[] arguments) throws Exception {
        Recorder.start(arguments[0], 4 << 20);
        for (int round = 0; round < 3; round++) count(TEXT);
        Recorder.stop();
    }

    static Map<String, Integer> count(String text) {
        Map<String, Integer> counts = new TreeMap<>();
        for (String word : split(text)) add(counts, word);
        return counts;
    }

    static String[] split(String text) {
        return text.split(" ");
    }

    static void add(Map<String, Integer> counts, String word) {
        counts.merge(normal(word), 1, Integer::sum);
    }

    /** Slow on purpose: compiles a pattern for each word. */
    static String normal(String word) {
        return word.replaceAll("[^a-z]", "");
    }
}
