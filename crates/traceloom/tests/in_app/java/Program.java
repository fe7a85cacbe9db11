package com.example.app;

import android.os.Trace;
import traceloom.Recorder;

/** Two threads that draw frames; every other frame throws an exception. Everything but main is woven. */
public final class Program {
    static final int FRAMES = 10;
    private static final long SPIN_NANOS = 2_000_000;

    private Program() {}

    public static void main(String[] args) throws Exception {
        boolean wasOn = Trace.isOn();
        Recorder.start(args[0], 4 << 20);
        Recorder.startPlatform("app view", false);
        Thread worker = new Thread(new Drawing(), "worker");
        worker.start();
        worker.join();
        new Drawing().run();
        boolean isOn = Trace.isOn();
        Recorder.stop();
        System.out.println(wasOn + " " + isOn + " " + Trace.isOn());
    }

    private static final class Drawing implements Runnable {
        @Override
        public void run() {
            for (int frame = 0; frame < FRAMES; frame++) frame(frame);
        }
    }

    static void frame(int number) {
        Trace.beginSection("frame " + number);
        try {
            parse(number);
        } catch (IllegalStateException expected) {
            recover();
        } finally {
            Trace.endSection();
        }
    }

    static long parse(int number) {
        if (number % 2 == 1) fail();
        nap();
        return spin();
    }

    static void fail() {
        throw new IllegalStateException("an odd frame");
    }

    static void recover() {}

    static void nap() {
        try {
            Thread.sleep(5);
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    static long spin() {
        long end = System.nanoTime() + SPIN_NANOS, turns = 0;
        while (System.nanoTime() < end) turns++;
        return turns;
    }
}
