//! Packets about the recording itself: the configuration, losses, triggers and events of the recorder.

mod chrome;
mod config;
mod diagnostics;
mod events;
mod facts;
mod losses;
mod sessions;
mod stats;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use traceloom_trace::TraceBuilder;

use super::descriptors::Descriptors;
use super::journal;
use super::metatrace::Metatrace;
use super::survey::Survey;
use sessions::Sessions;
use stats::Stats;

/// The field numbers of the packet contents (`protos/perfetto/trace/trace_packet.proto`).
mod number {
    pub const CHROME_EVENTS: u32 = 5;
    pub const CONFIG: u32 = 33;
    pub const FTRACE_STATS: u32 = 34;
    pub const STATS: u32 = 35;
    pub const TRIGGER: u32 = 46;
    pub const BENCHMARK: u32 = 48;
    pub const METATRACE: u32 = 49;
    pub const CHROME_METADATA: u32 = 51;
    pub const SERVICE_EVENT: u32 = 69;
    pub const UI_STATE: u32 = 78;
    pub const UUID: u32 = 89;
    pub const CHROME_TRIGGER: u32 = 109;
    pub const CLONE_TRIGGER: u32 = 113;
    pub const ATTRIBUTES: u32 = 126;
    pub const INTERRUPTS: u32 = 130;
    pub const JOURNAL: u32 = 132;
    pub const SESSION: u32 = 134;
}

/// Reads the packets of the recorder.
pub(super) struct Service<'s> {
    survey: &'s Survey<'s>,
    descriptors: &'s Descriptors,
    stats: Stats,
    /// The trigger that is stored as `trace_trigger`: the first clone trigger, or the first trigger if there is no
    /// clone trigger.
    trigger: (Trigger, String),
    has_uuid: bool,
    /// The number of `ChromeMetadataPacket`s so far.
    chromes: u8,
    /// The number of `ChromeEventBundle`s with metadata so far.
    bundles: u32,
    config: Option<Vec<u8>>,
    /// Attributes of the trace, set by the user who recorded it.
    attributes: BTreeMap<String, String>,
    sessions: Sessions,
    /// The interrupts that already have a name, by machine and id.
    interrupts: FxHashSet<(i64, u64)>,
    metatrace: Metatrace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Trigger {
    None,
    Plain,
    Clone,
}

impl<'s> Service<'s> {
    pub fn new(survey: &'s Survey<'s>, descriptors: &'s Descriptors) -> Self {
        Self {
            survey,
            descriptors,
            stats: Stats::default(),
            trigger: (Trigger::None, String::new()),
            has_uuid: false,
            chromes: 0,
            bundles: 0,
            config: None,
            attributes: BTreeMap::new(),
            sessions: Sessions::default(),
            interrupts: FxHashSet::default(),
            metatrace: Metatrace::default(),
        }
    }

    /// Reads a packet and returns true, if it is one of the recorder's.
    pub fn packet(
        &mut self,
        ts: i64,
        (number, content): (u32, &[u8]),
        machine: u32,
        out: &mut TraceBuilder,
    ) -> bool {
        let machine = self.survey.machine(machine);
        match number {
            number::CONFIG => self.config(content, out),
            number::FTRACE_STATS => self.stats.ftrace(content, machine),
            number::STATS => {
                self.stats.recorder(content, machine);
                losses::of_buffers(content, self.survey, machine, &mut self.stats);
            }
            number::TRIGGER => self.trigger(ts, content, Trigger::Plain, out),
            number::CLONE_TRIGGER => self.trigger(ts, content, Trigger::Clone, out),
            number::CHROME_EVENTS => self.chrome_bundle(ts, content, out),
            number::CHROME_TRIGGER => {
                facts::chrome_trigger(ts, content, &self.survey.translations, out);
            }
            number::BENCHMARK => facts::benchmark(content, out),
            number::CHROME_METADATA => self.chrome(content, out),
            number::METATRACE => self.metatrace.packet(ts, content, out),
            number::INTERRUPTS => facts::interrupts(content, machine, &mut self.interrupts, out),
            number::JOURNAL => journal::event(ts, content, out),
            number::SERVICE_EVENT => self.event(ts, content, machine, out),
            number::UI_STATE => facts::ui_state(content, out),
            number::UUID => self.uuid(content, out),
            number::ATTRIBUTES => facts::attributes(content, &mut self.attributes),
            number::SESSION => self.sessions.event(ts, content, out),
            _ => return false,
        }
        true
    }

    /// Writes the remaining metadata and rows.
    pub fn finish(mut self, is_first_machine: bool, out: &mut TraceBuilder) {
        if is_first_machine {
            self.make_uuid(out);
            if let Some(from) = self.survey.interest {
                out.metadata("range_of_interest_start_us", &(from / 1_000).to_string());
            }
        }
        self.sessions.finish(out);
        self.metatrace.finish(out);
        for (key, value) in &self.attributes {
            out.metadata(&format!("trace_attribute.{key}"), value);
        }
        if self.trigger.0 != Trigger::None {
            out.metadata("trace_trigger", &self.trigger.1);
        }
        let fingerprint = out.trace().metadata("android_build_fingerprint");
        let is_user_build = fingerprint.is_some_and(|text| text.contains(":user/"));
        if let Some(config) = self.config {
            let version = out.trace().metadata("tracing_service_version");
            self.stats.long_recording(&config, version);
            diagnostics::look(&config, is_user_build, out);
        }
        self.stats.write(out);
    }
}
