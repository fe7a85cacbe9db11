//! The report about a thread, with names instead of ids.

use serde::Serialize;
use traceloom_analyze::threads::{BlockedIn, CpuTime, ThreadTimes, Waker};
use traceloom_analyze::waker_label;
use traceloom_trace::{NO_NUMBER, RowId, Trace};

/// A thread. Durations are ns; times count from the first event of the trace.
#[derive(Serialize)]
pub(super) struct ThreadReport {
    pub thread: String,
    pub tid: i64,
    pub process: String,
    pub pid: i64,
    pub running_ns: i64,
    pub runnable_ns: i64,
    pub preempted_ns: i64,
    pub sleeping_ns: i64,
    pub blocked_ns: i64,
    pub io_ns: i64,
    pub other_ns: i64,
    pub runs: u64,
    pub latency: LatencyReport,
    pub wakers: Vec<WakerReport>,
    pub blocked_in: Vec<BlockedReport>,
    pub cpus: Vec<CpuReport>,
    pub migrations: u64,
}

#[derive(Serialize)]
pub(super) struct LatencyReport {
    pub wakeups: u64,
    pub total_ns: i64,
    pub median_ns: i64,
    pub p90_ns: i64,
    pub p99_ns: i64,
    pub worst_ns: i64,
    pub worst_at_ns: i64,
}

#[derive(Serialize)]
pub(super) struct WakerReport {
    pub thread: String,
    pub tid: i64,
    pub count: u64,
    pub waited_ns: i64,
}

#[derive(Serialize)]
pub(super) struct BlockedReport {
    pub function: String,
    pub io: bool,
    pub count: u64,
    pub ns: i64,
}

#[derive(Serialize)]
pub(super) struct CpuReport {
    pub cpu: u32,
    pub ns: i64,
}

/// The columns of the CSV.
pub(super) const CSV_HEAD: [&str; 24] = [
    "thread",
    "tid",
    "process",
    "pid",
    "running_ns",
    "runnable_ns",
    "preempted_ns",
    "sleeping_ns",
    "blocked_ns",
    "io_ns",
    "other_ns",
    "runs",
    "wakeups",
    "latency_total_ns",
    "latency_median_ns",
    "latency_p90_ns",
    "latency_p99_ns",
    "latency_worst_ns",
    "latency_worst_at_ns",
    "cpus",
    "migrations",
    "woken_most_by",
    "woken_most_count",
    "blocked_most_in",
];

impl ThreadReport {
    pub(super) fn new(trace: &Trace, times: &ThreadTimes) -> Self {
        let row = trace.threads.row(times.utid.row());
        let process = row.upid.some().map(|upid| trace.processes.row(upid.row()));
        let latency = &times.latency;
        let since_start = |ts: i64| ts.saturating_sub(trace.bounds.0);
        Self {
            thread: trace.thread_name(times.utid),
            tid: row.tid,
            process: process.map_or("", |row| trace.strings.get(row.name)).into(),
            pid: process.map_or(NO_NUMBER, |row| row.pid),
            running_ns: times.running_ns,
            runnable_ns: times.runnable_ns,
            preempted_ns: times.preempted_ns,
            sleeping_ns: times.sleeping_ns,
            blocked_ns: times.blocked_ns,
            io_ns: times.io_ns,
            other_ns: times.other_ns,
            runs: times.runs,
            latency: LatencyReport {
                wakeups: latency.wakeups,
                total_ns: latency.total_ns,
                median_ns: latency.median_ns,
                p90_ns: latency.p90_ns,
                p99_ns: latency.p99_ns,
                worst_ns: latency.worst_ns,
                worst_at_ns: match latency.wakeups {
                    0 => 0,
                    _ => since_start(latency.worst_at_ns),
                },
            },
            wakers: times.wakers.iter().map(|one| waker(trace, one)).collect(),
            blocked_in: times
                .blocked_in
                .iter()
                .map(|one| blocked(trace, one))
                .collect(),
            cpus: times.cpus.iter().map(cpu).collect(),
            migrations: times.migrations,
        }
    }

    /// The fields of its line of CSV.
    pub(super) fn csv(&self) -> Vec<String> {
        let latency = &self.latency;
        let mut line = vec![
            self.thread.clone(),
            self.tid.to_string(),
            self.process.clone(),
            self.pid.to_string(),
        ];
        let times = [
            self.running_ns,
            self.runnable_ns,
            self.preempted_ns,
            self.sleeping_ns,
            self.blocked_ns,
            self.io_ns,
            self.other_ns,
            self.runs as i64,
            latency.wakeups as i64,
            latency.total_ns,
            latency.median_ns,
            latency.p90_ns,
            latency.p99_ns,
            latency.worst_ns,
            latency.worst_at_ns,
        ];
        line.extend(times.map(|number| number.to_string()));
        let mut cpus: Vec<u32> = self.cpus.iter().map(|one| one.cpu).collect();
        cpus.sort_unstable();
        let cpus: Vec<String> = cpus.iter().map(u32::to_string).collect();
        line.extend([cpus.join(" "), self.migrations.to_string()]);
        let waker = self.wakers.iter().max_by_key(|one| one.count);
        line.push(waker.map_or_else(String::new, |one| one.thread.clone()));
        line.push(waker.map_or(0, |one| one.count).to_string());
        let blocked = self.blocked_in.first();
        line.push(blocked.map_or_else(String::new, |one| one.function.clone()));
        line
    }
}

fn waker(trace: &Trace, one: &Waker) -> WakerReport {
    WakerReport {
        thread: waker_label(trace, one.utid),
        tid: trace.threads.tid.get(one.utid.row()),
        count: one.count,
        waited_ns: one.waited_ns,
    }
}

fn blocked(trace: &Trace, one: &BlockedIn) -> BlockedReport {
    BlockedReport {
        function: trace.strings.get(one.function).to_owned(),
        io: one.is_io,
        count: one.count,
        ns: one.ns,
    }
}

fn cpu(one: &CpuTime) -> CpuReport {
    CpuReport {
        cpu: one.cpu,
        ns: one.ns,
    }
}
