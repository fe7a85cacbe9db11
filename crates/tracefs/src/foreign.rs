//! Settings of other programs that leave events out of a recording.

use crate::{Category, Tracefs};

/// Files that list threads: those whose events alone are recorded, and those whose events are left
/// out.
const THREADS: [&str; 2] = ["set_event_pid", "set_event_notrace_pid"];

/// The settings that limit the events of `categories`: lines with the file and its value.
pub fn foreign_limits(tree: &dyn Tracefs, categories: &[Category]) -> Vec<String> {
    let threads = THREADS.iter().filter_map(|file| {
        let text = tree.read(file).ok()?;
        let pids: Vec<&str> = text.lines().filter(|line| is_number(line)).collect();
        (!pids.is_empty()).then(|| format!("{file} is {}", pids.join(" ")))
    });
    let mut limits: Vec<String> = threads.collect();
    for file in categories
        .iter()
        .flat_map(|category| filters(tree, category))
    {
        let filter = tree.read(&file).unwrap_or_default();
        if !filter.is_empty() && filter != "none" {
            limits.push(format!("{file} is {filter}"));
        }
    }
    limits.sort();
    limits.dedup();
    limits
}

fn is_number(line: &str) -> bool {
    !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
}

/// The filter files of the events of a category.
fn filters(tree: &dyn Tracefs, category: &Category) -> Vec<String> {
    let events = category.events.iter().flat_map(|event| {
        if event.path.contains('/') {
            return vec![event.path.clone()];
        }
        let names = tree.list(&format!("events/{}", event.path));
        let paths = names.iter().map(|name| format!("{}/{name}", event.path));
        paths.collect()
    });
    events.map(|path| format!("events/{path}/filter")).collect()
}
