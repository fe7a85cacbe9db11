//! V8 CPU profiles in track events.

use traceloom_trace::TraceBuilder;

use super::super::clocks::{ClockId, Converter, MONOTONIC};
use super::super::sequence::State;
use super::super::survey::Survey;
use super::shared::Shared;
use crate::profile::{V8Event, V8Profiles};

/// The CPU profiles of a trace.
pub(super) struct V8<'s> {
    pub profiles: V8Profiles,
    converter: Converter<'s>,
}

impl<'s> V8<'s> {
    pub fn new(survey: &'s Survey<'s>) -> Self {
        Self {
            profiles: V8Profiles::default(),
            converter: survey.clocks.converter(),
        }
    }

    /// Reads a part of a profile, as long as its samples take less than `room` bytes. The start of a profile is on
    /// `CLOCK_MONOTONIC`.
    pub fn event(
        &mut self,
        event: &V8Event<'_>,
        (state, room): (State, usize),
        shared: &mut Shared<'_>,
        out: &mut TraceBuilder,
    ) {
        let clock = ClockId::new(MONOTONIC, state.sequence, state.machine);
        let converter = &mut self.converter;
        let start = |ts| converter.convert(clock, ts);
        let tables = (&mut shared.stacks, &mut shared.samples, room);
        self.profiles.event(event, start, tables, out);
    }
}
