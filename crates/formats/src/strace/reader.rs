//! Converts the lines of a log to slices of their threads.

use traceloom_trace::{
    ArgSetId, ArgValue, ClockKind, ClockRow, Place, RepairKind, RowId, SliceBegin, SliceId,
    SourceId, StringId, ThreadId, TraceBuilder, TrackId,
};

use super::clock::{Clock, Stamp};
use super::line::{Call, Event, Line};
use super::message::Message;
use super::names::{name, unescaped};
use super::tasks::Tasks;
use crate::error::ReadError;
use crate::format::{Reader, Target};
use crate::format_id;
use crate::lines::Lines;

/// The category of all slices, as in Perfetto.
const CATEGORY: &[u8] = b"strace";

pub(super) struct StraceReader {
    lines: Lines,
    state: State,
}

impl StraceReader {
    /// `name` is the name of the file.
    pub fn new(name: &str) -> Self {
        let tasks = Tasks::new(name);
        Self {
            lines: Lines::default(),
            state: State {
                tasks,
                ..State::default()
            },
        }
    }
}

impl Reader for StraceReader {
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        let out = out.trace(format_id::STRACE)?;
        out.add_source_bytes(chunk.len() as u64);
        let state = &mut self.state;
        self.lines.feed(chunk, |line| state.line(line, out));
        Ok(())
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        let out = out.trace(format_id::STRACE)?;
        let state = &mut self.state;
        self.lines.finish(|line| state.line(line, out));
        self.state.finish(out);
        Ok(())
    }
}

/// The place and time of a line.
#[derive(Clone, Copy)]
struct At {
    thread: ThreadId,
    track: TrackId,
    ts: i64,
}

/// A call whose line was split by a message or by output. A later line may contain the rest. With the options `-z` and
/// `-Z`, the line after `<unfinished ...>` contains it.
struct Split {
    /// The begin of the call.
    at: At,
    name: String,
    by_output: bool,
}

impl Split {
    fn new(at: At, event: &Event<'_>) -> Option<Self> {
        let (name, by_output) = match event {
            Event::Cut { name, .. } => (*name, true),
            Event::Begin { name, .. } => (*name, false),
            _ => return None,
        };
        Some(Self {
            at,
            name: name.to_owned(),
            by_output,
        })
    }
}

#[derive(Default)]
struct State {
    /// Lines so far.
    lines: u64,
    /// Lines that could not be parsed.
    unread: u64,
    /// Calls whose duration is unknown.
    without_duration: u64,
    has_date: bool,
    /// Whether the lines have no times. The first call decides.
    is_untimed: Option<bool>,
    /// Lines without times.
    untimed: u64,
    clock: Clock,
    tasks: Tasks,
    split: Option<Split>,
    /// Whether the table of the option `-C` has begun. It is at the end of a log.
    in_summary: bool,
}

impl State {
    fn line(&mut self, line: &[u8], out: &mut TraceBuilder) {
        self.lines += 1;
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        let line = self.read(text);
        // A call that has returned is not split.
        let may_be_split = line.as_ref().is_none_or(Line::has_not_returned);
        let message = may_be_split.then(|| Message::read(text)).flatten();
        match line {
            Some(line) => {
                self.lose_rest(out);
                let at = self.event(&line, out);
                self.split = Split::new(at, &line.event);
            }
            None if message.is_some_and(|message| message.before.is_empty()) => {}
            None if self.rest(text, out) => {}
            None if adds_nothing(text) => {}
            None => self.unread(text, out),
        }
        if let Some(message) = message {
            self.tasks.apply(&message);
        }
    }

    fn read<'a>(&mut self, text: &'a str) -> Option<Line<'a>> {
        match self.is_untimed {
            Some(true) => return Line::read_untimed(text),
            Some(false) => return Line::read(text),
            None => {}
        }
        let line = Line::read(text).or_else(|| Line::read_untimed(text).filter(Line::is_call))?;
        if line.is_call() {
            self.is_untimed = Some(line.stamp == Stamp::Missing);
        }
        Some(line)
    }

    /// Reads the rest of a call whose line was split by a message. Returns whether the text is that rest.
    fn rest(&mut self, text: &str, out: &mut TraceBuilder) -> bool {
        let Some(split) = self.split.take() else {
            return false;
        };
        if is_unfinished(text) {
            return true;
        }
        let Some(call) = Call::returned(&split.name, text) else {
            // The program has printed something.
            self.split = Some(split);
            return false;
        };
        let mut at = split.at;
        self.without_duration += u64::from(call.dur.is_none());
        at.ts = at.ts.saturating_add(call.dur.unwrap_or(0));
        self.end(at, &call, out);
        true
    }

    /// Ends a split call if the rest of its line never came.
    fn lose_rest(&mut self, out: &mut TraceBuilder) {
        let Some(split) = self.split.take_if(|split| split.by_output) else {
            return;
        };
        out.end_slice(split.at.track, split.at.ts, None);
        let place = Place::at_line(self.lines).with_ts(split.at.ts);
        out.repair(RepairKind::MissingExit, 1, place, || split.name);
    }

    fn unread(&mut self, text: &str, out: &mut TraceBuilder) {
        const SHOWN: usize = 120;
        self.unread += 1;
        self.in_summary |= text.starts_with("% time ");
        let kind = if text.starts_with("> ") || self.in_summary {
            // A stack frame of the previous call (`-k`), or a line of the table.
            RepairKind::SkippedEntry
        } else {
            RepairKind::UnparsedLine
        };
        let place = Place::at_line(self.lines);
        let end = text.floor_char_boundary(SHOWN.min(text.len()));
        out.repair(kind, 1, place, || text[..end].to_owned());
    }

    fn event(&mut self, line: &Line<'_>, out: &mut TraceBuilder) -> At {
        let ts = self.clock.ns(line.stamp, line.step);
        self.untimed += u64::from(line.stamp == Stamp::Missing);
        if matches!(line.stamp, Stamp::Date(_)) && !std::mem::replace(&mut self.has_date, true) {
            out.clock(wall_clock(ts));
        }
        let thread = self.tasks.thread(line, out);
        if let Some(comm) = line.comm {
            name(thread, &unescaped(comm), out);
        }
        let track = out.thread_track(thread);
        let at = At { thread, track, ts };
        match line.event {
            Event::Whole(call) => self.whole(at, &call, out),
            Event::Begin { name, args } | Event::Cut { name, args } => begin(at, name, args, out),
            Event::End(call) => self.end(at, &call, out),
            Event::EndAndBegin { name, args } => {
                self.end_half(at, name, None, out);
                begin(at, name, args, out);
            }
            Event::Signal { name, info } => {
                let name = out.intern(name.as_bytes());
                let args = args(&[("info", info)], out);
                out.nested_instant(track, ts, name, args);
            }
            Event::Exit(how) => {
                let name = out.intern(how.as_bytes());
                out.nested_instant(track, ts, name, ArgSetId::NONE);
                match line.event.superseding() {
                    Some(caller) => self.tasks.supersede(thread, caller, ts, out),
                    None => self.tasks.end(thread, ts, out),
                }
            }
        }
        at
    }

    fn whole(&mut self, at: At, call: &Call<'_>, out: &mut TraceBuilder) {
        // A call that ends its thread returns `?`.
        self.without_duration += u64::from(call.dur.is_none() && call.ret != "?");
        let args = args(&[("args", call.args), ("ret", call.ret)], out);
        let slice = slice(at.ts, call.name, args, out);
        let dur = call.dur.unwrap_or(0);
        out.whole_slice(at.track, slice, dur);
        if self.is_untimed == Some(true) {
            self.clock.pass(dur);
        }
        self.tasks.learn(at.thread, call, out);
    }

    fn end(&mut self, mut at: At, call: &Call<'_>, out: &mut TraceBuilder) {
        if call.name.starts_with("execve")
            && let Some(caller) = self.tasks.superseding(at.thread)
        {
            at.track = out.thread_track(caller);
        }
        let Some(slice) = self.end_half(at, call.name, call.dur, out) else {
            return;
        };
        // The line at the start of the call has some of the arguments, and this line has the others.
        let begun = begun_args(slice, out);
        let all = Call {
            args: &format!("{begun}{}", call.args),
            ..*call
        };
        let more = args(&[("args", call.args), ("ret", call.ret)], out);
        out.append_slice_args(slice, more);
        self.tasks.learn(at.thread, &all, out);
    }

    /// Ends the open call of a thread. Returns `None` and counts the line if the log does not contain the start of the
    /// call.
    ///
    /// `dur` is the duration of the call, ns. It is more exact than the time of the line, which strace prints a moment
    /// later. If the log splits the call into more than two parts, `dur` also covers the earlier parts, so the call
    /// ends at the time of the line at the latest.
    fn end_half(
        &mut self,
        at: At,
        name: &str,
        dur: Option<i64>,
        out: &mut TraceBuilder,
    ) -> Option<SliceId> {
        let open = out.open_slices(at.track).last().copied();
        let trace = out.trace();
        let open =
            open.filter(|slice| trace.strings.get(trace.slices.name.get(slice.row())) == name);
        let Some(open) = open else {
            let place = Place::at_line(self.lines).with_ts(at.ts);
            out.repair(RepairKind::UnmatchedEnd, 1, place, || name.to_owned());
            return None;
        };
        let begun = trace.slices.ts.get(open.row());
        let end = dur.map_or(at.ts, |dur| begun.saturating_add(dur).min(at.ts));
        out.end_slice(at.track, end, None)
    }

    fn finish(&self, out: &mut TraceBuilder) {
        out.repair(
            RepairKind::RebuiltTime,
            self.untimed,
            Place::default(),
            || "the lines have no times; they stand one millisecond apart".to_owned(),
        );
        if self.unread > 0 {
            // Perfetto's name for this count.
            out.stat("strace_parse_failure", None, 0, self.unread as i64);
        }
        if self.without_duration > 0 {
            let calls = self.without_duration;
            let what = format!("unknown for {calls} calls; strace -T records it");
            out.metadata("strace-durations", &what);
        }
    }
}

fn begin(at: At, name: &str, text: &str, out: &mut TraceBuilder) {
    let args = args(&[("args", text)], out);
    let slice = slice(at.ts, name, args, out);
    out.begin_slice(at.track, slice);
}

/// The arguments of a call that has begun.
fn begun_args(slice: SliceId, out: &TraceBuilder) -> String {
    let trace = out.trace();
    let mut args = trace.args.set(trace.slices.arg_set_id.get(slice.row()));
    match args.next() {
        Some((_, ArgValue::Text(text))) => trace.strings.get(text).to_owned(),
        _ => String::new(),
    }
}

fn slice(ts: i64, name: &str, args: ArgSetId, out: &mut TraceBuilder) -> SliceBegin {
    SliceBegin {
        category: out.intern(CATEGORY),
        arg_set_id: args,
        ..SliceBegin::named(ts, out.intern(name.as_bytes()))
    }
}

/// The arguments that are not empty.
fn args(texts: &[(&str, &str)], out: &mut TraceBuilder) -> ArgSetId {
    let mut args: Vec<(StringId, ArgValue)> = Vec::with_capacity(texts.len());
    for (key, text) in texts.iter().filter(|(_, text)| !text.is_empty()) {
        let text = ArgValue::Text(out.intern(text.as_bytes()));
        args.push((out.intern(key.as_bytes()), text));
    }
    out.args(args)
}

/// The times of a log with dates are wall-clock times.
fn wall_clock(ts: i64) -> ClockRow {
    ClockRow {
        source: SourceId::NONE,
        clock: ClockKind::Realtime,
        ts,
        value_ns: ts,
        precision_ns: 1_000,
        name: String::new(),
    }
}

/// Whether a line adds nothing to the time line: it is a message of strace, or the rest of a line that such a message
/// split.
fn adds_nothing(text: &str) -> bool {
    text.is_empty() || text.starts_with("strace: ") || is_unfinished(text)
}

/// Whether a line is the rest of a split line whose call has not returned yet.
fn is_unfinished(text: &str) -> bool {
    matches!(text, "<unfinished ...>" | "<detached ...>")
}
