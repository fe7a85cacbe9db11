//! The undo log: how to reverse each change of a setting, in a form that outlives the process.

use std::collections::HashSet;
use std::io;

use crate::{Instance, Properties, Tracefs};

/// The option of an instance that copies marks of programs to it.
pub const COPY_MARKERS: &str = "options/copy_trace_marker";

/// How to reverse a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undo {
    /// Write the old value to a file of tracefs.
    File {
        /// The file.
        file: String,
        /// The old value.
        value: String,
    },
    /// Enable these events (`system:event`) and disable all others.
    Events(Vec<String>),
    /// Replace the lines of a file of function names.
    Lines {
        /// The file, such as `set_ftrace_filter`.
        file: String,
        /// The old lines.
        lines: Vec<String>,
    },
    /// Set a property.
    Property {
        /// The property.
        name: String,
        /// The old value; empty if it was not set.
        value: String,
    },
    /// Remove a trace instance.
    Instance(String),
    /// Disable the event of a probe and remove it.
    Probe {
        /// The file that lists the probes.
        file: String,
        /// The event, as `system/name`.
        event: String,
        /// The file that enables the event.
        switch: String,
    },
}

impl Undo {
    /// Whether two entries change the same setting. Only the older entry is kept then.
    pub fn same_target(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File { file: a, .. }, Self::File { file: b, .. }) => a == b,
            (Self::Events(_), Self::Events(_)) => true,
            (Self::Lines { file: a, .. }, Self::Lines { file: b, .. }) => a == b,
            (Self::Property { name: a, .. }, Self::Property { name: b, .. }) => a == b,
            (Self::Instance(a), Self::Instance(b)) => a == b,
            (Self::Probe { event: a, .. }, Self::Probe { event: b, .. }) => a == b,
            _ => false,
        }
    }

    fn file(&self) -> Option<&str> {
        match self {
            Self::File { file, .. } => Some(file),
            _ => None,
        }
    }

    /// Whether it is a file of this name, of the shared buffer or of an instance.
    pub fn is_file(&self, name: &str) -> bool {
        matches!(self, Self::File { file, .. } if file.ends_with(name))
    }

    /// Whether it sets a property.
    pub fn is_property(&self) -> bool {
        matches!(self, Self::Property { .. })
    }

    /// Encodes the entry as a line of fields separated by tabs, without a line feed.
    pub fn encode(&self) -> String {
        let fields: Vec<&str> = match self {
            Self::File { file, value } => vec!["file", file, value],
            Self::Events(events) => list("events", events),
            Self::Lines { file, lines } => {
                let mut fields = vec!["lines", file];
                fields.extend(lines.iter().map(String::as_str));
                fields
            }
            Self::Property { name, value } => vec!["property", name, value],
            Self::Instance(name) => vec!["instance", name],
            Self::Probe {
                file,
                event,
                switch,
            } => vec!["probe", file, event, switch],
        };
        let fields: Vec<String> = fields.into_iter().map(escape).collect();
        fields.join("\t")
    }

    /// Decodes a line. `None` if it is incomplete, like the last line of a truncated log.
    pub fn decode(line: &str) -> Option<Self> {
        let mut fields = line.split('\t').map(unescape);
        let kind = fields.next()?;
        let mut fields: Vec<String> = fields.collect();
        if kind == "events" {
            return Some(Self::Events(fields));
        }
        let first = (!fields.is_empty()).then(|| fields.remove(0))?;
        match (kind.as_str(), fields) {
            ("lines", lines) => Some(Self::Lines { file: first, lines }),
            ("instance", _) => Some(Self::Instance(first)),
            ("probe", mut rest) if rest.len() == 2 => {
                let switch = rest.pop()?;
                let event = rest.pop()?;
                Some(Self::Probe {
                    file: first,
                    event,
                    switch,
                })
            }
            ("file", mut rest) => rest.pop().map(|value| Self::File { file: first, value }),
            ("property", mut rest) => rest
                .pop()
                .map(|value| Self::Property { name: first, value }),
            _ => None,
        }
    }

    fn apply(&self, tree: &dyn Tracefs, properties: &dyn Properties) -> io::Result<()> {
        match self {
            Self::File { file, value } => tree.write(file, value),
            Self::Events(enabled) => restore_events(enabled, tree),
            Self::Lines { file, lines } => {
                tree.truncate(file)?;
                lines.iter().try_for_each(|line| tree.append(file, line))
            }
            Self::Property { name, value } => properties.set(name, value),
            Self::Instance(name) => tree.remove_folder(&Instance::folder(name)),
            Self::Probe {
                file,
                event,
                switch,
            } => remove_probe(tree, file, event, switch),
        }
    }
}

/// Removes a probe. The kernel refuses that while the event is enabled. A probe that was recorded here,
/// but then not created, needs nothing.
fn remove_probe(tree: &dyn Tracefs, file: &str, event: &str, switch: &str) -> io::Result<()> {
    if !tree.exists(&format!("events/{event}")) {
        return Ok(());
    }
    if tree.exists(switch) {
        tree.write(switch, "0")?;
    }
    tree.append(file, &format!("-:{event}\n"))
}

fn list<'a>(kind: &'a str, items: &'a [String]) -> Vec<&'a str> {
    let items = items.iter().map(String::as_str);
    std::iter::once(kind).chain(items).collect()
}

/// Stops recording and the copying of marks, if `undo` has entries for them. The copying stops first, because a buffer
/// that does not record refuses marks.
///
/// # Errors
/// The first failure. All files are written in any case.
pub fn stop_recording(undo: &[Undo], tree: &dyn Tracefs) -> io::Result<()> {
    let files = [COPY_MARKERS, "tracing_on"].into_iter().flat_map(|name| {
        let entries = undo.iter().filter(move |entry| entry.is_file(name));
        entries.filter_map(Undo::file)
    });
    // Write all files before the first failure is returned.
    let written: Vec<io::Result<()>> = files.map(|file| tree.write(file, "0")).collect();
    written.into_iter().collect()
}

/// Reverses all changes, the last one first. Continues after failures and returns them.
pub fn undo_all(
    undo: &[Undo],
    tree: &dyn Tracefs,
    properties: &dyn Properties,
) -> Vec<(Undo, io::Error)> {
    let mut failures = Vec::new();
    for entry in undo.iter().rev() {
        if let Err(error) = entry.apply(tree, properties) {
            failures.push((entry.clone(), error));
        }
    }
    if undo.iter().any(Undo::is_property) {
        properties.announce();
    }
    failures
}

/// The enabled events, as `system:event`.
pub fn enabled_events(tree: &dyn Tracefs) -> io::Result<Vec<String>> {
    let text = tree.read("set_event")?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// Restores the enabled events. Changes only those that differ, since the kernel patches code and waits
/// for all CPUs for each change.
fn restore_events(wanted: &[String], tree: &dyn Tracefs) -> io::Result<()> {
    let now = enabled_events(tree)?;
    let before: HashSet<&String> = wanted.iter().collect();
    let after: HashSet<&String> = now.iter().collect();
    let off = now
        .iter()
        .filter(|event| !before.contains(event))
        .map(|event| (event, "0"));
    let on = wanted
        .iter()
        .filter(|event| !after.contains(event))
        .map(|event| (event, "1"));
    let mut result = Ok(());
    for (event, value) in off.chain(on) {
        let Some((system, name)) = event.split_once(':') else {
            continue;
        };
        let written = tree.write(&format!("events/{system}/{name}/enable"), value);
        result = result.and(written);
    }
    result
}

fn escape(field: &str) -> String {
    field
        .replace('\\', "\\\\")
        .replace('\t', "\\t")
        .replace('\n', "\\n")
}

fn unescape(field: &str) -> String {
    let mut out = String::with_capacity(field.len());
    let mut letters = field.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => out.push(match letters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some(other) => other,
                None => break,
            }),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_survive_encoding() {
        let entries = [
            Undo::File {
                file: "trace_clock".into(),
                value: "local".into(),
            },
            Undo::Events(vec![
                "sched:sched_switch".into(),
                "irq:irq_handler_entry".into(),
            ]),
            Undo::Events(vec![]),
            Undo::Lines {
                file: "set_ftrace_filter".into(),
                lines: vec!["do_sys_open".into()],
            },
            Undo::Property {
                name: "debug.atrace.app_0".into(),
                value: "a\tb\\n\n*".into(),
            },
            Undo::Property {
                name: "x".into(),
                value: String::new(),
            },
            Undo::Instance("mine".into()),
            Undo::Probe {
                file: "uprobe_events".into(),
                event: "traceloom/malloc".into(),
                switch: "events/traceloom/malloc/enable".into(),
            },
        ];
        for entry in entries {
            let line = entry.encode();
            assert!(!line.contains('\n'));
            assert_eq!(Undo::decode(&line), Some(entry), "{line}");
        }
    }

    #[test]
    fn an_incomplete_line_is_not_an_entry() {
        for line in [
            "",
            "fil",
            "file",
            "file\ttrace_clock",
            "property\tx",
            "instance",
            "probe\tuprobe_events\ttraceloom/x",
        ] {
            assert_eq!(Undo::decode(line), None, "{line}");
        }
    }
}
