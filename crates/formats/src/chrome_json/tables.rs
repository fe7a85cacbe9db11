//! Tables next to the list of events: stack frames, samples, and the scheduling of Fuchsia.

use traceloom_trace::TraceBuilder;

use super::frames::Frames;
use super::fuchsia::{Fuchsia, is_fuchsia};
use super::origin::Origin;
use super::samples::{Listed, SampleEvent};
use super::tasks::Tasks;
use crate::profile::Samples;

/// The texts of the tables. They are read last, because they refer to the threads of events.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub frames: Vec<Vec<u8>>,
    samples: Vec<Vec<u8>>,
    fuchsia: Vec<Vec<u8>>,
    pub sample_events: Vec<SampleEvent>,
}

/// Whether a member is such a table.
pub(super) fn is_table(key: &str, text: &[u8]) -> bool {
    match key {
        "stackFrames" => text.starts_with(b"{"),
        "samples" => text.starts_with(b"["),
        _ => is_fuchsia(key, text),
    }
}

impl Tables {
    /// Keeps the text of a table.
    pub fn hold(&mut self, key: &str, text: &[u8]) {
        let tables = match key {
            "stackFrames" => &mut self.frames,
            "samples" => &mut self.samples,
            _ => &mut self.fuchsia,
        };
        tables.push(text.to_vec());
    }

    /// Adds the scheduling, with `shift` added to its times.
    pub fn scheduling(&self, shift: i64, tasks: &mut Tasks, out: &mut TraceBuilder) {
        for table in &self.fuchsia {
            Fuchsia::read(table, shift, tasks, out);
        }
    }

    /// Adds the samples. `shift` is added to the times of their counters, and to those of samples later.
    pub fn samples(
        &self,
        frames: &Frames<'_>,
        (samples, room, shift): (&mut Samples, usize, i64),
        (tasks, origin): (&mut Tasks, &mut Origin),
        out: &mut TraceBuilder,
    ) {
        let mut listed = Listed::new(frames, samples, (room, shift), out);
        for list in &self.samples {
            listed.list(list, (tasks, origin), out);
        }
        for event in &self.sample_events {
            listed.event(event, out);
        }
        listed.finish(out);
    }
}
