//! Clock markers: what ties the agents' clocks together.
//!
//! Each agent that can notes a marker of its own in what it records, and the controller notes when
//! it asked for each, as systrace's did. Whoever reads all of it goes from one agent's clock to the
//! controller's, and from there to the other's; what both waited for the device cancels out.
//!
//! ```text
//! controller   asks ──a──────────────── asks ──b────────►
//! atrace              └─ trace_marker: name=a
//! BattOr                                       └─ sample 1234 <b>
//! ```

use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::time::Instant;

/// When an agent was asked for a marker.
#[derive(Debug)]
struct Mark {
    id: String,
    /// When it was asked, and when it had answered, since the recording began.
    issued_ns: u128,
    answered_ns: u128,
}

/// All markers of a recording.
#[derive(Debug)]
pub(crate) struct Marks {
    origin: Instant,
    marks: Vec<Mark>,
}

impl Marks {
    pub(crate) fn new() -> Self {
        Self {
            origin: Instant::now(),
            marks: Vec::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Has `ask` note a marker; it counts where that succeeds.
    pub(crate) fn note<E>(&mut self, ask: impl FnOnce(&str) -> Result<(), E>) -> Result<(), E> {
        let id = unique_id();
        let issued_ns = self.origin.elapsed().as_nanos();
        ask(&id)?;
        self.marks.push(Mark {
            id,
            issued_ns,
            answered_ns: self.origin.elapsed().as_nanos(),
        });
        Ok(())
    }

    /// Chrome's clock sync events, as the side that issues them writes them: `ts` is when the
    /// answer was there. The clock is said to be no device's.
    pub(crate) fn to_json(&self) -> String {
        let mut json = String::from("{\"traceEvents\":[");
        for (number, mark) in self.marks.iter().enumerate() {
            let comma = if number > 0 { ",\n" } else { "\n" };
            let (id, issued, answered) =
                (&mark.id, micros(mark.issued_ns), micros(mark.answered_ns));
            // Writing to a string does not fail.
            _ = write!(
                json,
                "{comma}{{\"ph\":\"c\",\"cat\":\"__metadata\",\"name\":\"clock_sync\",\"pid\":0,\"tid\":0,\
                 \"ts\":{answered},\"args\":{{\"sync_id\":\"{id}\",\"issue_ts\":{issued}}}}}"
            );
        }
        json + "\n],\"metadata\":{\"clock-domain\":\"SYSTRACE\"}}\n"
    }
}

fn micros(ns: u128) -> String {
    format!("{}.{:03}", ns / 1000, ns % 1000)
}

/// A random UUID, version 4: letters, digits and dashes, which every reader of markers takes.
fn unique_id() -> String {
    // Each state is keyed anew from the system's randomness.
    let random = || RandomState::new().hash_one(0);
    let (high, low) = (random(), random());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        0x8000 | (low >> 48) & 0x3fff,
        low & 0xffff_ffff_ffff
    )
}

#[cfg(test)]
mod tests {
    use super::{Marks, unique_id};

    #[test]
    fn ids_are_unique_and_of_the_usual_form() {
        let ids: std::collections::HashSet<_> = (0..1000).map(|_| unique_id()).collect();
        assert_eq!(ids.len(), 1000);
        for id in ids {
            let lengths: Vec<_> = id.split('-').map(str::len).collect();
            assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
        }
    }

    #[test]
    fn what_was_answered_is_noted() {
        let mut marks = Marks::new();
        assert_eq!(marks.note(|_| Err("no")), Err("no"));
        assert!(marks.is_empty());
        let mut asked = String::new();
        let answer = |id: &str| {
            asked = id.to_owned();
            Ok::<(), ()>(())
        };
        marks.note(answer).unwrap();
        let json = marks.to_json();
        assert!(json.contains(&format!("\"sync_id\":\"{asked}\"")), "{json}");
        let options = traceloom_formats::ReadOptions::default();
        let trace = traceloom_formats::read_bytes(json.as_bytes(), options).unwrap();
        assert_eq!(trace.clocks.len(), 1);
        assert_eq!(trace.clocks[0].name, asked);
        assert!(trace.clocks[0].precision_ns < 1_000_000_000);
        assert!(trace.repairs.rows().is_empty());
    }
}
