//! The thread and process that a number refers to.

use traceloom_formats::ReadOptions;
use traceloom_trace::{NO_TIME, RepairKind, RowId};

use crate::common::{read, text};

#[test]
fn a_number_used_again_is_another_thread() {
    let trace = read(
        "\
sh-5 (    5) [000] .... 1.000001: task_newtask: pid=7 comm=sh clone_flags=1200011 oom_score_adj=0
sh-5 (    5) [000] .... 1.000002: sched_process_fork: comm=sh pid=5 child_comm=sh child_pid=7
sh-5 (    5) [000] .... 1.000003: sched_wakeup_new: comm=sh pid=7 prio=120 target_cpu=001
ls-7 (-----) [001] .... 1.000010: task_rename: pid=7 oldcomm=sh newcomm=ls oom_score_adj=0
<...>-7 (-----) [001] .... 1.000020: sched_process_exit: comm=ls pid=7 prio=120
<...>-7 (-----) [001] d... 1.000021: sched_switch: prev_comm=ls prev_pid=7 prev_prio=120 prev_state=Z ==> next_comm=swapper/1 next_pid=0 next_prio=120
sh-5 (    5) [000] .... 1.000030: task_newtask: pid=7 comm=sh clone_flags=3d0f00 oom_score_adj=0
sh-5 (    5) [000] .... 1.000031: sched_wakeup_new: comm=sh pid=7 prio=120 target_cpu=001
<idle>-0 (-----) [001] d... 1.000040: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=worker next_pid=7 next_prio=120
",
    );
    let lives: Vec<_> = trace.threads.rows().filter(|row| row.tid == 7).collect();
    assert_eq!(lives.len(), 2, "{lives:?}");
    assert_eq!(
        (lives[0].start_ts, lives[0].end_ts),
        (1_000_001_000, 1_000_020_000)
    );
    assert_eq!(
        (lives[1].start_ts, lives[1].end_ts),
        (1_000_030_000, NO_TIME)
    );
    let names: Vec<_> = lives.iter().map(|row| text(&trace, row.name)).collect();
    assert_eq!(names, ["ls", "worker"]);
    let process = |row: &traceloom_trace::ThreadRow| trace.processes.row(row.upid.row());
    assert_eq!((process(&lives[0]).pid, process(&lives[0]).ppid), (7, 5));
    assert_eq!(process(&lives[1]).pid, 5);
    let swapper = trace.threads.rows().find(|row| row.tid == 0).unwrap();
    assert_eq!(text(&trace, swapper.name), "swapper");
}

/// A trace may have the creations of processes, but neither scheduler events nor the ends of processes.
#[test]
fn a_number_whose_end_is_not_recorded_begins_again() {
    let trace = read(
        "\
sh-5 (    5) [000] .... 1.000001: task_newtask: pid=7 comm=sh clone_flags=1200000 oom_score_adj=0
sh-5 (    5) [000] .... 1.000002: sched_process_fork: comm=sh pid=5 child_comm=sh child_pid=7
ls-7 (    7) [001] .... 1.000010: tracing_mark_write: I|7|one
sh-5 (    5) [000] .... 1.000020: task_newtask: pid=7 comm=sh clone_flags=1200000 oom_score_adj=0
ps-7 (    7) [001] .... 1.000030: tracing_mark_write: I|7|two
",
    );
    let lives: Vec<_> = trace.threads.rows().filter(|row| row.tid == 7).collect();
    let times: Vec<_> = lives.iter().map(|row| (row.start_ts, row.end_ts)).collect();
    let (first, second) = (1_000_001_000, 1_000_020_000);
    assert_eq!(times, [(first, second), (second, NO_TIME)]);
    let process = |row: &traceloom_trace::ThreadRow| trace.processes.row(row.upid.row());
    let processes: Vec<_> = lives.iter().map(process).collect();
    let times: Vec<_> = processes
        .iter()
        .map(|row| (row.pid, row.start_ts))
        .collect();
    assert_eq!(times, [(7, first), (7, second)]);
}

#[test]
fn a_page_with_several_blocks_shares_threads() {
    let dump = "PROCESS DUMP\nUSER PID PPID VSZ RSS WCHAN PC S NAME COMM\nu0_a7 10 1 0 0 0 0 S com.example.long.name   ample.long.name\nUSER PID TID CMD\nu0_a7 10 11 RenderThread\n";
    let ftrace = "RenderThread-11 [000] .... 1.000001: sched_waking: comm=x pid=12 prio=120 target_cpu=000\n";
    for blocks in [[dump, ftrace], [ftrace, dump]] {
        let trace = read_blocks(&blocks);
        assert_eq!(trace.sources.len(), 1);
        let render = trace.threads.rows().find(|row| row.tid == 11).unwrap();
        let process = trace.processes.row(render.upid.row());
        assert_eq!(
            (process.pid, process.uid, text(&trace, process.name)),
            (10, 10_007, "com.example.long.name")
        );
        // Nothing shows the process of thread 12.
        let kinds = [RepairKind::MissingTgid, RepairKind::UnknownProcess];
        assert_eq!(kinds.map(|kind| trace.repairs.count(kind)), [1, 1]);
    }
}

/// The trace of the blocks of a page.
fn read_blocks(blocks: &[&str]) -> traceloom_trace::Trace {
    use traceloom_formats::{AnyReader, Reader, Target};
    let mut builder = traceloom_trace::TraceBuilder::new();
    builder.begin_source("page", "systrace");
    for block in blocks {
        let mut reader = AnyReader::new(ReadOptions::default().joined());
        let mut out = Target::Trace(&mut builder);
        reader.feed(block.as_bytes(), &mut out).unwrap();
        reader.finish(&mut out).unwrap();
    }
    builder.finish()
}

#[test]
fn a_main_thread_that_only_the_scheduler_names_leads_its_process() {
    let trace = read("\
     android.fg-1701  ( 1661) [000] d..3     1.000000: sched_switch: prev_comm=android.fg prev_pid=1701 prev_prio=120 prev_state=S ==> next_comm=<-transport next_pid=20475 next_prio=120
     <-transport-20475 (  375) [000] d..3     1.000100: sched_waking: comm=system_server pid=1661 prio=120 target_cpu=001
          <idle>-0     (-----) [000] d..3     1.000200: sched_waking: comm=other pid=99 prio=120 target_cpu=001
           <...>-98    (-----) [000] d..3     1.000300: sched_waking: comm=other pid=99 prio=120 target_cpu=001
");
    let process = trace.processes.rows().find(|row| row.pid == 1661).unwrap();
    assert_eq!(text(&trace, process.name), "system_server");
    let leader = trace.threads.rows().find(|row| row.tid == 1661).unwrap();
    assert!(leader.is_main_thread);
    // adbd has a thread with this name; `<...>` is not a name.
    let name = |tid| {
        let row = trace.threads.rows().find(|row| row.tid == tid).unwrap();
        text(&trace, row.name).to_owned()
    };
    assert_eq!((name(20475), name(98)), ("<-transport".into(), "".into()));
    assert_eq!(trace.repairs.count(RepairKind::MissingTgid), 1);
    assert_eq!(trace.repairs.count(RepairKind::UnknownProcess), 2);
}

#[test]
fn a_thread_number_in_another_process_is_another_thread() {
    let trace = read(
        "\
   aaa-100   (   50) [000] ...1 1.000000: tracing_mark_write: B|50|first
   aaa-100   (   50) [000] ...1 1.010000: tracing_mark_write: E|50
   bbb-100   (   60) [000] ...1 2.000000: tracing_mark_write: B|60|second
   bbb-100   (-----) [000] ...1 2.010000: tracing_mark_write: E|60
",
    );
    let of = |slice: usize| {
        let track = trace.slices.track_id.get(slice);
        let thread = trace.threads.row(trace.track_thread(track).unwrap().row());
        let pid = trace.processes.pid.get(thread.upid.row());
        (text(&trace, thread.name), pid)
    };
    assert_eq!((of(0), of(1)), (("aaa", 50), ("bbb", 60)));
    assert_eq!(trace.slices.dur.get(1), 10_000_000);
}
