//! The modules about the kernel: interrupts, kernel threads, and disks. The expected answers were worked out by hand.

mod systrace;

use systrace::{answer, rows};
use traceloom_query::{Limits, Session};
use traceloom_trace::{ArgValue, NO_TIME, TraceBuilder};

const APP: &str = "app-900 (900)";

#[test]
fn interrupts() {
    let lines = [
        (APP, 1_000, "irq_handler_entry: irq=12 name=touch"),
        (APP, 3_000, "irq_handler_exit: irq=12 ret=handled"),
        (APP, 3_000, "softirq_entry: vec=1 [action=TIMER]"),
        (APP, 4_000, "softirq_exit: vec=1 [action=TIMER]"),
    ];
    let sql = "SELECT ts, dur, name LIKE '%' || iif(is_soft_irq, 'TIMER', 'touch') || '%', parent_id, is_soft_irq FROM linux_irqs";
    assert_eq!(
        answer(&lines, "linux.irqs", sql),
        ["1000000 2000000 1 - 0", "3000000 1000000 1 - 1"]
    );
    let mut out = TraceBuilder::new();
    let name = ArgValue::Text(out.intern(b"touch"));
    let cells = [("irq_id", ArgValue::Int(12)), ("name", name)];
    out.record(NO_TIME, "_linux_interrupt_mapping", &cells);
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql =
        "INCLUDE PERFETTO MODULE linux.irqs; SELECT id, irq_id, name FROM linux_interrupt_mapping";
    assert_eq!(rows(&mut session, sql).unwrap(), ["0 12 touch"]);
}

#[test]
fn threads_of_the_kernel() {
    let kernel = "kthreadd-2 (2)";
    let lines = [
        (
            kernel,
            1_000,
            "task_newtask: pid=77 comm=kthreadd clone_flags=800700 oom_score_adj=0",
        ),
        (
            "kworker_1-77 (77)",
            2_000,
            "task_rename: pid=77 oldcomm=kthreadd newcomm=kworker_1 oom_score_adj=0",
        ),
        (APP, 3_000, "kfree: ptr=1"),
    ];
    let sql = "SELECT pid, tid, process_name, thread_name FROM linux_kernel_threads";
    assert_eq!(
        answer(&lines, "linux.threads", sql),
        ["2 2 kthreadd kthreadd", "77 77 kworker_1 kworker_1"]
    );
}

/// Disk numbers in user space. The second partition of the first SCSI disk is 8:2, and `makedev` of the C library
/// returns 0x1210334 for 259:4660.
#[test]
fn the_two_numbers_of_a_disk() {
    let sql = "SELECT linux_device_major_id(column1), linux_device_minor_id(column1) FROM (VALUES (0x802), (0x1210334))";
    assert_eq!(
        answer(&[(APP, 0, "kfree: ptr=1")], "linux.block_io", sql),
        ["8 2", "259 4660"]
    );
}

/// The app runs for the whole slice of 1 ms, at 1 GHz: a million cycles.
#[test]
fn cycles_of_slices() {
    let lines = [
        (
            "<idle>-0 (-----)",
            500,
            "cpu_frequency: state=1000000 cpu_id=0",
        ),
        (
            "<idle>-0 (-----)",
            1_000,
            "sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=900 next_prio=120",
        ),
        (APP, 1_500, "B|900|work"),
        (APP, 2_500, "E|900"),
        (
            APP,
            3_000,
            "sched_switch: prev_comm=app prev_pid=900 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120",
        ),
    ];
    let sql = "SELECT name, thread_name, millicycles, megacycles FROM thread_slice_cpu_cycles";
    assert_eq!(
        answer(&lines, "slices.cpu_time", sql),
        ["work app 1000000000 1"]
    );
}

#[test]
fn clocks_of_devices() {
    let lines = [
        (
            APP,
            1_000,
            "devfreq_frequency: dev_name=devfreq_dsu freq=700000 prev_freq=100000 busy_time=1 total_time=2",
        ),
        (
            APP,
            3_000,
            "devfreq_frequency: dev_name=devfreq_dsu freq=900000 prev_freq=700000 busy_time=1 total_time=2",
        ),
        (
            APP,
            4_000,
            "devfreq_frequency: dev_name=other freq=5 prev_freq=4 busy_time=1 total_time=2",
        ),
        (APP, 5_000, "kfree: ptr=1"),
    ];
    let sql = "SELECT ts, dur, dsu_freq FROM linux_devfreq_dsu_counter";
    let expected = ["1000000 2000000 700000", "3000000 2000000 900000"];
    assert_eq!(answer(&lines, "linux.devfreq", sql), expected);
}

/// One operation from 1 to 4 ms, and another one on the same disk from 2 to 3 ms.
#[test]
fn operations_of_disks_at_the_same_time() {
    let lines = [
        (
            APP,
            1_000,
            "block_io_start: 8,2 R 4096 () 100 + 8 none,0,0 [app]",
        ),
        (
            APP,
            2_000,
            "block_io_start: 8,2 R 4096 () 200 + 8 none,0,0 [app]",
        ),
        (
            APP,
            3_000,
            "block_io_done: 8,2 R 0 () 200 + 8 none,0,0 [app]",
        ),
        (
            APP,
            4_000,
            "block_io_done: 8,2 R 0 () 100 + 8 none,0,0 [app]",
        ),
    ];
    let sql = "SELECT ts, ops_in_queue_or_device FROM linux_active_block_io_operations_by_device";
    let expected = ["1000000 1", "2000000 2", "3000000 1", "4000000 0"];
    assert_eq!(answer(&lines, "linux.block_io", sql), expected);
}

#[test]
fn gpus_that_work_for_apps() {
    let work = "gpu_work_period: gpu_id=0 uid=10077 start_time_ns=1000000 end_time_ns=3000000 total_active_duration_ns=500";
    let lines = [(APP, 4_000, work)];
    let sql = "SELECT uid, dur FROM android_gpu_work_period_track AS track JOIN slice ON slice.track_id = track.id";
    assert_eq!(
        answer(&lines, "android.gpu.work_period", sql),
        ["10077 2000000"]
    );
}
