import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A prototype: Java writes the events into the mapped file itself, with Java's clock. The steps for an event are those of
 * the library: announce the write, check that the thread still owns the chunk, store the word, commit it.
 */
public final class Buffer {
    private static final int CHUNK_BYTES = 8192, BODY = 64, CLAIM = 0, COMMITTED = 8, DEPTH = 16;
    private static final long MAX_DELTA = (1 << 27) - 1;
    private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final AtomicInteger NEXT = new AtomicInteger();
    private static final ThreadLocal<Writer> WRITER = ThreadLocal.withInitial(Writer::new);

    private static boolean on;
    private static MappedByteBuffer file;

    private static final class Writer {
        ByteBuffer chunk = ByteBuffer.allocateDirect(0);
        int used;
        int room;
        long last;
        long claim;
    }

    private Buffer() {}

    static void open(File path, int bytes) {
        try (RandomAccessFile random = new RandomAccessFile(path, "rw")) {
            random.setLength(bytes);
            file = random.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, bytes);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        on = true;
    }

    public static void i(int method) {
        if (on) event(4, method);
    }

    public static void o(int method) {
        if (on) event(5, method);
    }

    private static void event(int kind, int method) {
        Writer writer = WRITER.get();
        long now = System.nanoTime();
        long delta = now - writer.last;
        if (delta > MAX_DELTA || writer.used + 8 > writer.room) {
            take(writer, now);
            delta = 0;
        }
        ByteBuffer chunk = writer.chunk;
        INT.setOpaque(chunk, DEPTH, 1);
        VarHandle.releaseFence();
        if ((long) LONG.getOpaque(chunk, CLAIM) == writer.claim) {
            int used = writer.used;
            LONG.set(chunk, BODY + used, kind | delta << 5 | (long) method << 32);
            used += 8;
            writer.used = used;
            writer.last = now;
            INT.setRelease(chunk, COMMITTED, used);
        }
        INT.setRelease(chunk, DEPTH, 0);
    }

    /** Takes the next chunk in a circle. This is cheaper than in the library, which shares the chunks between threads. */
    private static void take(Writer writer, long now) {
        int chunks = file.capacity() / CHUNK_BYTES;
        int at = Math.floorMod(NEXT.getAndIncrement(), chunks) * CHUNK_BYTES;
        ByteBuffer all = file.duplicate();
        all.position(at).limit(at + CHUNK_BYTES);
        writer.chunk = all.slice().order(ByteOrder.nativeOrder());
        writer.claim = now;
        LONG.setOpaque(writer.chunk, CLAIM, now);
        writer.used = 0;
        writer.room = CHUNK_BYTES - BODY;
        writer.last = now;
    }
}
