//! An app with a list: its UI thread and its RenderThread, frame by frame.

use super::script::{Line, Script, Signal, Signals, Step};
use super::story::{BINDER, DISK, GC, INFLATE, LOCK, SHADER};

/// Signals between the threads of the app and the system.
#[derive(Clone, Copy)]
pub(super) struct App {
    pub pid: u32,
    pub render_tid: u32,
    pub vsync: Signal,
    draw: Signal,
    synced: Signal,
}

/// The threads that the list's UI thread waits for in its late frames.
#[derive(Clone, Copy)]
pub(super) struct Others {
    pub lock_taken: Signal,
    pub lock_free: Signal,
    pub gc: Signal,
    pub gc_done: Signal,
    pub package_info: Line,
}

impl App {
    pub fn new(pid: u32, render_tid: u32, signals: &mut Signals) -> Self {
        Self {
            pid,
            render_tid,
            vsync: signals.make(),
            draw: signals.make(),
            synced: signals.make(),
        }
    }

    /// A frame of the UI thread, with `layout` as its variable part.
    pub fn frame(&self, script: &mut Script, id: u64, layout: impl FnOnce(&mut Script)) {
        script.wait(self.vsync).run(30);
        let App { draw, synced, .. } = *self;
        script.within(&format!("Choreographer#doFrame {id}"), |script| {
            script.run(60);
            script.within("input", |script| {
                let name = format!(
                    "deliverInputEvent src=0x1002 id=0x{:08x}",
                    id * 2_654_435 % 0xffff_ffff
                );
                script
                    .start_async(&name, id)
                    .run(140)
                    .finish_async(&name, id);
            });
            script.slice("animation", 260);
            script.within("traversal", |script| {
                layout(script);
                script.within("draw", |script| {
                    script.slice("Record View#draw()", 900);
                    script.post(draw).wait(synced);
                });
            });
        });
    }

    /// The part of the RenderThread in a frame.
    pub fn render(&self, script: &mut Script, id: u64, lines: &[Line; 2], queued: Signal) {
        script.wait(self.draw);
        script.within(&format!("DrawFrames {id}"), |script| {
            script.slice("syncFrameState", 420).post(self.synced);
            script.within("dequeueBuffer", |script| {
                script.call(&lines[0]);
            });
            script.within("flush commands", |script| {
                script.run(1_900);
                if id == frame_id(SHADER) {
                    script.within("shader_compile", |script| {
                        script.slice("cache_miss", 300).slice("linkProgram", 23_000);
                    });
                }
            });
            script.within("eglSwapBuffersWithDamageKHR", |script| {
                script.run(350);
                script.within("queueBuffer", |script| {
                    script.call(&lines[1]);
                });
            });
            script.post(queued);
        });
    }
}

/// The vsync id of a frame.
pub(super) fn frame_id(number: usize) -> u64 {
    74_210 + number as u64
}

/// The work of the list in a frame before it draws.
pub(super) fn list(script: &mut Script, number: usize, others: &Others) {
    let rows = match number {
        INFLATE => 6,
        number if number % 5 == 2 => 1,
        _ => 0,
    };
    script.within("RV Scroll", |script| {
        script.run(420);
        for row in 0..rows {
            bind(script, number == INFLATE, row);
        }
        story(script, number, others);
    });
    if number % 5 == 2 || number == INFLATE {
        script.slice("measure", 700).slice("layout", 600);
    }
    if number.is_multiple_of(4) {
        let kb = 38_000 + (number as u64 * 620) % 24_000;
        script.count("Heap size (KB)", kb);
    }
}

fn bind(script: &mut Script, is_new: bool, row: u64) {
    if is_new {
        script.within("RV CreateView type=0x3", |script| {
            script.slice("inflate", 4_300);
        });
    }
    script.within("RV OnBindView type=0x3", |script| {
        script.run(700);
        script.slice("StaticLayout.generate", 500 + 60 * row);
    });
}

fn story(script: &mut Script, number: usize, others: &Others) {
    match number {
        // In the frame before, the cache starts to write, so it holds the lock when the list needs it.
        n if n + 1 == LOCK => {
            script.post(others.lock_taken);
        }
        LOCK => {
            script.within("ImageCache.get", |script| {
                script.within(
                    "monitor contention with owner DiskCache-1 (4362) at void org.loom.reader.ImageCache.put(java.lang.String, android.graphics.Bitmap)(ImageCache.java:88) waiters=0 blocking from android.graphics.Bitmap org.loom.reader.ImageCache.get(java.lang.String)(ImageCache.java:61)",
                    |script| {
                        script.wait(others.lock_free);
                    },
                );
            });
        }
        BINDER => {
            script.within("AppIcon.load", |script| {
                script.within(
                    "AIDL::java::IPackageManager::getPackageInfo::client",
                    |script| {
                        script.call(&others.package_info);
                    },
                );
            });
        }
        GC => {
            script.within("RV OnBindView type=0x5", |script| {
                script.slice("HtmlSpan.parse", 3_000);
                script.within("GC: Wait For Completion Alloc", |script| {
                    script.post(others.gc).wait(others.gc_done);
                });
            });
        }
        DISK => {
            script.within("SharedPreferences.getBoolean", |script| {
                script.within("awaitLoadedLocked", |script| {
                    for _ in 0..3 {
                        script
                            .disk(7_000, "folio_wait_bit_common+0x174/0x2ac")
                            .run(350);
                    }
                });
            });
            script.step(Step::Line(
                "tracing_mark_write",
                "I|4321|preferences loaded".to_owned(),
            ));
        }
        _ => {}
    }
}
