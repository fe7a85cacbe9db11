//! Small ftrace texts end to end: drivers, connections, and who created which thread.

mod common;

use common::{counters, read, slices};
use traceloom_trace::{RepairKind, RowId};

#[test]
fn counters_of_drivers_and_cpus() {
    let trace = read(
        "\
a-1 (    1) [000] .... 1.000001: sched_cpu_util_cfs: cpu=6 active=1 capacity=1004 capacity_orig=1024 cpu_util=7 nr_running=2
a-1 (    1) [000] .... 1.000002: f2fs_iostat: dev=254,32 app_wio=4096 fs_discard=0
a-1 (    1) [000] .... 1.000003: f2fs_iostat_latency: dev=254,32 d_rd_peak=9 m_wr_as_cnt=2
a-1 (    1) [000] .... 1.000004: ion_stat: buffer_id=1 len=-100 total_allocated=8192
a-1 (    1) [000] .... 1.000005: gpu_mem_total: gpu_id=1 pid=0 size=77
",
    );
    assert_eq!(
        counters(&trace),
        [
            "cpu_utilization Cpu 6 Util=7",
            "cpu_capacity Cpu 6 Cap=1004",
            "cpu_nr_running Cpu 6 Nr Running=2",
            "f2fs_iostat f2fs_iostat.[254:32].write_app_total=4096",
            "f2fs_iostat f2fs_iostat.[254:32].other_fs_discard=0",
            "f2fs_iostat_latency f2fs_iostat_latency.[254:32].read_data_peak=9",
            "f2fs_iostat_latency f2fs_iostat_latency.[254:32].write_async_meta_cnt=2",
            "ion mem.ion=8192",
            "ion_change mem.ion_change=-100",
            "gpu_memory GPU Memory 1=77",
        ]
    );
    assert_eq!(trace.ftrace_events.len(), 4, "they have further fields");
}

#[test]
fn commands_of_a_virtual_gpu() {
    let trace = read(
        "\
a-1 (    1) [000] .... 1.000001: virtio_gpu_cmd_queue: vdev=4 vq=0 name=control type=0x207 flags=0x3 fence_id=5 ctx_id=27 num_free=503 seqno=10
a-1 (    1) [000] .... 1.000002: virtio_gpu_cmd_queue: vdev=4 vq=0 name=control type=0x203 flags=0x0 fence_id=0 ctx_id=27 num_free=501 seqno=11
a-1 (    1) [000] .... 1.000004: virtio_gpu_cmd_response: vdev=4 vq=0 name=control type=0x1100 flags=0x3 fence_id=5 ctx_id=27 num_free=506 seqno=10
a-1 (    1) [000] .... 1.000009: virtio_gpu_cmd_response: vdev=4 vq=0 name=control type=0x1100 flags=0x0 fence_id=0 ctx_id=0 num_free=506 seqno=11
a-1 (    1) [000] .... 1.000010: virtio_gpu_cmd_response: vdev=4 vq=0 name=control type=0x1100 flags=0x0 fence_id=0 ctx_id=0 num_free=506 seqno=12
",
    );
    assert_eq!(
        slices(&trace),
        [
            "g:Virtgpu control Queue/0 SUBMIT_3D 1000001+3",
            "g:Virtgpu control Queue/0 CTX_DETACH_RESOURCE 1000002+7",
        ]
    );
    let delays = counters(&trace);
    let delays: Vec<_> = delays
        .iter()
        .filter(|row| row.contains("Latency"))
        .collect();
    assert_eq!(delays, ["virtgpu_latency Virtgpu control Latency=7000"]);
    assert_eq!(trace.repairs.count(RepairKind::UnmatchedEnd), 1);
}

#[test]
fn a_connection_and_a_segment_that_is_sent_again() {
    let trace = read(
        "\
a-1 (    1) [000] .... 1.000001: inet_sock_set_state: family=AF_INET protocol=6 sport=5 dport=80 skaddr=0xff1 oldstate=TCP_CLOSE newstate=TCP_SYN_SENT
a-1 (    1) [000] .... 1.000003: inet_sock_set_state: family=AF_INET protocol=6 sport=5 dport=80 skaddr=0xff1 oldstate=TCP_SYN_SENT newstate=TCP_ESTABLISHED
a-1 (    1) [000] .... 1.000004: tcp_retransmit_skb: sport=5 dport=80 state=TCP_ESTABLISHED
a-1 (    1) [000] .... 1.000005: inet_sock_set_state: family=AF_INET protocol=17 sport=5 dport=80 skaddr=0xff1 newstate=TCP_CLOSE
a-1 (    1) [000] .... 1.000006: inet_sock_set_state: family=AF_INET protocol=6 sport=5 dport=80 skaddr=0xff1 oldstate=TCP_ESTABLISHED newstate=TCP_CLOSE
",
    );
    assert_eq!(
        slices(&trace),
        [
            "g:TCP stream#1/0 TCP_SYN_SENT(pid=1) 1000001+2",
            "g:TCP stream#1/0 TCP_ESTABLISHED(sport=5,dport=80) 1000003+3",
            "g:TCP Retransmit Skb/0 sport=5,dport=80 1000004+0",
            "g:TCP stream#1/0 TCP_CLOSE 1000006+open",
        ]
    );
    assert_eq!(trace.ftrace_events.len(), 1, "not of TCP");
}

#[test]
fn a_suspend_that_fails_ends_when_processes_thaw() {
    let trace = read(
        "\
a-1 (    1) [000] .... 1.000001: suspend_resume: suspend_enter[3] begin
a-1 (    1) [000] .... 1.000002: suspend_resume: freeze_processes[0] begin
a-1 (    1) [000] .... 1.000003: suspend_resume: thaw_processes[0] begin
a-1 (    1) [000] .... 1.000004: suspend_resume: thaw_processes[0] end
a-1 (    1) [000] .... 1.000005: suspend_resume: freeze_processes[0] end
",
    );
    assert_eq!(
        slices(&trace),
        [
            "g:suspend/0 suspend_enter(3) 1000001+3",
            "g:suspend/0 freeze_processes(0) 1000002+3",
            "g:suspend/0 thaw_processes(0) 1000003+1",
        ]
    );
}

#[test]
fn a_killed_process_has_a_mark() {
    let trace = read("a-1 (    1) [000] .... 1.000001: mark_victim: pid=9\n");
    assert_eq!(slices(&trace), ["t9:/0 mem.oom_kill 1000001+0"]);
}

#[test]
fn a_thread_is_in_the_process_of_its_creator_even_if_that_is_known_later() {
    let trace = read(
        "\
a-21 (-----) [000] .... 1.000001: task_newtask: pid=22 comm=b clone_flags=10000 oom_score_adj=0
a-22 (-----) [000] .... 1.000002: task_newtask: pid=23 comm=c clone_flags=10000 oom_score_adj=0
a-22 (-----) [000] .... 1.000003: task_newtask: pid=40 comm=d clone_flags=0 oom_score_adj=0
a-23 (   20) [000] .... 1.000004: made_up: a=1
",
    );
    let process = |tid: i64| {
        let row = trace.threads.rows().find(|row| row.tid == tid);
        row.map(|row| trace.processes.pid.get(row.upid.row()))
    };
    assert_eq!([21, 22, 23].map(process), [Some(20); 3]);
    let child = trace.processes.rows().find(|row| row.pid == 40);
    assert_eq!(child.map(|row| row.ppid), Some(20));
}

#[test]
fn after_its_thread_is_freed_a_number_belongs_to_another_process() {
    let trace = read(
        "\
a-7 (    7) [000] .... 1.000001: rss_stat: mm_id=5 curr=1 type=MM_ANONPAGES size=4096B
b-8 (    8) [000] .... 1.000002: sched_process_free: comm=a pid=7 prio=120
b-8 (    8) [000] .... 1.000003: rss_stat: mm_id=5 curr=0 type=MM_ANONPAGES size=0B
b-8 (    8) [000] .... 1.000004: gpu_mem_total: gpu_id=0 pid=7 size=0
c-7 (    7) [000] .... 1.000005: made_up: a=1
",
    );
    assert_eq!(counters(&trace), ["process_memory mem.rss.anon=4096"]);
    let lives: Vec<_> = trace.processes.rows().filter(|row| row.pid == 7).collect();
    let ends: Vec<_> = lives.iter().map(|row| row.end_ts).collect();
    assert_eq!(ends, [1_000_002_000, traceloom_trace::NO_TIME]);
    let names = lives.iter().map(|row| trace.strings.get(row.name));
    assert_eq!(names.collect::<Vec<_>>(), ["a", "c"]);
}

#[test]
fn a_thread_ends_when_the_kernel_forgets_it() {
    let trace = read(
        "\
a-7 (    7) [000] .... 1.000001: sched_process_exit: comm=a pid=7 prio=120
b-8 (    8) [000] .... 1.000002: sched_process_exit: comm=b pid=8 prio=120
c-9 (    9) [000] .... 1.000005: sched_process_free: comm=a pid=7 prio=120
",
    );
    let end = |pid| {
        trace
            .processes
            .rows()
            .find(|row| row.pid == pid)
            .unwrap()
            .end_ts
    };
    assert_eq!([7, 8].map(end), [1_000_005_000, 1_000_002_000]);
}

#[test]
fn kills_of_the_low_memory_killer() {
    let trace = read(
        "\
lmkd-6 (    6) [000] .... 1.000001: tracing_mark_write: B|6|lmk,40,7,900,1
lmkd-6 (    6) [000] .... 1.000002: tracing_mark_write: E|6
lmkd-6 (    6) [000] .... 1.000003: tracing_mark_write: C|6|kill_one_process|41
lmkd-6 (    6) [000] .... 1.000004: tracing_mark_write: C|6|kill_one_process|0
",
    );
    let kills = trace.slices.rows().filter_map(|row| {
        let track = trace.tracks.row(row.track_id.row());
        let is_kill = track.kind == traceloom_trace::TrackType::AndroidLmk;
        is_kill.then(|| (trace.processes.pid.get(track.upid.row()), row.ts))
    });
    assert_eq!(
        kills.collect::<Vec<_>>(),
        [(40, 1_000_001_000), (41, 1_000_003_000)]
    );
    let counters = counters(&trace);
    let score = "oom_score_adj oom_score_adj=900";
    assert!(counters.iter().any(|row| row == score), "{counters:?}");
}
