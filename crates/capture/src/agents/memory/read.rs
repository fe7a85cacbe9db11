//! Takes apart what `/proc` says.

use std::collections::BTreeMap;

/// App's programs, and what they are not called.
const APP: &str = "/system/bin/app_process";
const ZYGOTE: &str = "zygote";

/// What a clock showed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Now {
    pub ms: i64,
    /// Whether it is `CLOCK_MONOTONIC`.
    pub is_monotonic: bool,
}

/// The machine's memory: the lines of `/proc/meminfo`, KB.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Machine {
    pub at: Now,
    pub kb: Vec<(String, u64)>,
}

/// One look at all processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Processes {
    pub at: Now,
    pub all: BTreeMap<u32, Process>,
}

/// A process as it was then.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Process {
    /// KB; the kernel's own threads have none.
    pub virt_kb: Option<u64>,
    pub rss_kb: u64,
    pub oom_score: i64,
    pub oom_score_adj: i64,
    pub minor_faults: u64,
    pub major_faults: u64,
    /// Clock ticks.
    pub user_time: u64,
    pub kernel_time: u64,
    /// The main thread's name.
    pub comm: String,
    pub threads: BTreeMap<u32, String>,
    /// Where it is new.
    pub about: Option<About>,
    pub full: Option<Full>,
}

/// What a process is.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct About {
    /// The first word of its command line; empty for the kernel's own.
    pub name: String,
    pub exe: String,
    /// The main thread's name then.
    pub comm: String,
}

impl About {
    pub fn is_app(&self) -> bool {
        self.exe.starts_with(APP) && !self.name.starts_with(ZYGOTE)
    }
}

/// Memory page by page, KB.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Full {
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

/// `now at 12728200448355 nsecs`, or `12728.20 23456.78`.
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

/// Takes in a line with its file's path before it; others are passed over.
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

/// `788 (system server) S …`: a name may hold brackets itself.
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

/// Takes in a line of `smaps`: a region, or a size of the last one.
pub(super) fn read_region(line: &str, with_maps: bool, full: &mut Full) -> Option<()> {
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

/// `7f0000-7f1000 r-xp 00000000 08:01 1234   /system/lib/libc.so`
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
