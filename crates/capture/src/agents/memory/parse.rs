//! Parses files of `/proc`.

use std::collections::BTreeMap;

/// The program of apps and of the zygotes that start them.
const APP: &str = "/system/bin/app_process";
const ZYGOTE: &str = "zygote";

/// The time of a clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Now {
    pub ms: i64,
    /// Whether the clock is `CLOCK_MONOTONIC`.
    pub is_monotonic: bool,
}

/// A snapshot of the machine's memory: the lines of `/proc/meminfo`, KB.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Machine {
    pub at: Now,
    pub kb: Vec<(String, u64)>,
}

/// A snapshot of all processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Processes {
    pub at: Now,
    pub all: BTreeMap<u32, Process>,
}

/// A process in a snapshot.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Process {
    /// `None` for kernel threads.
    pub virt_kb: Option<u64>,
    pub rss_kb: u64,
    pub oom_score: i64,
    pub oom_score_adj: i64,
    pub minor_faults: u64,
    pub major_faults: u64,
    /// Clock ticks, like `kernel_time`.
    pub user_time: u64,
    pub kernel_time: u64,
    /// Name of the main thread.
    pub comm: String,
    pub threads: BTreeMap<u32, String>,
    /// Only if the process is new or has changed its name.
    pub identity: Option<Identity>,
    pub full: Option<FullSizes>,
}

/// What identifies a process.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Identity {
    /// The first word of its command line; empty for kernel threads.
    pub name: String,
    pub exe: String,
    /// Name of the main thread at that time.
    pub comm: String,
}

impl Identity {
    pub fn is_app(&self) -> bool {
        self.exe.starts_with(APP) && !self.name.starts_with(ZYGOTE)
    }
}

/// The memory of a process in all its regions, KB.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct FullSizes {
    pub sum: Sizes,
    pub maps: Vec<Map>,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Sizes {
    pub rss: u64,
    pub pss: u64,
    pub swap: u64,
    pub private_clean: u64,
    pub private_dirty: u64,
    pub shared_clean: u64,
    pub shared_dirty: u64,
}

/// A region of memory.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Map {
    /// `a1000-a5000`.
    pub range: String,
    pub flags: String,
    pub file: String,
    pub sizes: Sizes,
}

/// Parses `now at 12728200448355 nsecs` or `12728.20 23456.78`.
pub(super) fn read_now(line: &str) -> Option<Now> {
    if let Some(ns) = line.strip_prefix("now at ") {
        let ns: i64 = ns.split_whitespace().next()?.parse().ok()?;
        return Some(Now {
            ms: ns / 1_000_000,
            is_monotonic: true,
        });
    }
    let seconds: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(Now {
        ms: (seconds * 1e3).round() as i64,
        is_monotonic: false,
    })
}

/// Parses a line that follows the path of its file. Skips other lines.
pub(super) fn read_line(line: &str, all: &mut BTreeMap<u32, Process>) -> Option<()> {
    let (path, value) = line.strip_prefix("/proc/")?.split_once(':')?;
    let (pid, file) = path.split_once('/')?;
    let process = all.entry(pid.parse().ok()?).or_default();
    if let Some(task) = file.strip_prefix("task/") {
        let tid = task.strip_suffix("/comm")?.parse().ok()?;
        process.threads.insert(tid, value.to_owned());
        return Some(());
    }
    match file {
        "status" => {
            let (key, size) = value.split_once(':')?;
            let kb = size.split_whitespace().next()?.parse().ok()?;
            match key {
                "VmSize" => process.virt_kb = Some(kb),
                _ => process.rss_kb = kb,
            }
        }
        "oom_score" => process.oom_score = value.trim().parse().ok()?,
        "oom_score_adj" => process.oom_score_adj = value.trim().parse().ok()?,
        _ => read_stat(value, process)?,
    }
    Some(())
}

/// Parses `788 (system server) S …`. A name may contain parentheses.
fn read_stat(line: &str, process: &mut Process) -> Option<()> {
    let (front, rest) = line.rsplit_once(')')?;
    process.comm = front.split_once('(')?.1.to_owned();
    let words: Vec<&str> = rest.split_whitespace().collect();
    let number = |at: usize| words.get(at)?.parse().ok();
    process.minor_faults = number(7)?;
    process.major_faults = number(9)?;
    process.user_time = number(11)?;
    process.kernel_time = number(12)?;
    Some(())
}

/// Parses a line of `smaps`: a region, or a size of the last region.
pub(super) fn read_region(line: &str, with_maps: bool, full: &mut FullSizes) -> Option<()> {
    if !line.starts_with(|first: char| first.is_ascii_uppercase()) {
        if with_maps {
            full.maps.push(read_map(line)?);
        }
        return Some(());
    }
    let (key, kb) = line.split_once(':')?;
    let kb = kb.split_whitespace().next()?.parse().ok()?;
    full.sum.add(key, kb);
    if let Some(map) = full.maps.last_mut() {
        map.sizes.add(key, kb);
    }
    Some(())
}

/// Parses `7f0000-7f1000 r-xp 00000000 08:01 1234   /system/lib/libc.so`
fn read_map(line: &str) -> Option<Map> {
    let mut rest = line;
    let mut word = || {
        let (word, after) = rest.trim_start().split_once(' ').unwrap_or((rest, ""));
        rest = after;
        word.to_owned()
    };
    let (range, flags) = (word(), word());
    let (_offset, _device, _inode) = (word(), word(), word());
    Some(Map {
        range,
        flags,
        file: rest.trim().to_owned(),
        sizes: Sizes::default(),
    })
}

impl Sizes {
    fn add(&mut self, key: &str, kb: u64) {
        let size = match key {
            "Rss" => &mut self.rss,
            "Pss" => &mut self.pss,
            "Swap" => &mut self.swap,
            "Private_Clean" => &mut self.private_clean,
            "Private_Dirty" => &mut self.private_dirty,
            "Shared_Clean" => &mut self.shared_clean,
            "Shared_Dirty" => &mut self.shared_dirty,
            _ => return,
        };
        *size = size.saturating_add(kb);
    }
}
