import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import traceloom.Recorder;

/** Someone cuts the file of the recording, and a file that the program has mapped. */
public final class Cut {
    public static void main(String[] args) throws Exception {
        String ring = args[0] + "/cut.ring";
        Recorder.start(ring, 1 << 20);
        try (RandomAccessFile file = new RandomAccessFile(ring, "rw")) {
            file.setLength(0);
        }
        while (Recorder.isRecording()) {
            Recorder.beginSection("a section");
            Recorder.endSection();
        }
        if (!reads(args[0] + "/own")) throw new AssertionError("no InternalError");
        Recorder.start(args[0] + "/next.ring", 1 << 20);
        Recorder.stop();
        System.out.println("fine");
    }

    /** Whether reading a mapped file that was cut throws an InternalError. */
    private static boolean reads(String path) throws Exception {
        try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
            file.setLength(1 << 16);
            MappedByteBuffer map = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 1 << 16);
            file.setLength(0);
            try {
                for (int at = 0; at < 1 << 16; at += 4096) map.put(at, (byte) 1);
                return false;
            } catch (InternalError expected) {
                return true;
            }
        }
    }
}
