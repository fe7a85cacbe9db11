//! Triggers that end a recording.

use std::collections::HashMap;

use traceloom_formats::FtraceLine;

/// More nesting than any program has. Limits the memory that slices without an end can take.
const MAX_DEPTH: usize = 1 << 12;

/// Ends a recording when a slice takes too long, or at an event.
#[derive(Clone, Debug)]
pub struct Trigger {
    condition: Condition,
    /// The open slices of each thread: start times of those with the right name.
    open: HashMap<i32, Vec<Option<i64>>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Condition {
    Slice {
        name: NamePattern,
        longer_than_ns: i64,
    },
    Event {
        name: NamePattern,
    },
}

/// A name, or with `*` at its end a prefix.
#[derive(Clone, PartialEq, Eq, Debug)]
struct NamePattern {
    text: Vec<u8>,
    is_prefix: bool,
}

impl NamePattern {
    fn new(text: &str) -> Self {
        let prefix = text.strip_suffix('*');
        Self {
            text: prefix.unwrap_or(text).into(),
            is_prefix: prefix.is_some(),
        }
    }

    fn matches(&self, name: &[u8]) -> bool {
        if self.is_prefix {
            name.starts_with(&self.text)
        } else {
            name == self.text
        }
    }
}

impl Trigger {
    /// Fires when a slice takes longer than `longer_than_ns`. A `*` at the end of `name` matches any
    /// suffix.
    pub fn slice(name: &str, longer_than_ns: i64) -> Self {
        Self::new(Condition::Slice {
            name: NamePattern::new(name),
            longer_than_ns,
        })
    }

    /// Fires at a kernel event. A `*` at the end of `name` matches any suffix.
    pub fn event(name: &str) -> Self {
        Self::new(Condition::Event {
            name: NamePattern::new(name),
        })
    }

    fn new(condition: Condition) -> Self {
        Self {
            condition,
            open: HashMap::new(),
        }
    }

    /// Whether [`check`](Self::check) has to see this event.
    #[cfg_attr(
        not(any(target_os = "linux", target_os = "android")),
        allow(dead_code, reason = "only recordings of this machine use it")
    )]
    pub(super) fn wants(&self, line: &FtraceLine<'_>) -> bool {
        match &self.condition {
            Condition::Event { name } => name.matches(line.event),
            Condition::Slice { .. } => is_mark(line.event),
        }
    }

    /// Takes the next line. Returns a description if the trigger fires.
    pub fn check(&mut self, line: &FtraceLine<'_>) -> Option<String> {
        match &self.condition {
            Condition::Event { name } => name
                .matches(line.event)
                .then(|| String::from_utf8_lossy(line.event).into_owned()),
            Condition::Slice { .. } if is_mark(line.event) => self.check_mark(line),
            Condition::Slice { .. } => None,
        }
    }

    fn check_mark(&mut self, line: &FtraceLine<'_>) -> Option<String> {
        let Condition::Slice {
            name,
            longer_than_ns,
        } = &self.condition
        else {
            return None;
        };
        let open = self.open.entry(line.tid).or_default();
        match line.payload.first()? {
            b'B' => {
                let begun = line.payload.splitn(3, |&byte| byte == b'|').nth(2)?;
                if open.len() < MAX_DEPTH {
                    open.push(name.matches(begun).then_some(line.ts_ns));
                }
                None
            }
            b'E' => {
                let duration = line.ts_ns - open.pop()??;
                (duration > *longer_than_ns).then(|| {
                    let name = String::from_utf8_lossy(&name.text).into_owned();
                    format!("{name} took {} ms", duration as f64 / 1e6)
                })
            }
            _ => None,
        }
    }
}

/// Whether the event is a mark of a program. Kernels have had several names for it.
fn is_mark(event: &[u8]) -> bool {
    matches!(event, b"tracing_mark_write" | b"print" | b"0" | b"systrace")
}

#[cfg(test)]
mod tests {
    use traceloom_formats::FtraceLine;

    use super::Trigger;

    /// The index of the line at which the trigger fires, and its description.
    fn fires(mut trigger: Trigger, lines: &[(i32, i64, &str)]) -> Option<(usize, String)> {
        lines
            .iter()
            .enumerate()
            .find_map(|(number, &(tid, ms, payload))| {
                let line = FtraceLine {
                    tid,
                    ts_ns: ms * 1_000_000,
                    event: if payload.contains('|') {
                        b"tracing_mark_write"
                    } else {
                        b"oom_kill"
                    },
                    payload: payload.as_bytes(),
                };
                trigger.check(&line).map(|text| (number, text))
            })
    }

    #[test]
    fn a_slice_is_measured_per_thread_with_its_children() {
        let lines = [
            (1, 0, "B|1|frame"),
            (2, 1, "B|1|frame"),
            (1, 2, "B|1|draw"),
            (1, 9, "E|1"),
            (2, 12, "E|1"),
            (1, 40, "E|1"),
            (1, 41, "E|1"),
        ];
        let expected = Some((5, "frame took 40 ms".to_owned()));
        assert_eq!(fires(Trigger::slice("frame", 32_000_000), &lines), expected);
        assert_eq!(fires(Trigger::slice("frame", 40_000_000), &lines), None);
        assert_eq!(
            fires(Trigger::slice("dr*", 6_000_000), &lines).map(|(at, _)| at),
            Some(3)
        );
        assert_eq!(fires(Trigger::slice("fra", 0), &lines), None);
    }

    #[test]
    fn an_event_matches_by_name() {
        let lines = [(1, 0, "B|1|oom_kill"), (7, 3, "pid 3")];
        assert_eq!(
            fires(Trigger::event("oom_*"), &lines),
            Some((1, "oom_kill".to_owned()))
        );
    }
}
