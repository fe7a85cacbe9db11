//! Looks at `/proc` through a shell, and takes apart what it prints.
//!
//! One `grep` reads the files of all processes; its output has the file's path before each line:
//!
//! ```text
//! /proc/788/status:VmRSS:    249348 kB
//! /proc/788/oom_score_adj:-900
//! /proc/788/task/793/comm:Signal Catcher
//! ```

use std::collections::BTreeMap;
use std::time::Duration;

use super::shell::ProcShell;
use super::{FullDump, MemoryOptions};
use crate::error::{CaptureError, Result};

/// `CLOCK_MONOTONIC` in the first line where root may see it, else the time since the start of the
/// kernel: the two differ by how long it slept.
const NOW: &str = "grep -m1 '^now at' /proc/timer_list 2>/dev/null || cat /proc/uptime";

const PROCESSES: &str = "grep -s -e '^VmSize:' -e '^VmRSS:' -e '^[-0-9]' \
     /proc/[0-9]*/status /proc/[0-9]*/stat /proc/[0-9]*/oom_score /proc/[0-9]*/oom_score_adj; \
     grep -s '' /proc/[0-9]*/task/[0-9]*/comm /dev/null";

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

/// What the clock shows.
pub(super) fn now(shell: &impl ProcShell, limit: Duration) -> Result<Now> {
    let said = text(shell.look(NOW, limit)?);
    said.lines().next().and_then(read_now).ok_or_else(no_proc)
}

/// The machine's memory.
pub(super) fn machine(shell: &impl ProcShell, limit: Duration) -> Result<Machine> {
    let said = text(shell.look(&format!("{NOW}; cat /proc/meminfo"), limit)?);
    let mut lines = said.lines();
    let at = lines.next().and_then(read_now).ok_or_else(no_proc)?;
    let kb = lines.filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        let value = value.split_whitespace().next()?.parse().ok()?;
        Some((name.trim().to_owned(), value))
    });
    Ok(Machine {
        at,
        kb: kb.collect(),
    })
}

/// All processes; those that are not `known` with what they are called.
pub(super) fn processes(
    shell: &impl ProcShell,
    options: &MemoryOptions,
    known: &BTreeMap<u32, About>,
    limit: Duration,
) -> Result<Processes> {
    let said = text(shell.look(&format!("{NOW}; {PROCESSES}"), limit)?);
    let mut lines = said.lines();
    let at = lines.next().and_then(read_now).ok_or_else(no_proc)?;
    let mut all = BTreeMap::new();
    lines.for_each(|line| _ = read_line(line, &mut all));
    let unknown: Vec<u32> = all
        .iter()
        // A process that begins another program, or an app, gets another name.
        .filter(|(pid, process)| {
            known
                .get(pid)
                .is_none_or(|about| about.comm != process.comm)
        })
        .map(|(pid, _)| *pid)
        .collect();
    for (pid, about) in names(shell, &unknown, limit)? {
        if let Some(process) = all.get_mut(&pid) {
            let comm = process.comm.clone();
            process.about = Some(About { comm, ..about });
        }
    }
    let full: Vec<u32> = all
        .iter()
        .filter(|(pid, process)| {
            let about = process.about.as_ref().or_else(|| known.get(pid));
            process.virt_kb.is_some() && about.is_some_and(|about| is_full(about, &options.full))
        })
        .map(|(pid, _)| *pid)
        .collect();
    let maps = options.mmaps && matches!(options.full, FullDump::Named(_));
    for (pid, full) in pages(shell, &full, maps, limit)? {
        if let Some(process) = all.get_mut(&pid) {
            process.full = Some(full);
        }
    }
    Ok(Processes { at, all })
}

fn is_full(about: &About, full: &FullDump) -> bool {
    match full {
        FullDump::None => false,
        FullDump::All => true,
        FullDump::Apps => about.is_app(),
        FullDump::Named(names) => names.contains(&about.name),
    }
}

/// A `/proc` that tells nothing.
fn no_proc() -> CaptureError {
    CaptureError::NoProc
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `now at 12728200448355 nsecs`, or `12728.20 23456.78`.
fn read_now(line: &str) -> Option<Now> {
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

fn read_line(line: &str, all: &mut BTreeMap<u32, Process>) -> Option<()> {
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

/// What processes are called, and what they run.
fn names(shell: &impl ProcShell, pids: &[u32], limit: Duration) -> Result<BTreeMap<u32, About>> {
    /// What no command line begins with.
    const MARK: char = '\u{1}';
    if pids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let list: Vec<String> = pids.iter().map(u32::to_string).collect();
    let list = list.join(" ");
    let line = format!(
        "cd /proc && for p in {list}; do printf '\\001%s\\n' $p; cat $p/cmdline 2>/dev/null; done; \
         printf '\\001\\n'; for p in {list}; do l=\"$l $p/exe\"; done; ls -l $l 2>/dev/null"
    );
    let said = text(shell.look(&line, limit)?);
    let (names, links) = said.split_once("\u{1}\n").unwrap_or((&said, ""));
    let named = names.split(MARK).filter_map(|part| {
        let (pid, command) = part.split_once('\n')?;
        let name = command.split('\0').next()?.trim().to_owned();
        let about = About {
            name,
            ..About::default()
        };
        Some((pid.parse().ok()?, about))
    });
    let mut all: BTreeMap<u32, About> = named.collect();
    for link in links.lines() {
        let exe = link.split_once("/exe -> ").and_then(|(front, exe)| {
            let pid = front.rsplit([' ', '/']).next()?.parse().ok()?;
            Some((pid, exe))
        });
        if let Some((pid, exe)) = exe
            && let Some(about) = all.get_mut(&pid)
        {
            about.exe = exe.to_owned();
        }
    }
    Ok(all)
}

/// The memory of processes page by page; with all regions, or only their sum.
fn pages(
    shell: &impl ProcShell,
    pids: &[u32],
    with_maps: bool,
    limit: Duration,
) -> Result<BTreeMap<u32, Full>> {
    if pids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let list: Vec<String> = pids.iter().map(u32::to_string).collect();
    // Newer kernels have the sum at less cost.
    let file = match with_maps {
        true => "f=smaps",
        false => "test -e $p/smaps_rollup && f=smaps_rollup || f=smaps",
    };
    let line = format!(
        "cd /proc && for p in {}; do echo \"=$p\"; {file}; grep -s -e '^[0-9a-f]*-' -e '^Rss:' \
         -e '^Pss:' -e '^Swap:' -e '^Shared_' -e '^Private_' $p/$f; done",
        list.join(" ")
    );
    let said = text(shell.look(&line, limit)?);
    let mut all: BTreeMap<u32, Full> = BTreeMap::new();
    let mut pid = 0;
    for line in said.lines() {
        if let Some(next) = line.strip_prefix('=') {
            pid = next.parse().unwrap_or(0);
        } else {
            // One that has none, or is gone, has no line.
            read_region(line, with_maps, all.entry(pid).or_default());
        }
    }
    Ok(all)
}

fn read_region(line: &str, with_maps: bool, full: &mut Full) -> Option<()> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A phone whose shell is not root's: its clock is the one that goes on in sleep, and other
    /// users' files are not there.
    #[derive(Clone)]
    struct Phone;

    impl ProcShell for Phone {
        fn look(&self, line: &str, _: Duration) -> Result<Vec<u8>> {
            let said = match line {
                line if line.contains("printf") => {
                    "\u{1}2\n\u{1}788\ncom.example.app\0--x\0\u{1}900\nzygote64\0\u{1}\n\
                     lrwxrwxrwx 1 u0_a1 u0_a1 0 2026-01-01 10:00 788/exe -> /system/bin/app_process64\n\
                     lrwxrwxrwx 1 root root 0 2026-01-01 10:00 /proc/900/exe -> /system/bin/app_process64\n"
                }
                line if line.contains("smaps") => {
                    "=788\n12c00000-52c00000 rw-p 00000000 00:04 7225  /dev/ashmem/dalvik main (deleted)\n\
                     Rss:                8 kB\nPss:                6 kB\nShared_Clean:       1 kB\n\
                     7f0000-7f1000 r-xp 00001000 fd:00 12 \nPss:                4 kB\nSwap:  2 kB\n"
                }
                line if line.contains("stat") => {
                    "1234.56 999.00\n/proc/2/stat:2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 7 0 0 20 0 1 0 3\n\
                     /proc/2/oom_score:0\n\
                     /proc/788/status:VmSize:\t 2629440 kB\n/proc/788/status:VmRSS:\t  249348 kB\n\
                     /proc/788/stat:788 (a) b (c) S 1 788 0 0 -1 4194624 17 0 5 0 83 11 0 0 20 0 1 0 3\n\
                     /proc/788/oom_score:6\n/proc/788/oom_score_adj:-900\n\
                     /proc/900/status:VmSize:\t 9 kB\n\
                     /proc/788/task/793/comm:Signal: Catcher\nnonsense\n/proc/x/stat:1\n/proc/9/stat:9 (\n"
                }
                _ => "1234.56 999.00\nMemTotal:  1848224 kB\nHugePages_Total:  0\nodd\n",
            };
            Ok(said.as_bytes().to_vec())
        }
    }

    const LIMIT: Duration = Duration::from_secs(1);

    #[test]
    fn a_phone_without_root() {
        let machine = machine(&Phone, LIMIT).unwrap();
        let kb = [
            ("MemTotal".to_owned(), 1848224),
            ("HugePages_Total".to_owned(), 0),
        ];
        assert_eq!(machine.kb, kb);
        let at = Now {
            ms: 1_234_560,
            is_monotonic: false,
        };
        assert_eq!(machine.at, at);
        let options = MemoryOptions {
            full: FullDump::Named(vec!["com.example.app".to_owned()]),
            mmaps: true,
            ..MemoryOptions::default()
        };
        let seen = processes(&Phone, &options, &BTreeMap::new(), LIMIT).unwrap();
        let app = &seen.all[&788];
        assert_eq!((app.virt_kb, app.rss_kb), (Some(2_629_440), 249_348));
        assert_eq!((app.oom_score, app.oom_score_adj), (6, -900));
        let counts = [
            app.minor_faults,
            app.major_faults,
            app.user_time,
            app.kernel_time,
        ];
        assert_eq!((counts, app.comm.as_str()), ([17, 5, 83, 11], "a) b (c"));
        assert_eq!(app.threads[&793], "Signal: Catcher");
        let about = app.about.as_ref().unwrap();
        assert!(about.name == "com.example.app" && about.is_app());
        assert!(!seen.all[&900].about.as_ref().unwrap().is_app(), "zygote");
        let full = app.full.as_ref().unwrap();
        assert_eq!((full.sum.pss, full.sum.swap, full.sum.rss), (10, 2, 8));
        let files: Vec<_> = full.maps.iter().map(|map| map.file.as_str()).collect();
        assert_eq!(files, ["/dev/ashmem/dalvik main (deleted)", ""]);
        assert_eq!(full.maps[1].range, "7f0000-7f1000");
        assert_eq!(full.maps[1].flags, "r-xp");
        assert_eq!(
            (full.maps[1].sizes.pss, full.maps[0].sizes.shared_clean),
            (4, 1)
        );
        assert_eq!(seen.all[&2].virt_kb, None, "a thread of the kernel");
        assert!(seen.all[&900].full.is_none());
    }

    #[test]
    fn what_is_written_is_read() {
        use super::super::dump::Dump;
        let mut dump = Dump::default();
        dump.machine(&machine(&Phone, LIMIT).unwrap());
        let options = MemoryOptions {
            full: FullDump::Named(vec!["com.example.app".to_owned()]),
            mmaps: true,
            ..MemoryOptions::default()
        };
        dump.processes(processes(&Phone, &options, &BTreeMap::new(), LIMIT).unwrap());
        assert_eq!(
            dump.known().len(),
            3 + 1,
            "9 has no name, and is known to have none"
        );
        let json = dump.finish(&[("id-1".to_owned(), 1_234_500)]);
        let options = traceloom_formats::ReadOptions::default();
        let trace = traceloom_formats::read_bytes(json.as_bytes(), options).unwrap();
        assert!(
            trace.repairs.rows().is_empty(),
            "{:?}\n{json}",
            trace.repairs
        );
        let names: Vec<_> = trace
            .processes
            .name
            .iter()
            .map(|id| trace.strings.get(id))
            .collect();
        for name in ["com.example.app", "zygote64", "kthreadd"] {
            assert!(names.contains(&name), "{names:?}");
        }
        assert_eq!(trace.instants.len(), 2);
        assert_eq!(
            trace.clocks.len(),
            1,
            "its clock is not said to be CLOCK_MONOTONIC"
        );
    }
}
