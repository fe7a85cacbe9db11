//! The event table: its names, and its rows with their fields.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use traceloom_analyze::events::EventFilter;
use traceloom_analyze::timeline::{FindMode, Finder};
use traceloom_trace::{ArgSetId, NO_NUMBER, RowId, StringId, ThreadId, sort};

use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::Answered;
use crate::events::EventList;
use crate::frame::Frame;
use crate::scope::Scope;
use crate::text::{LIST_CHARS, shortened};

/// The maximum number of names in the answer.
const MOST_NAMES: usize = 10_000;
/// The maximum number of events in the answer.
const MOST_EVENTS: u32 = 1_000;

pub(crate) fn event_names_of(engine: &Engine, _: &Ask, answer: &mut Frame) -> Answered {
    let (trace, names) = (&engine.trace, &engine.timeline().names);
    let found = engine.events.names(trace);
    let shown = found.iter().take(MOST_NAMES).map(|one| NameAnswer {
        name: names.of_text(one.name).0,
        label: engine.string(one.name, LIST_CHARS),
        count: one.count,
    });
    answer
        .put("names", shown.collect::<Vec<_>>())
        .put("hidden", found.len().saturating_sub(MOST_NAMES));
    Ok(())
}

#[derive(Serialize)]
struct NameAnswer<'a> {
    name: u32,
    label: Cow<'a, str>,
    count: u64,
}

#[derive(Deserialize)]
struct Question {
    text: Option<String>,
    cpu: Option<u32>,
    offset: Option<u32>,
    limit: Option<u32>,
    id: Option<u32>,
}

pub(crate) fn events(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let question: Question = ask.read()?;
    let filter = filter(engine, &question, &engine.scope(ask)?);
    let list = engine.events.list(&engine.trace, ask, filter)?;
    let offset = question.offset.unwrap_or(0) as usize;
    let limit = question.limit.unwrap_or(MOST_EVENTS).min(MOST_EVENTS) as usize;
    let places = offset..offset.saturating_add(limit);
    let rows = places.map_while(|place| list.row(place));
    let shown: Vec<_> = rows.map(|row| engine.listed_event(&list, row)).collect();
    let keys = list.keys.iter().map(|key| engine.string(*key, LIST_CHARS));
    let place = question.id.and_then(|id| list.place(id));
    answer
        .put("total", list.total)
        .put("keys", keys.collect::<Vec<_>>())
        .put("offset", offset)
        .put("place", place)
        .put("events", shown);
    Ok(())
}

fn filter(engine: &Engine, question: &Question, scope: &Scope) -> EventFilter {
    let trace = &engine.trace;
    let narrowed = scope.threads.is_some() || scope.process.is_some() || scope.source.is_some();
    let in_scope = |row: usize| {
        let thread = trace.threads.row(row);
        scope.has(ThreadId::from_row(row), thread.upid, thread.source)
    };
    let text = question.text.as_deref().filter(|text| !text.is_empty());
    EventFilter {
        range: scope.range,
        names: text.map(|text| names(engine, text)),
        threads: narrowed.then(|| (0..trace.threads.len()).map(in_scope).collect()),
        cpus: question.cpu.map(|cpu| vec![cpu]),
    }
}

/// The names that contain a text, sorted.
fn names(engine: &Engine, text: &str) -> Vec<StringId> {
    let trace = &engine.trace;
    let finder = Finder::new(text, FindMode::Part);
    let found = engine.events.names(trace).iter().map(|one| one.name);
    let mut found: Vec<_> = found
        .filter(|name| finder.finds(trace.strings.get(*name)))
        .collect();
    sort::by_key(&mut found, |one| *one);
    found
}

/// An event in a list. The values belong to the list's fields, in the same order.
#[derive(Serialize)]
struct ListedEvent<'a> {
    id: u32,
    ts: f64,
    label: Cow<'a, str>,
    name: u32,
    thread: String,
    tid: i64,
    utid: u32,
    cpu: Option<u32>,
    row: u32,
    values: Vec<String>,
    more: String,
}

impl Engine {
    fn listed_event<'e>(&'e self, list: &EventList, row: u32) -> ListedEvent<'e> {
        let (trace, timeline) = (&self.trace, self.timeline());
        let event = trace.ftrace_events.row(row as usize);
        let (values, more) = self.fields_of(list, event.arg_set_id);
        let known = event
            .utid
            .some()
            .filter(|utid| utid.row() < trace.threads.len());
        ListedEvent {
            id: row,
            ts: self.relative(event.ts),
            label: self.string(event.name, LIST_CHARS),
            name: timeline.names.of_text(event.name).0,
            thread: self.thread_label(event.utid),
            tid: known.map_or(NO_NUMBER, |utid| trace.threads.tid.get(utid.row())),
            utid: event.utid.0,
            cpu: (event.cpu != u32::MAX).then_some(event.cpu),
            row: self.row_of_event(event.utid, event.cpu),
            values,
            more,
        }
    }

    /// The row that shows an event: its thread's row, otherwise its CPU's row.
    pub(crate) fn row_of_event(&self, utid: ThreadId, cpu: u32) -> u32 {
        let rows = &self.timeline().rows;
        match rows.of_thread(utid) {
            u32::MAX => rows.of_cpu(cpu),
            row => row,
        }
    }

    /// The values of the list's fields, and all other fields as one text.
    fn fields_of(&self, list: &EventList, set: ArgSetId) -> (Vec<String>, String) {
        let mut values = vec![String::new(); list.keys.len()];
        let mut more = String::new();
        for (key, value) in self.trace.args.set(set) {
            let value = value.display(&self.trace.strings);
            let place = list.keys.iter().position(|known| *known == key);
            match place.and_then(|place| values.get_mut(place)) {
                Some(cell) if cell.is_empty() => *cell = shortened(value, LIST_CHARS),
                _ if more.len() < LIST_CHARS => {
                    let blank = if more.is_empty() { "" } else { " " };
                    more += &format!("{blank}{}={value}", self.trace.strings.get(key));
                }
                _ => {}
            }
        }
        (values, shortened(more, LIST_CHARS))
    }
}
