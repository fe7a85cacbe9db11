//! Replaces the names of programs in a recording by `other`, except those of the workload and the kernel. The repository
//! should not show which other programs ran on the machine. Nothing else changes.

use std::collections::HashSet;
use std::fs;

use anyhow::Result;

use super::workload;

const OTHER: &str = "other";

/// The pids and names of the kernel's threads.
fn kernel_tasks() -> Result<Vec<(i32, String)>> {
    const KTHREADD: &str = "2";
    let mut tasks = Vec::new();
    for entry in fs::read_dir("/proc")?.flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse() else {
            continue;
        };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let Some((before, after)) = stat.rsplit_once(") ") else {
            continue; // it has ended
        };
        let parent = after.split(' ').nth(1);
        let name = before.split_once('(').map_or("", |(_, name)| name);
        if parent == Some(KTHREADD) || pid == 2 {
            tasks.push((pid, name.to_owned()));
        }
    }
    Ok(tasks)
}

/// The recording with foreign names replaced.
pub fn redact(text: &str) -> Result<String> {
    // Names in the trace are cut to 15 characters; names in /proc may be longer.
    let cut = |name: String| name.chars().take(15).collect();
    let kernel = kernel_tasks()?.into_iter();
    let mut known: HashSet<String> = kernel.map(|(_, name)| cut(name)).collect();
    known.extend(["<idle>", "<...>", "xtask", workload::MAIN].map(str::to_owned));
    known.extend(workload::OTHERS.iter().map(|&name| name.to_owned()));
    let known = |name: &str| {
        name.starts_with("swapper") || name.starts_with("kworker/") || known.contains(name)
    };
    Ok(text
        .lines()
        .map(|line| redact_line(line, &known) + "\n")
        .collect())
}

fn redact_line(line: &str, known: &dyn Fn(&str) -> bool) -> String {
    if line.starts_with('#') {
        return line.to_owned();
    }
    let line = redact_task(line, known);
    let line = redact_program(&redact_fields(&line, known));
    redact_bracket(&line, known)
}

/// Replaces the task at the start of a line, right-justified in 16 columns.
fn redact_task(line: &str, known: &dyn Fn(&str) -> bool) -> String {
    let Some(end) = line
        .find(" (")
        .and_then(|tgid| line[..tgid].trim_end().rfind('-'))
    else {
        return line.to_owned();
    };
    if known(line[..end].trim_start()) {
        line.to_owned()
    } else {
        format!("{OTHER:>16}{}", &line[end..])
    }
}

/// Replaces names in `comm=` and fields that end with it, such as `prev_comm=`. A name may contain spaces; it ends before
/// the name of the next field.
fn redact_fields(line: &str, known: &dyn Fn(&str) -> bool) -> String {
    const FIELD: &str = "comm=";
    let mut parts = line.split(FIELD);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let next = part.find('=').unwrap_or(part.len());
        let end = part[..next].rfind(' ').unwrap_or(part.len());
        let name = if known(&part[..end]) {
            &part[..end]
        } else {
            OTHER
        };
        out += FIELD;
        out += name;
        out += &part[end..];
    }
    out
}

/// Replaces the paths of started programs (`filename=PATH pid=N`), except the workload's.
fn redact_program(line: &str) -> String {
    const FIELD: &str = "filename=";
    let program = |(before, rest): (&str, &str)| {
        let (path, after) = rest.rsplit_once(" pid=")?;
        (!path.ends_with("/true")).then(|| format!("{before}{FIELD}{OTHER} pid={after}"))
    };
    let redacted = line.split_once(FIELD).and_then(program);
    redacted.unwrap_or_else(|| line.to_owned())
}

/// Replaces the task at the end of block events, in brackets.
fn redact_bracket(line: &str, known: &dyn Fn(&str) -> bool) -> String {
    match line
        .strip_suffix(']')
        .and_then(|line| line.rsplit_once('['))
    {
        Some((before, name))
            if line.contains(": block_") && !known(name) && name.parse::<i32>().is_err() =>
        {
            format!("{before}[{OTHER}]")
        }
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::redact_line;

    #[test]
    fn only_foreign_names_are_replaced() {
        let known = |name: &str| name == "mine" || name == "<idle>";
        let check = |line: &str, expected: &str| assert_eq!(redact_line(line, &known), expected);
        check(
            "     secret app-12      (     12) [000] d..2.     1.000001: sched_switch: prev_comm=secret app prev_pid=12 prev_prio=120 prev_state=S ==> next_comm=mine next_pid=1 next_prio=120",
            "           other-12      (     12) [000] d..2.     1.000001: sched_switch: prev_comm=other prev_pid=12 prev_prio=120 prev_state=S ==> next_comm=mine next_pid=1 next_prio=120",
        );
        let ours = "            mine-1       (      1) [000] .....     1.000001: tracing_mark_write: B|1|x=[y]";
        check(ours, ours);
        check(
            "            mine-1       (      1) [000] .....     1.000001: sched_process_exec: filename=/a b/c pid=1 old_pid=1",
            "            mine-1       (      1) [000] .....     1.000001: sched_process_exec: filename=other pid=1 old_pid=1",
        );
        check(
            "          <idle>-0       (-------) [000] d.h..     1.000002: block_rq_issue: 254,0 WS 4096 () 8 + 8 none,0,0 [secret]",
            "          <idle>-0       (-------) [000] d.h..     1.000002: block_rq_issue: 254,0 WS 4096 () 8 + 8 none,0,0 [other]",
        );
    }
}
