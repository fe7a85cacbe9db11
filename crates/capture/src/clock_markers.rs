//! Clock markers, which synchronize the agents' clocks.
//!
//! Each agent writes its own marker into its recording, and the controller records when it
//! asked for each, as systrace did. A reader converts from one agent's clock to the controller's, and
//! from there to another agent's. The delays of the two requests partly cancel out.
//!
//! ```text
//! controller   ask ──a───────────────── ask ──b─────────►
//! atrace              └─ trace_marker: name=a
//! BattOr                                       └─ sample 1234 <b>
//! ```

use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::time::Instant;

/// The time of one marker.
#[derive(Debug)]
struct Marker {
    id: String,
    /// When the agent was asked, and when it had answered, since the recording began.
    issued_ns: u128,
    answered_ns: u128,
}

/// All markers of a recording.
#[derive(Debug)]
pub(crate) struct ClockMarkers {
    origin: Instant,
    markers: Vec<Marker>,
}

impl ClockMarkers {
    pub(crate) fn new() -> Self {
        Self {
            origin: Instant::now(),
            markers: Vec::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.markers.is_empty()
    }

    /// Calls `ask` with the name of a new marker, and records the time if it succeeds.
    pub(crate) fn add<E>(&mut self, ask: impl FnOnce(&str) -> Result<(), E>) -> Result<(), E> {
        let id = unique_id();
        let issued_ns = self.origin.elapsed().as_nanos();
        ask(&id)?;
        self.markers.push(Marker {
            id,
            issued_ns,
            answered_ns: self.origin.elapsed().as_nanos(),
        });
        Ok(())
    }

    /// The markers as Chrome's clock sync events of the issuing side: `ts` is the time of the answer.
    pub(crate) fn to_json(&self) -> String {
        let mut json = String::from("{\"traceEvents\":[");
        for (number, marker) in self.markers.iter().enumerate() {
            let comma = if number > 0 { ",\n" } else { "\n" };
            let (id, issued, answered) = (
                &marker.id,
                micros(marker.issued_ns),
                micros(marker.answered_ns),
            );
            // Writing to a string cannot fail.
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

/// A random version 4 UUID. All readers of clock markers accept its letters, digits and dashes.
pub(crate) fn unique_id() -> String {
    // Each `RandomState` has random keys.
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
    use super::{ClockMarkers, unique_id};

    #[test]
    fn ids_are_unique_uuids() {
        let ids: std::collections::HashSet<_> = (0..1000).map(|_| unique_id()).collect();
        assert_eq!(ids.len(), 1000);
        for id in ids {
            let lengths: Vec<_> = id.split('-').map(str::len).collect();
            assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
        }
    }

    #[test]
    fn answered_markers_are_recorded() {
        let mut markers = ClockMarkers::new();
        assert_eq!(markers.add(|_| Err("no")), Err("no"));
        assert!(markers.is_empty());
        let mut asked = String::new();
        let answer = |id: &str| {
            asked = id.to_owned();
            Ok::<(), ()>(())
        };
        markers.add(answer).unwrap();
        let json = markers.to_json();
        assert!(json.contains(&format!("\"sync_id\":\"{asked}\"")), "{json}");
        let options = traceloom_formats::ReadOptions::default();
        let trace = traceloom_formats::read_bytes(json.as_bytes(), options).unwrap();
        assert_eq!(trace.clocks.len(), 1);
        assert_eq!(trace.clocks[0].name, asked);
        assert!(trace.clocks[0].precision_ns < 1_000_000_000);
        assert!(trace.repairs.rows().is_empty());
    }
}
