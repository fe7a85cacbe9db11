//! The modules of Pixel phones, on systraces with known answers.

mod systrace;

use systrace::{Line, answer, rows, session};

const CAMERA: &str = "provider-70 (70)";
const TOUCH: &str = "twoshay-80 (80)";
const IRQ: &str = "irq/30-gti-90 (90)";

#[test]
fn nodes_of_the_camera_have_frames() {
    let lines: &[Line] = &[
        (CAMERA, 10, "B|70|cam3_denoise:out:0 (frame 42)"),
        (CAMERA, 15, "E"),
        (CAMERA, 20, "B|70|cam3 (frame 43)"),
        (CAMERA, 25, "E"),
        (CAMERA, 30, "B|70|cam0_crop:in (frame 44)"),
    ];
    let sql = "SELECT ts, dur, thread_name, node, port_group, frame_number, cam_id FROM pixel_camera_frames";
    let found = answer(lines, "pixel.camera", sql);
    // The second one has no node, and the last one has no end.
    assert_eq!(found, ["10000 5000 provider denoise out 42 3"]);
}

#[test]
fn the_memory_of_the_camera_is_that_of_its_processes_and_buffers() {
    let rss = |pid, size| format!("rss_stat: mm_id={pid} curr=1 type=MM_ANONPAGES size={size}B");
    let [app, hal, later] = [rss(70, 4096), rss(71, 8192), rss(70, 12288)];
    let lines: &[Line] = &[
        ("oogleCamera-70 (70)", 10, "B|70|start"),
        ("oogleCamera-70 (70)", 10, &app),
        ("provider-71 (71)", 12, &hal),
        (
            "other-72 (72)",
            13,
            "dma_heap_stat: inode=5 len=100 total_allocated=100",
        ),
        ("oogleCamera-70 (70)", 20, &later),
        ("oogleCamera-70 (70)", 30, "E"),
    ];
    let mut session = session(lines);
    let sql = "INCLUDE PERFETTO MODULE pixel.camera;
               SELECT ts, dur, gca_rss, hal_rss, cameraserver_rss, dma, rss_and_dma FROM pixel_camera_memory_span";
    // No process has the name of the app.
    let found = rows(&mut session, sql).unwrap();
    assert!(found.iter().all(|row| row.contains(" 0 0 0 ")), "{found:?}");
}

/// As in Perfetto, the highest number counts if no process of the hardware has a start.
#[test]
fn of_two_processes_of_the_hardware_one_counts() {
    let rss = |pid, size| format!("rss_stat: mm_id={pid} curr=1 type=MM_ANONPAGES size={size}B");
    let lines: &[Line] = &[
        ("camera.provider-71 (71)", 10, "B|71|start"),
        ("camera.provider-71 (71)", 11, &rss(71, 8192)),
        ("camera.provider-71 (71)", 12, "E"),
        ("camera.provider-73 (73)", 13, "B|73|start"),
        ("camera.provider-73 (73)", 14, &rss(73, 4096)),
        ("camera.provider-73 (73)", 30, "E"),
    ];
    let sql = "SELECT max(hal_rss) FROM pixel_camera_memory_span";
    assert_eq!(answer(lines, "pixel.camera", sql), ["4096"]);
}

#[test]
fn touches_have_an_interrupt_a_reader_and_a_frame() {
    let lines: &[Line] = &[
        ("swapper-0 (0)", 10, "irq_handler_entry: irq=300 name=gti"),
        (IRQ, 12, "C|90|gti_th_irq_index|7"),
        ("swapper-0 (0)", 15, "irq_handler_exit: irq=300 ret=handled"),
        (IRQ, 20, "B|90|gti_irq_thread_fn: IRQ_IDX=7."),
        (IRQ, 22, "B|90|goog_offload_populate_frame: IN_TS=1000."),
        (IRQ, 24, "E"),
        (IRQ, 30, "E"),
        (TOUCH, 40, "B|80|algo->processFrame: IN_TS=1000."),
        (TOUCH, 42, "C|80|Resample latency offset|-5"),
        (TOUCH, 45, "E"),
        (TOUCH, 60, "B|80|algo->processFrame: IN_TS=2000."),
        (TOUCH, 65, "E"),
    ];
    let sql = "SELECT in_ts, ts_pixel_touch_th, dur_pixel_touch_th, ts_pixel_touch_bh, dur_pixel_touch_bh, ts_pixel_touch,
                 dur_pixel_touch, resample_latency_offset FROM pixel_touch_events ORDER BY in_ts";
    let found = answer(lines, "pixel.touch", sql);
    let expected = [
        "1000 10000 5000 20000 10000 40000 5000 -5",
        "2000 - - - - 60000 5000 0",
    ];
    assert_eq!(found, expected);
}
