//! What a recording waits for.

use std::collections::HashMap;

use traceloom_formats::FtraceLine;

/// Deeper nesting than any program's: marks whose ends are lost must not fill the memory.
const DEEPEST: usize = 1 << 12;

/// What ends a recording: a slice that took too long, or an event.
#[derive(Clone, Debug)]
pub struct Trigger {
    what: What,
    /// The slices that are open on each thread: when those began that are waited for.
    open: HashMap<i32, Vec<Option<i64>>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum What {
    Slice { name: Name, longer_than_ns: i64 },
    Event { name: Name },
}

/// A name, or with `*` at its end the beginning of names.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Name {
    text: Vec<u8>,
    is_prefix: bool,
}

impl Name {
    fn new(text: &str) -> Self {
        let prefix = text.strip_suffix('*');
        Self {
            text: prefix.unwrap_or(text).into(),
            is_prefix: prefix.is_some(),
        }
    }

    fn is(&self, name: &[u8]) -> bool {
        if self.is_prefix {
            name.starts_with(&self.text)
        } else {
            name == self.text
        }
    }
}

impl Trigger {
    /// A slice of a name that lasts longer than so many nanoseconds. A `*` at the end of the name
    /// stands for any letters.
    pub fn slice(name: &str, longer_than_ns: i64) -> Self {
        Self::new(What::Slice {
            name: Name::new(name),
            longer_than_ns,
        })
    }

    /// A kernel event of a name.
    pub fn event(name: &str) -> Self {
        Self::new(What::Event {
            name: Name::new(name),
        })
    }

    fn new(what: What) -> Self {
        Self {
            what,
            open: HashMap::new(),
        }
    }

    /// Looks at the next line; tells what it was waiting for when it is there.
    pub fn see(&mut self, line: &FtraceLine<'_>) -> Option<String> {
        match &self.what {
            What::Event { name } => name
                .is(line.event)
                .then(|| String::from_utf8_lossy(line.event).into_owned()),
            What::Slice { .. } if is_mark(line.event) => self.mark(line),
            What::Slice { .. } => None,
        }
    }

    fn mark(&mut self, line: &FtraceLine<'_>) -> Option<String> {
        let What::Slice {
            name,
            longer_than_ns,
        } = &self.what
        else {
            return None;
        };
        let open = self.open.entry(line.tid).or_default();
        match line.payload.first()? {
            b'B' => {
                let begun = line.payload.splitn(3, |&byte| byte == b'|').nth(2)?;
                if open.len() < DEEPEST {
                    open.push(name.is(begun).then_some(line.ts_ns));
                }
                None
            }
            b'E' => {
                let lasted = line.ts_ns - open.pop()??;
                (lasted > *longer_than_ns).then(|| {
                    let name = String::from_utf8_lossy(&name.text).into_owned();
                    format!("{name} took {} ms", lasted as f64 / 1e6)
                })
            }
            _ => None,
        }
    }
}

/// What kernels called a program's mark.
fn is_mark(event: &[u8]) -> bool {
    matches!(event, b"tracing_mark_write" | b"print" | b"0" | b"systrace")
}

#[cfg(test)]
mod tests {
    use traceloom_formats::FtraceLine;

    use super::Trigger;

    /// The number of the line that it was waiting for, and what it tells.
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
                trigger.see(&line).map(|told| (number, told))
            })
    }

    #[test]
    fn a_slice_is_measured_on_its_own_thread_with_what_is_inside() {
        let lines = [
            (1, 0, "B|1|frame"),
            (2, 1, "B|1|frame"),
            (1, 2, "B|1|draw"),
            (1, 9, "E|1"),
            (2, 12, "E|1"),
            (1, 40, "E|1"),
            (1, 41, "E|1"),
        ];
        let told = Some((5, "frame took 40 ms".to_owned()));
        assert_eq!(fires(Trigger::slice("frame", 32_000_000), &lines), told);
        assert_eq!(fires(Trigger::slice("frame", 40_000_000), &lines), None);
        assert_eq!(
            fires(Trigger::slice("dr*", 6_000_000), &lines).map(|(at, _)| at),
            Some(3)
        );
        assert_eq!(fires(Trigger::slice("fra", 0), &lines), None);
    }

    #[test]
    fn an_event_of_a_name() {
        let lines = [(1, 0, "B|1|oom_kill"), (7, 3, "pid 3")];
        assert_eq!(
            fires(Trigger::event("oom_*"), &lines),
            Some((1, "oom_kill".to_owned()))
        );
    }
}
