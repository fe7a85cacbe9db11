//! The records of a table, as columns: logs, samples, stacks, heap graphs.

use std::collections::BTreeMap;

use serde::Deserialize;
use traceloom_analyze::RecordTables;
use traceloom_analyze::timeline::{FindMode, Finder};
use traceloom_trace::{ArgValue, IdKind, NO_TIME, RowId, StringId, ThreadId};

use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;
use crate::scope::Scope;
use crate::text::DETAIL_CHARS;

/// The maximum number of records in the answer.
const MOST: usize = 1 << 20;
/// The number of records between two checks whether the answer is still needed.
const STRIDE: usize = 1 << 14;
const NONE: u32 = u32::MAX;

#[derive(Deserialize)]
struct Question {
    table: String,
    #[serde(default)]
    numbers: Vec<String>,
    #[serde(default)]
    texts: Vec<String>,
    text: Option<String>,
    at_least: Option<f64>,
    offset: Option<usize>,
    limit: Option<usize>,
    /// Whether to add the references of each record to others.
    #[serde(default)]
    references: bool,
}

pub(crate) fn records(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let question: Question = ask.read()?;
    let table = Table {
        engine,
        rows: engine.timeline().records.of(&engine.trace, &question.table),
    };
    let found = table.passing(&question, &engine.scope(ask)?, ask)?;
    let offset = question.offset.unwrap_or(0).min(found.len());
    let limit = question.limit.unwrap_or(MOST).min(MOST);
    let shown = &found[offset..offset.saturating_add(limit).min(found.len())];
    answer
        .put("total", found.len())
        .put("offset", offset)
        .u32("place", shown, |(place, _)| *place)
        .f64("ts", shown, |(_, record)| table.ts(*record));
    for name in &question.numbers {
        let column = engine.trace.strings.lookup(name);
        answer.f64(name, shown, |(_, record)| {
            table.number(*record, column).unwrap_or(f64::NAN)
        });
    }
    table.put_texts(&question.texts, shown, answer);
    if question.references {
        table.put_references(shown, answer);
    }
    Ok(())
}

/// The records of a table.
struct Table<'e> {
    engine: &'e Engine,
    rows: &'e [u32],
}

impl Table<'_> {
    fn ts(&self, record: u32) -> f64 {
        match self.engine.trace.records.rows().ts.get(record as usize) {
            NO_TIME => f64::NAN,
            ts => self.engine.relative(ts),
        }
    }

    fn cell(&self, record: u32, column: Option<StringId>) -> Option<ArgValue> {
        self.engine.trace.records.cell(record as usize, column?)
    }

    /// A number. For a row of another table, this is its index in that table.
    fn number(&self, record: u32, column: Option<StringId>) -> Option<f64> {
        Some(match self.cell(record, column)? {
            ArgValue::Int(value) => value as f64,
            ArgValue::Hex(value) | ArgValue::Unsigned(value) => value as f64,
            ArgValue::Float(value) => value,
            ArgValue::Bool(value) => f64::from(u8::from(value)),
            ArgValue::Row(IdKind::Record, record) => self.place(record)?.into(),
            ArgValue::Row(_, row) => row.into(),
            _ => return None,
        })
    }

    fn place(&self, record: u32) -> Option<u32> {
        self.engine.timeline().records.place(record)
    }

    fn text(&self, record: u32, column: Option<StringId>) -> Option<StringId> {
        match self.cell(record, column)? {
            ArgValue::Text(text) | ArgValue::Json(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// The records that pass the question's filters, each with its index in the table.
    fn passing(&self, question: &Question, scope: &Scope, ask: &Ask) -> Answered<Vec<(u32, u32)>> {
        let strings = &self.engine.trace.strings;
        let columns = |names: &[String]| -> Vec<_> {
            names.iter().map(|name| strings.lookup(name)).collect()
        };
        let (texts, numbers) = (columns(&question.texts), columns(&question.numbers));
        let text = question.text.as_deref().filter(|text| !text.is_empty());
        let finder = text.map(|text| Finder::new(text, FindMode::Part));
        let passes = |record: u32| {
            let finds = |finder: &Finder| {
                let mut texts = texts.iter();
                texts.any(|column| {
                    let text = self.text(record, *column);
                    text.is_some_and(|text| finder.finds(strings.get(text)))
                })
            };
            let first = numbers.first().copied().flatten();
            let reaches = |least: f64| self.number(record, first).is_some_and(|own| own >= least);
            self.in_scope(record, scope)
                && question.at_least.is_none_or(reaches)
                && finder.as_ref().is_none_or(finds)
        };
        let mut found = Vec::new();
        for (place, record) in (0u32..).zip(self.rows) {
            if (place as usize).is_multiple_of(STRIDE) {
                ask.check()?;
            }
            if passes(*record) {
                found.push((place, *record));
            }
        }
        Ok(found)
    }

    fn in_scope(&self, record: u32, scope: &Scope) -> bool {
        let trace = &self.engine.trace;
        let ts = trace.records.rows().ts.get(record as usize);
        let in_range = |range: &traceloom_analyze::TimeRange| {
            ts != NO_TIME && (range.from_ns..range.to_ns).contains(&ts)
        };
        if !scope.range.as_ref().is_none_or(in_range) {
            return false;
        }
        if scope.threads.is_none() && scope.process.is_none() && scope.source.is_none() {
            return true;
        }
        let own = self.number(record, trace.strings.lookup("utid"));
        let own = own.map(|utid| ThreadId(utid as u32));
        let utid = own.or_else(|| RecordTables::thread_of_sample(trace, record));
        utid.filter(|utid| utid.row() < trace.threads.len())
            .is_some_and(|utid| {
                let thread = trace.threads.row(utid.row());
                scope.has(utid, thread.upid, thread.source)
            })
    }

    /// Columns of texts, as numbers of the list `strings`.
    fn put_texts(&self, names: &[String], shown: &[(u32, u32)], answer: &mut Frame) {
        let mut known: BTreeMap<StringId, u32> = BTreeMap::new();
        let mut strings = Vec::new();
        for name in names {
            let column = self.engine.trace.strings.lookup(name);
            let mut numbers = Vec::with_capacity(shown.len());
            for (_, record) in shown {
                numbers.push(match self.text(*record, column) {
                    None => NONE,
                    Some(text) => *known.entry(text).or_insert_with(|| {
                        strings.push(self.engine.string(text, DETAIL_CHARS));
                        strings.len() as u32 - 1
                    }),
                });
            }
            answer.u32(name, &numbers, |number| *number);
        }
        answer.put("strings", strings);
    }

    /// The cells of each record that are other records: the row in the answer, the column's name, the other's place.
    fn put_references(&self, shown: &[(u32, u32)], answer: &mut Frame) {
        let trace = &self.engine.trace;
        let (mut keys, mut names) = (BTreeMap::new(), Vec::new());
        let mut found: Vec<[u32; 3]> = Vec::new();
        for (row, (_, record)) in (0u32..).zip(shown) {
            for (key, value) in trace.records.cells(RowId::from_row(*record as usize)) {
                let ArgValue::Row(IdKind::Record, other) = value else {
                    continue;
                };
                let key = *keys.entry(key).or_insert_with(|| {
                    names.push(self.engine.string(key, DETAIL_CHARS));
                    names.len() as u32 - 1
                });
                found.push([row, key, self.place(other).unwrap_or(NONE)]);
            }
        }
        answer
            .put("keys", names)
            .u32("of", &found, |one| one[0])
            .u32("key", &found, |one| one[1])
            .u32("to", &found, |one| one[2]);
    }
}
