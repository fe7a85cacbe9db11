//! Names of kernel functions and threads.

use std::collections::HashSet;
use std::fs;

use crate::Tracefs;

/// The functions in `/proc/kallsyms`. Leaves out data and compiler-generated symbols, which are half of the file. Empty
/// if this user has no permission to see addresses.
pub(super) fn functions() -> String {
    let text = fs::read_to_string("/proc/kallsyms").unwrap_or_default();
    let is_function = |line: &&str| {
        let mut words = line.split_whitespace();
        let (address, kind, name) = (words.next(), words.next(), words.next());
        let is_visible = address.is_some_and(|address| address.bytes().any(|digit| digit != b'0'));
        let is_code = kind.is_some_and(|kind| matches!(kind, "t" | "T" | "w" | "W"));
        is_visible && is_code && name.is_some_and(|name| !name.starts_with("__pfx_"))
    };
    let mut out = String::with_capacity(text.len());
    for line in text.lines().filter(is_function) {
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// The names of threads: those that the kernel saved while recording, and those of other threads that
/// run now.
pub(super) fn threads(root: &dyn Tracefs) -> String {
    saved_and_running(root, "saved_cmdlines", |thread| {
        let name =
            fs::read_to_string(format!("/proc/{}/task/{}/comm", thread.pid, thread.tid)).ok()?;
        Some(name.trim_end_matches('\n').replace('\n', " "))
    })
}

/// The process of each thread, from the same two sources.
pub(super) fn processes(root: &dyn Tracefs) -> String {
    saved_and_running(root, "saved_tgids", |thread| Some(thread.pid.to_string()))
}

struct Thread {
    pid: u32,
    tid: u32,
}

/// The lines of a file (`tid text`), and such lines for other threads that run now.
fn saved_and_running(
    root: &dyn Tracefs,
    file: &str,
    text: impl Fn(&Thread) -> Option<String>,
) -> String {
    let mut out = root.read(file).unwrap_or_default();
    if !out.is_empty() {
        out.push('\n');
    }
    let number = |line: &str| line.trim_start().split(' ').next()?.parse().ok();
    let saved: HashSet<u32> = out.lines().filter_map(number).collect();
    for thread in running().filter(|thread| !saved.contains(&thread.tid)) {
        if let Some(text) = text(&thread) {
            out.push_str(&format!("{} {text}\n", thread.tid));
        }
    }
    out
}

fn running() -> impl Iterator<Item = Thread> {
    let processes = numbers("/proc".to_owned());
    processes
        .flat_map(|pid| numbers(format!("/proc/{pid}/task")).map(move |tid| Thread { pid, tid }))
}

fn numbers(folder: String) -> impl Iterator<Item = u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}
