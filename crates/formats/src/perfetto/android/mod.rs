//! Packets of Android itself: its log, lists of packages, users and flags, and the data of Winscope (layers, windows,
//! views, transitions, input).
//!
//! Most packets become [records](TraceBuilder::record), that is, rows of tables that are only used by SQL. Large
//! messages become arguments of their row, according to their descriptor ([`messages`]).

mod atoms;
mod flags;
mod input;
mod layers;
mod lists;
mod log;
mod messages;
mod protolog;
mod rects;
mod sparse;
mod statsd;
mod surface;
mod transactions;
mod transition_rows;
mod transitions;
mod views;
mod wakelocks;
mod windows;

#[cfg(test)]
mod tests;

use traceloom_trace::{ArgValue, Place, RepairKind, TraceBuilder};

use super::clocks::Converter;
use super::descriptors::Descriptors;
use super::kernel::Kernel;
use super::sequence::State;
use super::survey::Survey;
use super::wire::{Field, Fields};
use messages::Messages;

/// The field numbers of the packet contents.
mod number {
    pub const LOG: u32 = 39;
    pub const PACKAGES: u32 = 47;
    pub const GAMES: u32 = 83;
    pub const STATSD: u32 = 84;
    pub const LAYERS: u32 = 93;
    pub const TRANSACTIONS: u32 = 94;
    pub const TRANSITION: u32 = 96;
    pub const TRANSITION_HANDLERS: u32 = 97;
    pub const PROTOLOG: u32 = 104;
    pub const PROTOLOG_CONFIG: u32 = 105;
    pub const WINSCOPE: u32 = 112;
    pub const BLUETOOTH: u32 = 114;
    pub const WAKELOCKS: u32 = 115;
    pub const APP_WAKELOCKS: u32 = 116;
    pub const CPU_PER_UID: u32 = 119;
    pub const USERS: u32 = 123;
    pub const FLAGS: u32 = 127;

    /// The field numbers in a [`WINSCOPE`] packet.
    pub mod winscope {
        pub const INPUT_METHOD_CLIENTS: u32 = 1;
        pub const INPUT_METHOD_SERVICE: u32 = 2;
        pub const INPUT_METHOD_MANAGER: u32 = 3;
        pub const VIEWS: u32 = 4;
        pub const INPUT: u32 = 5;
        pub const WINDOWS: u32 = 6;
    }
}

/// Reads the packets of Android.
pub(super) struct Android<'s> {
    survey: &'s Survey<'s>,
    converter: Converter<'s>,
    messages: Messages<'s>,
    log: log::Log<'s>,
    lists: lists::Lists,
    cpu_per_uid: sparse::CpuPerUid,
    wakelocks: sparse::Wakelocks<'s>,
    app_wakelocks: wakelocks::AppWakelocks<'s>,
    rects: rects::Rects,
    flags: flags::Flags,
    transitions: transition_rows::Transitions,
    protolog: protolog::Protolog<'s>,
    statsd: statsd::Statsd,
}

impl<'s> Android<'s> {
    pub fn new(survey: &'s Survey<'s>, descriptors: &'s Descriptors) -> Self {
        let source_bytes = survey.source.bytes();
        Self {
            survey,
            converter: survey.clocks.converter(),
            messages: Messages::new(descriptors, source_bytes),
            log: log::Log::new(survey),
            lists: lists::Lists::default(),
            cpu_per_uid: sparse::CpuPerUid::default(),
            wakelocks: sparse::Wakelocks::default(),
            app_wakelocks: wakelocks::AppWakelocks::default(),
            rects: rects::Rects::default(),
            flags: flags::Flags::default(),
            transitions: transition_rows::Transitions::default(),
            protolog: protolog::Protolog::default(),
            statsd: statsd::Statsd::default(),
        }
    }

    /// Reads a packet and returns true, if it is one of Android's.
    pub fn packet(
        &mut self,
        ts: i64,
        (number, content): (u32, &'s [u8]),
        state: State,
        kernel: &mut Kernel<'_>,
        out: &mut TraceBuilder,
    ) -> bool {
        let fields = Fields::new(content);
        let machine = self.survey.machine(state.machine);
        match number {
            number::LOG => self.log.packet(content, state.machine, kernel, out),
            number::PACKAGES => self.lists.packages(content, machine, out),
            number::USERS => self.lists.users(content, machine, out),
            number::FLAGS => self.lists.flags(ts, content, out),
            number::GAMES => self.lists.games(content, machine, out),
            number::STATSD => {
                let names = self.messages.descriptors;
                self.statsd.packet(ts, fields, names, out);
            }
            number::CPU_PER_UID => {
                self.cpu_per_uid.packet(ts, fields, state.generation, out);
            }
            number::WAKELOCKS => {
                self.wakelocks.packet(ts, fields, state.generation, out);
            }
            number::APP_WAKELOCKS => {
                self.app_wakelocks.packet(ts, fields, state, self.survey);
            }
            number::BLUETOOTH => wakelocks::bluetooth(ts, content, out),
            number::LAYERS => self.layers(ts, content, state, out),
            number::TRANSACTIONS => self.transactions(ts, content, out),
            number::TRANSITION => self.transition(content, out),
            number::TRANSITION_HANDLERS => self.transition_handlers(content, out),
            number::PROTOLOG => self.protolog.message(ts, content, state),
            number::PROTOLOG_CONFIG => self.protolog.config(content),
            number::WINSCOPE => {
                for field in fields {
                    self.winscope(ts, field, state, out);
                }
            }
            _ => return false,
        }
        true
    }

    /// Reads a field of a `WinscopeExtensions`.
    fn winscope(&mut self, ts: i64, field: Field<'s>, state: State, out: &mut TraceBuilder) {
        use number::winscope;
        let content = field.bytes();
        let (table, kind) = match field.number {
            winscope::INPUT_METHOD_CLIENTS => (
                "__intrinsic_inputmethod_clients",
                "InputMethodClientsTraceProto",
            ),
            winscope::INPUT_METHOD_SERVICE => (
                "__intrinsic_inputmethod_service",
                "InputMethodServiceTraceProto",
            ),
            winscope::INPUT_METHOD_MANAGER => (
                "__intrinsic_inputmethod_manager_service",
                "InputMethodManagerServiceTraceProto",
            ),
            winscope::VIEWS => return self.views(ts, content, state, out),
            winscope::INPUT => return self.input(ts, content, state.machine, out),
            winscope::WINDOWS => return self.windows(ts, content, out),
            _ => return,
        };
        let cells = self.cells(kind, content, out);
        out.record(ts, table, &cells);
    }

    /// The cells that all rows for messages have: the arguments, and the whole message.
    fn cells(
        &mut self,
        kind: &'static str,
        content: &[u8],
        out: &mut TraceBuilder,
    ) -> [(&'static str, ArgValue); 2] {
        let args = self.messages.args(kind, content, |_| true, out);
        let args = out.args(args);
        let message = self.messages.keep(content, out);
        [("arg_set_id", args.into()), ("base64_proto_id", message)]
    }

    /// The text of an interned message: its field 2.
    fn interned(&self, state: State, field: u32, iid: u64) -> Option<&'s [u8]> {
        let span = self.survey.sequences.interned(&state, field, iid)?;
        let mut fields = Fields::new(self.survey.source.get(span));
        fields.find(|field| field.number == 2).map(Field::bytes)
    }

    /// Writes the remaining rows and reports problems.
    pub fn finish(mut self, out: &mut TraceBuilder) {
        self.lists.finish(out);
        self.transitions.finish(out);
        self.protolog.finish(self.survey, &mut self.messages, out);
        self.cpu_per_uid.finish(out);
        self.wakelocks.finish(out);
        self.app_wakelocks.finish(out);
        self.statsd.finish(out);
        let unconverted = self.log.unconverted;
        self.log.finish(out);
        let place = Place::default();
        out.repair(RepairKind::Unplaced, unconverted, place, || {
            "lines of Android's log have times that no snapshot connects to the trace's clock"
                .to_owned()
        });
        let left_out = std::mem::take(&mut self.messages.refused);
        out.repair(RepairKind::BeyondLimit, left_out, place, || {
            "values of messages are left out, because they take too much memory".to_owned()
        });
    }
}
