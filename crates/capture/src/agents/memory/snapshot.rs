//! Takes snapshots of `/proc` through a shell.
//!
//! A single `grep` reads the files of all processes and prints the path before each line:
//!
//! ```text
//! /proc/788/status:VmRSS:    249348 kB
//! /proc/788/oom_score_adj:-900
//! /proc/788/task/793/comm:Signal Catcher
//! ```

use std::collections::BTreeMap;
use std::time::Duration;

use super::options::{FullDump, MemoryOptions};
use super::parse::{
    FullSizes, Identity, Machine, Now, Processes, read_line, read_now, read_region,
};
use super::shell::ProcShell;
use crate::error::{CaptureError, Result};

/// Prints `CLOCK_MONOTONIC` if root, otherwise the time since boot, which includes suspended time.
const NOW: &str = "grep -m1 '^now at' /proc/timer_list 2>/dev/null || cat /proc/uptime";

const PROCESSES: &str = "grep -s -e '^VmSize:' -e '^VmRSS:' -e '^[-0-9]' \
     /proc/[0-9]*/status /proc/[0-9]*/stat /proc/[0-9]*/oom_score /proc/[0-9]*/oom_score_adj; \
     grep -s '' /proc/[0-9]*/task/[0-9]*/comm /dev/null";

/// The current time.
pub(super) fn now(shell: &impl ProcShell, limit: Duration) -> Result<Now> {
    let output = text(shell.output(NOW, limit)?);
    output
        .lines()
        .next()
        .and_then(read_now)
        .ok_or(CaptureError::NoProc)
}

/// A snapshot of the machine's memory.
pub(super) fn machine(shell: &impl ProcShell, limit: Duration) -> Result<Machine> {
    let output = text(shell.output(&format!("{NOW}; cat /proc/meminfo"), limit)?);
    let mut lines = output.lines();
    let at = lines
        .next()
        .and_then(read_now)
        .ok_or(CaptureError::NoProc)?;
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

/// A snapshot of all processes. The identity is included only if it is not in `known` or has changed.
pub(super) fn processes(
    shell: &impl ProcShell,
    options: &MemoryOptions,
    known: &BTreeMap<u32, Identity>,
    limit: Duration,
) -> Result<Processes> {
    let output = text(shell.output(&format!("{NOW}; {PROCESSES}"), limit)?);
    let mut lines = output.lines();
    let at = lines
        .next()
        .and_then(read_now)
        .ok_or(CaptureError::NoProc)?;
    let mut all = BTreeMap::new();
    lines.for_each(|line| _ = read_line(line, &mut all));
    let unknown: Vec<u32> = all
        .iter()
        // The name changes when a process executes another program or becomes an app.
        .filter(|(pid, process)| {
            known
                .get(pid)
                .is_none_or(|identity| identity.comm != process.comm)
        })
        .map(|(pid, _)| *pid)
        .collect();
    for (pid, identity) in identities(shell, &unknown, limit)? {
        if let Some(process) = all.get_mut(&pid) {
            let comm = process.comm.clone();
            process.identity = Some(Identity { comm, ..identity });
        }
    }
    let full: Vec<u32> = all
        .iter()
        .filter(|(pid, process)| {
            let identity = process.identity.as_ref().or_else(|| known.get(pid));
            let is_full = identity.is_some_and(|identity| is_full(identity, &options.full));
            process.virt_kb.is_some() && is_full
        })
        .map(|(pid, _)| *pid)
        .collect();
    let maps = options.mmaps && matches!(options.full, FullDump::Named(_));
    for (pid, full) in full_sizes(shell, &full, maps, limit)? {
        if let Some(process) = all.get_mut(&pid) {
            process.full = Some(full);
        }
    }
    Ok(Processes { at, all })
}

fn is_full(identity: &Identity, full: &FullDump) -> bool {
    match full {
        FullDump::None => false,
        FullDump::All => true,
        FullDump::Apps => identity.is_app(),
        FullDump::Named(names) => names.contains(&identity.name),
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The names and programs of processes.
fn identities(
    shell: &impl ProcShell,
    pids: &[u32],
    limit: Duration,
) -> Result<BTreeMap<u32, Identity>> {
    /// A character that no command line begins with.
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
    let output = text(shell.output(&line, limit)?);
    let (names, links) = output.split_once("\u{1}\n").unwrap_or((&output, ""));
    let named = names.split(MARK).filter_map(|part| {
        let (pid, command) = part.split_once('\n')?;
        let name = command.split('\0').next()?.trim().to_owned();
        let identity = Identity {
            name,
            ..Identity::default()
        };
        Some((pid.parse().ok()?, identity))
    });
    let mut all: BTreeMap<u32, Identity> = named.collect();
    for link in links.lines() {
        let exe = link.split_once("/exe -> ").and_then(|(front, exe)| {
            let pid = front.rsplit([' ', '/']).next()?.parse().ok()?;
            Some((pid, exe))
        });
        if let Some((pid, exe)) = exe
            && let Some(identity) = all.get_mut(&pid)
        {
            identity.exe = exe.to_owned();
        }
    }
    Ok(all)
}

/// The full memory sizes of processes, as sums or also by region.
fn full_sizes(
    shell: &impl ProcShell,
    pids: &[u32],
    with_maps: bool,
    limit: Duration,
) -> Result<BTreeMap<u32, FullSizes>> {
    if pids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let list: Vec<String> = pids.iter().map(u32::to_string).collect();
    // smaps_rollup, which newer kernels have, is less expensive.
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
    let output = text(shell.output(&line, limit)?);
    let mut all: BTreeMap<u32, FullSizes> = BTreeMap::new();
    let mut pid = 0;
    for line in output.lines() {
        if let Some(next) = line.strip_prefix('=') {
            pid = next.parse().unwrap_or(0);
        } else {
            // A process that is gone, or has no memory of its own, has no lines.
            read_region(line, with_maps, all.entry(pid).or_default());
        }
    }
    Ok(all)
}
