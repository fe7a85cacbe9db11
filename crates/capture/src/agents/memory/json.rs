//! Builds the JSON of the dump while recording.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::parse::{FullSizes, Identity, Machine, Now, Process, Processes, Sizes};

/// The dump so far.
#[derive(Debug, Default)]
pub(super) struct Dump {
    /// JSON of the snapshots, separated by commas.
    snapshots: String,
    /// All processes so far, by pid.
    processes: BTreeMap<u32, ProcessInfo>,
    start: Option<Now>,
}

#[derive(Debug, Default)]
struct ProcessInfo {
    identity: Identity,
    is_kernel_thread: bool,
    /// Names of all threads so far, by tid.
    threads: BTreeMap<u32, String>,
}

impl Dump {
    /// The identities of all processes so far, by pid.
    pub fn identities(&self) -> BTreeMap<u32, Identity> {
        let processes = self.processes.iter();
        processes
            .map(|(pid, info)| (*pid, info.identity.clone()))
            .collect()
    }

    /// Adds a snapshot of the machine's memory.
    pub fn add_machine(&mut self, machine: &Machine) {
        self.begin(machine.at, "meminfo");
        let values = machine
            .kb
            .iter()
            .map(|(name, kb)| format!("{}:{kb}", quoted(name)));
        let values: Vec<_> = values.collect();
        self.snapshots += &values.join(",");
        self.snapshots += "}}";
    }

    /// Adds a snapshot of all processes.
    pub fn add_processes(&mut self, processes: Processes) {
        self.begin(processes.at, "memdump");
        let mut comma = "";
        for (pid, process) in &processes.all {
            if let Some(virt_kb) = process.virt_kb {
                let values = values(process, virt_kb);
                // Writing to a string cannot fail.
                _ = write!(self.snapshots, "{comma}\"{pid}\":{{{values}}}");
                comma = ",\n";
            }
        }
        self.snapshots += "}}";
        for (pid, process) in processes.all {
            self.add_process(pid, process);
        }
    }

    fn begin(&mut self, at: Now, what: &str) {
        self.start.get_or_insert(at);
        let comma = if self.snapshots.is_empty() { "" } else { ",\n" };
        _ = writeln!(
            self.snapshots,
            "{comma}{{\"ts\":\"{}\",\"{what}\":{{",
            at.ms
        );
    }

    fn add_process(&mut self, pid: u32, process: Process) {
        let info = self.processes.entry(pid).or_default();
        if let Some(identity) = process.identity {
            info.identity = identity;
            info.is_kernel_thread = process.virt_kb.is_none();
        }
        for (tid, name) in process.threads {
            info.threads.entry(tid).or_insert(name);
        }
    }

    /// Returns the complete dump, with clock markers: names and times in ms.
    pub fn finish(self, markers: &[(String, i64)]) -> String {
        let markers = markers.iter();
        let markers = markers.map(|(id, ms)| format!("{}:{ms}", quoted(id)));
        let markers: Vec<_> = markers.collect();
        // The format defines `start_ts` as a time of CLOCK_MONOTONIC.
        let start = self.start.filter(|start| start.is_monotonic);
        let start = start.map_or(String::new(), |start| {
            format!("\"start_ts\":\"{}\",", start.ms)
        });
        let processes: Vec<_> = self.processes.iter().map(process_json).collect();
        format!(
            "ATRACE_PROCESS_DUMP\n{{\"clock_sync_markers\":{{{}}},\n\"dump\":{{{start}\"snapshots\":[\n{}],\n\
             \"processes\":{{{}}}}}}}\n",
            markers.join(","),
            self.snapshots,
            processes.join(",\n")
        )
    }
}

fn process_json((pid, info): (&u32, &ProcessInfo)) -> String {
    let name = match info.identity.name.as_str() {
        "" => &info.identity.comm,
        name => name,
    };
    if info.is_kernel_thread {
        return format!("\"{pid}\":{{\"name\":{}}}", quoted(name));
    }
    let threads = info.threads.iter();
    let threads = threads.map(|(tid, name)| format!("\"{tid}\":{{\"name\":{}}}", quoted(name)));
    let threads: Vec<_> = threads.collect();
    format!(
        "\"{pid}\":{{\"name\":{},\"exe\":{},\"threads\":{{\n{}}}}}",
        quoted(name),
        quoted(&info.identity.exe),
        threads.join(",\n")
    )
}

fn values(process: &Process, virt_kb: u64) -> String {
    let mut out = format!(
        "\"vm\":{virt_kb},\"rss\":{},\"oom_sc\":{},\"oom_sc_adj\":{},\"min_flt\":{},\"maj_flt\":{},\
         \"utime\":{},\"stime\":{}",
        process.rss_kb,
        process.oom_score,
        process.oom_score_adj,
        process.minor_faults,
        process.major_faults,
        process.user_time,
        process.kernel_time
    );
    if let Some(full) = &process.full {
        out += &full_sizes(full);
    }
    out
}

fn full_sizes(full: &FullSizes) -> String {
    let sizes = |sizes: &Sizes| {
        format!(
            "\"pss\":{},\"swp\":{},\"pc\":{},\"pd\":{},\"sc\":{},\"sd\":{}",
            sizes.pss,
            sizes.swap,
            sizes.private_clean,
            sizes.private_dirty,
            sizes.shared_clean,
            sizes.shared_dirty
        )
    };
    let maps = full.maps.iter().map(|map| {
        format!(
            "{{\"vm\":{},\"file\":{},\"flags\":{},\"rss\":{},{}}}",
            quoted(&map.range),
            quoted(&map.file),
            quoted(&map.flags),
            map.sizes.rss,
            sizes(&map.sizes)
        )
    });
    let maps: Vec<_> = maps.collect();
    let maps = if maps.is_empty() {
        String::new()
    } else {
        format!(",\"mmaps\":[{}]", maps.join(",\n"))
    };
    format!(",{}{maps}", sizes(&full.sum))
}

/// A JSON string. Escapes `/` after `<`, so that no name can end a script element of a page.
fn quoted(text: &str) -> String {
    Value::from(text).to_string().replace("</", "<\\/")
}
