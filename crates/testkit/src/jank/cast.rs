//! The threads of the simulation and their steps.

use super::app::{App, Others, frame_id, list};
use super::script::{Line, Script, Signal, Signals, Step, Task};
use super::story::{DEX2OAT_US, LENGTH_US, PERIOD_US};

const READER: u32 = 4321;
const SYSTEMUI: u32 = 2010;
const SURFACEFLINGER: u32 = 612;
const SYSTEM_SERVER: u32 = 1455;

/// The ticks between which the finger is on the list.
const SCROLL: std::ops::Range<u64> = 8..112;

/// Ticks at which the status bar is redrawn.
const CLOCK_TICKS: [u64; 3] = [20, 60, 100];

const FRAMES: usize = 104;

/// All threads.
pub(super) fn tasks(signals: &mut Signals) -> Vec<Task> {
    let reader = App::new(READER, 4345, signals);
    let systemui = App::new(SYSTEMUI, 2055, signals);
    let mut line = |client: u32, thread: u32, server: u32, id: u32| Line {
        id,
        call: signals.make(),
        reply: signals.make(),
        server,
        client,
        thread,
    };
    let others_line = line(READER, READER, SYSTEM_SERVER, 991_000);
    let mut buffers = |app: &App, count: usize, first: u32| -> Vec<[Line; 2]> {
        let ids = (0..count as u32).map(|frame| first + 4 * frame);
        let pair = ids.map(|id| [id, id + 2]);
        pair.map(|ids| ids.map(|id| line(app.pid, app.render_tid, SURFACEFLINGER, id)))
            .collect()
    };
    let reader_buffers = buffers(&reader, FRAMES, 880_000);
    let systemui_buffers = buffers(&systemui, CLOCK_TICKS.len(), 870_000);
    let others = Others {
        lock_taken: signals.make(),
        lock_free: signals.make(),
        gc: signals.make(),
        gc_done: signals.make(),
        package_info: others_line,
    };
    let (queued, composed, hwc) = (signals.make(), signals.make(), signals.make());
    let mut tasks = vec![
        ticker(&reader, &systemui),
        ui(&reader, &others),
        render(&reader, "RenderThread", &reader_buffers, queued),
        status_bar(&systemui),
        render(&systemui, "RenderThread", &systemui_buffers, queued),
        compositor(queued, composed, hwc),
        composer(composed, hwc),
        buffer_server("binder:612_3", 655, &reader_buffers),
        buffer_server("binder:612_4", 656, &systemui_buffers),
        disk_cache(&others),
        heap(&others),
    ];
    tasks.extend(system(&others, signals));
    tasks.extend((0..2).map(image_loader));
    tasks.extend((0..8).map(dex2oat));
    tasks.extend(background());
    tasks
}

/// Announces each tick to the apps that want to draw.
fn ticker(reader: &App, systemui: &App) -> Task {
    let mut script = Script::new("app", 640, SURFACEFLINGER, 97);
    for tick in 0..LENGTH_US / PERIOD_US {
        script
            .step(Step::Tick(0))
            .count("VSYNC-app", tick % 2)
            .run(18);
        if SCROLL.contains(&tick) {
            script.post(reader.vsync);
        }
        if CLOCK_TICKS.contains(&tick) {
            script.post(systemui.vsync);
        }
    }
    script.done()
}

fn ui(app: &App, others: &Others) -> Task {
    let mut script = Script::new("org.loom.reader", READER, READER, 110);
    for number in 0..FRAMES {
        if number == 0 {
            script.start_async("J<LIST_SCROLL>", 0);
        }
        app.frame(&mut script, frame_id(number), |script| {
            list(script, number, others)
        });
    }
    script.done()
}

fn render(app: &App, comm: &'static str, buffers: &[[Line; 2]], queued: Signal) -> Task {
    let mut script = Script::new(comm, app.render_tid, app.pid, 110);
    for (number, lines) in buffers.iter().enumerate() {
        app.render(&mut script, frame_id(number), lines, queued);
    }
    script.done()
}

fn status_bar(app: &App) -> Task {
    let mut script = Script::new("ndroid.systemui", SYSTEMUI, SYSTEMUI, 110);
    for number in 0..CLOCK_TICKS.len() {
        app.frame(&mut script, frame_id(number), |script| {
            script.slice("measure", 900).slice("layout", 500);
        });
    }
    script.done()
}

/// Composes a picture at the tick after a buffer was queued.
fn compositor(queued: Signal, composed: Signal, hwc: Signal) -> Task {
    let mut script = Script::new("surfaceflinger", SURFACEFLINGER, SURFACEFLINGER, 97);
    for number in 0..FRAMES + CLOCK_TICKS.len() {
        let id = frame_id(number) + 2;
        script.wait(queued).step(Step::Tick(5_000));
        script.count("VSYNC-sf", number as u64 % 2);
        script.slice(&format!("commit {id}"), 380);
        script.count("BufferTX - org.loom.reader/MainActivity#0", 0);
        script.within(&format!("composite {id}"), |script| {
            script.run(450);
            script.within("HwcPresentOrValidateDisplay 0", |script| {
                script.post(composed).wait(hwc);
            });
            script.slice("postComposition", 240);
        });
    }
    script.done()
}

fn composer(composed: Signal, hwc: Signal) -> Task {
    let mut script = Script::new("composer-servic", 588, 588, 97);
    for _ in 0..FRAMES + CLOCK_TICKS.len() {
        script.wait(composed).slice("present", 700).post(hwc);
    }
    script.done()
}

fn buffer_server(comm: &'static str, tid: u32, buffers: &[[Line; 2]]) -> Task {
    let mut script = Script::new(comm, tid, SURFACEFLINGER, 110);
    for [dequeue, queue] in buffers {
        script.answer(dequeue, |script| {
            script.slice("dequeueBuffer", 45);
        });
        script.answer(queue, |script| {
            script.slice("queueBuffer", 70);
            script.count("BufferTX - org.loom.reader/MainActivity#0", 1);
        });
    }
    script.done()
}

/// Writes images to disk while it holds the cache's lock.
fn disk_cache(others: &Others) -> Task {
    let mut script = Script::new("DiskCache-1", 4362, READER, 130);
    script.wait(others.lock_taken);
    script.within("ImageCache.put", |script| {
        script.run(900);
        script.within("DiskLruCache.commit", |script| {
            for _ in 0..5 {
                script
                    .run(500)
                    .disk(9_500, "f2fs_wait_on_page_writeback+0x118/0x160");
            }
        });
        script.run(300);
    });
    script.post(others.lock_free);
    script.done()
}

fn heap(others: &Others) -> Task {
    let mut script = Script::new("HeapTaskDaemon", 4330, READER, 124);
    script.wait(others.gc);
    script.within("Alloc concurrent copying GC", |script| {
        script.slice("InitializePhase", 300);
        script.slice("FlipThreadRoots", 1_100);
        script.slice("CopyingPhase", 19_000);
        script.slice("ReclaimPhase", 2_400);
    });
    script.count("Heap size (KB)", 24_300).post(others.gc_done);
    script.done()
}

/// The system thread that answers the list, and the one that delays it.
fn system(others: &Others, signals: &mut Signals) -> Vec<Task> {
    let (busy, free) = (signals.make(), signals.make());
    let mut binder = Script::new("binder:1455_9", 1533, SYSTEM_SERVER, 110);
    binder.answer(&others.package_info, |script| {
        script.within("AIDL::java::IPackageManager::getPackageInfo::server", |script| {
            script.run(1_300).post(busy).run(150);
            script.within(
                "monitor contention with owner android.bg (1488) at void com.android.server.pm.Settings.writeLPr()(Settings.java:2410) waiters=1 blocking from com.android.server.pm.PackageSetting com.android.server.pm.Settings.getPackageLPr(java.lang.String)(Settings.java:702)",
                |script| {
                    script.wait(free);
                },
            );
            script.run(1_700);
        });
    });
    let mut writer = Script::new("android.bg", 1488, SYSTEM_SERVER, 120);
    writer.wait(busy);
    writer.within("Settings.writeLPr", |script| {
        script
            .run(6_000)
            .disk(11_000, "jbd2_log_wait_commit+0xb8/0x144")
            .run(5_000);
    });
    writer.post(free);
    let mut input = Script::new("InputDispatcher", 1560, SYSTEM_SERVER, 112);
    for tick in SCROLL {
        let at = tick * PERIOD_US + 9_000 + tick % 7 * 300;
        input
            .step(Step::Until(at))
            .slice("dispatchMotionLocked", 60);
        input.count("iq", tick % 3).count("oq", 0);
    }
    vec![binder.done(), writer.done(), input.done()]
}

/// Loads images for the list, one after the other.
fn image_loader(number: u64) -> Task {
    let (comm, tid) = match number {
        0 => ("ImageLoader-1", 4370),
        _ => ("ImageLoader-2", 4371),
    };
    let mut script = Script::new(comm, tid, READER, 130);
    for picture in 0..17 {
        let cookie = 100 * number + picture;
        let name = format!("load https://img.example.org/{}.webp", 40 + cookie);
        script.step(Step::Until(120_000 + picture * 105_000 + number * 47_000));
        script.start_async(&name, cookie);
        script
            .disk(4_000, "folio_wait_bit_common+0x174/0x2ac")
            .run(400);
        script.slice("decodeBitmap", 7_500);
        script.finish_async(&name, cookie);
    }
    script.done()
}

/// Compiles an app in the background, with too high a priority.
fn dex2oat(number: u32) -> Task {
    let mut script = Script::new("dex2oat64", 5120 + number, 5120, 110);
    script.step(Step::Until(DEX2OAT_US + u64::from(number) * 900));
    script.within("Compile dex file", |script| {
        for class in 0..6 {
            script.slice(
                &format!("CompileClass LFeed$Item{};", class * 5 + number),
                9_000,
            );
        }
    });
    script.done()
}

fn background() -> Vec<Task> {
    let mut tasks = Vec::new();
    for (comm, tid, every_us, us) in [
        ("kworker/u8:3", 88, 23_000, 120),
        ("rcu_preempt", 15, 31_000, 15),
        ("logd.writer", 318, 77_000, 260),
        ("kswapd0", 70, 190_000, 1_400),
        ("system_server", SYSTEM_SERVER, 97_000, 340),
        ("logd", 310, 61_000, 90),
    ] {
        let tgid = if tid == 318 { 310 } else { tid };
        let mut script = Script::new(comm, tid, tgid, 120);
        for turn in 1..LENGTH_US / every_us {
            script
                .step(Step::Until(turn * every_us + u64::from(tid) * 37))
                .run(us);
        }
        tasks.push(script.done());
    }
    tasks
}
