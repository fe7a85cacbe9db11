//! The JSON of a dump, put together while it is recorded.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::read::{About, Full, Machine, Now, Process, Processes, Sizes};

/// What was seen so far.
#[derive(Debug, Default)]
pub(super) struct Dump {
    /// The looks, with commas between them.
    snapshots: String,
    /// What each process is, and the threads that it ever had.
    people: BTreeMap<u32, Person>,
    start: Option<Now>,
}

#[derive(Debug, Default)]
struct Person {
    about: About,
    in_kernel: bool,
    threads: BTreeMap<u32, String>,
}

impl Dump {
    /// The processes whose names are known.
    pub fn known(&self) -> BTreeMap<u32, About> {
        let known = self.people.iter();
        known
            .map(|(pid, person)| (*pid, person.about.clone()))
            .collect()
    }

    /// Adds a look at the machine's memory.
    pub fn machine(&mut self, machine: &Machine) {
        self.begin(machine.at, "meminfo");
        let values = machine
            .kb
            .iter()
            .map(|(name, kb)| format!("{}:{kb}", quoted(name)));
        let values: Vec<_> = values.collect();
        self.snapshots += &values.join(",");
        self.snapshots += "}}";
    }

    /// Adds a look at all processes.
    pub fn processes(&mut self, processes: Processes) {
        self.begin(processes.at, "memdump");
        let mut comma = "";
        for (pid, process) in &processes.all {
            if let Some(virt_kb) = process.virt_kb {
                let values = values(process, virt_kb);
                // Writing to a string does not fail.
                _ = write!(self.snapshots, "{comma}\"{pid}\":{{{values}}}");
                comma = ",\n";
            }
        }
        self.snapshots += "}}";
        for (pid, process) in processes.all {
            self.meet(pid, process);
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

    fn meet(&mut self, pid: u32, process: Process) {
        let person = self.people.entry(pid).or_default();
        if let Some(about) = process.about {
            person.about = about;
            person.in_kernel = process.virt_kb.is_none();
        }
        for (tid, name) in process.threads {
            person.threads.entry(tid).or_insert(name);
        }
    }

    /// The whole dump.
    pub fn finish(self, markers: &[(String, i64)]) -> String {
        let markers = markers.iter();
        let markers = markers.map(|(id, ms)| format!("{}:{ms}", quoted(id)));
        let markers: Vec<_> = markers.collect();
        // Only where it is CLOCK_MONOTONIC's.
        let start = self.start.filter(|start| start.is_monotonic);
        let start = start.map_or(String::new(), |start| {
            format!("\"start_ts\":\"{}\",", start.ms)
        });
        let people: Vec<_> = self.people.iter().map(person).collect();
        format!(
            "ATRACE_PROCESS_DUMP\n{{\"clock_sync_markers\":{{{}}},\n\"dump\":{{{start}\"snapshots\":[\n{}],\n\
             \"processes\":{{{}}}}}}}\n",
            markers.join(","),
            self.snapshots,
            people.join(",\n")
        )
    }
}

fn person((pid, person): (&u32, &Person)) -> String {
    let name = match person.about.name.as_str() {
        "" => &person.about.comm,
        name => name,
    };
    if person.in_kernel {
        return format!("\"{pid}\":{{\"name\":{}}}", quoted(name));
    }
    let threads = person.threads.iter();
    let threads = threads.map(|(tid, name)| format!("\"{tid}\":{{\"name\":{}}}", quoted(name)));
    let threads: Vec<_> = threads.collect();
    format!(
        "\"{pid}\":{{\"name\":{},\"exe\":{},\"threads\":{{\n{}}}}}",
        quoted(name),
        quoted(&person.about.exe),
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
        out += &pages(full);
    }
    out
}

fn pages(full: &Full) -> String {
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

/// A JSON string. `/` is escaped behind `<`, so that no name ends the script of a page.
fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    let mut last = ' ';
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '/' if last == '<' => out += "\\/",
            letter if letter < ' ' => _ = write!(out, "\\u{:04x}", letter as u32),
            letter => out.push(letter),
        }
        last = letter;
    }
    out.push('"');
    out
}
