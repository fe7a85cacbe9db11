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

use super::read::{About, Full, Machine, Now, Processes, read_line, read_now, read_region};
use super::shell::ProcShell;
use super::{FullDump, MemoryOptions};
use crate::error::{CaptureError, Result};

/// `CLOCK_MONOTONIC` in the first line where root may see it, else the time since the start of the
/// kernel: the two differ by how long it slept.
const NOW: &str = "grep -m1 '^now at' /proc/timer_list 2>/dev/null || cat /proc/uptime";

const PROCESSES: &str = "grep -s -e '^VmSize:' -e '^VmRSS:' -e '^[-0-9]' \
     /proc/[0-9]*/status /proc/[0-9]*/stat /proc/[0-9]*/oom_score /proc/[0-9]*/oom_score_adj; \
     grep -s '' /proc/[0-9]*/task/[0-9]*/comm /dev/null";

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
    let file = if with_maps {
        "f=smaps"
    } else {
        "test -e $p/smaps_rollup && f=smaps_rollup || f=smaps"
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
