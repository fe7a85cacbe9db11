//! The preview of a report: the answers that its first picture needs, kept in the file.
//!
//! Restoring the columns of a big report takes seconds. Until then, the page draws these answers.

use std::collections::HashSet;

use serde_json::json;
use traceloom_analyze::timeline::{
    NO_ROW, NameId, RowKind, TimelineRow, Window, WindowRow, row_flags,
};

use crate::cancel::Cancel;
use crate::engine::Engine;
use crate::frame::Frame;

/// The width of the widest time line that is drawn from a preview, px. Wider ones ask the engine.
const PIXELS: f64 = 2560.0;
/// The height of the rows in a preview, px: more than a screen shows.
const HEIGHT: u32 = 1600;
/// The page shows at most this many levels of a row at first (`DEEP` in `rows.js`).
const LEVELS: u32 = 48;
/// The least height of a row, and the height of a level, px (`LOW` and `LANE` in `rows.js`).
const ROW: u32 = 24;
const LEVEL: u32 = 18;
/// The maximum number of names. The page asks the engine for the others.
const NAMES: usize = 4096;
/// The shortest time on the page's time line, ns.
const SHORTEST: f64 = 1000.0;

impl Engine {
    /// Answers the questions of the page's first picture.
    ///
    /// The result is a [`Frame`] with `questions` and a column for each of them, named by its index, that holds the
    /// answer's frame.
    pub fn preview(&self) -> Vec<u8> {
        let (end, px_ns) = self.first_view();
        let rows = first_rows(&self.timeline().rows.all);
        let names = self.first_names(&rows, end, px_ns);
        let questions = [
            json!({"op": "meta"}),
            json!({"op": "rows"}),
            json!({"op": "window", "rows": rows, "from": 0, "to": end, "px_ns": px_ns, "max_level": LEVELS - 1}),
            json!({"op": "names", "ids": names}),
        ];
        let mut preview = Frame::new().with("questions", &questions);
        for (at, question) in questions.iter().enumerate() {
            let answer = self.answer(question.to_string().as_bytes(), &Cancel::default());
            preview.u8s(&at.to_string(), &answer);
        }
        preview.finish()
    }

    /// The end of the trace on the page's time line, and the length of a pixel, ns.
    fn first_view(&self) -> (f64, f64) {
        let end = self.relative(self.trace.bounds.1).max(SHORTEST);
        // The page also requests a power of two, and draws an answer that has more detail than requested.
        (end, (end / PIXELS).log2().floor().exp2())
    }

    /// The names in a window of the whole trace, in order of their first use.
    fn first_names(&self, rows: &[u32], end: f64, px_ns: f64) -> Vec<u32> {
        let window = Window {
            from_ns: self.origin_ns(),
            to_ns: self.absolute(end.ceil()),
            px_ns,
        };
        let (mut seen, mut names) = (HashSet::new(), Vec::new());
        for &row in rows {
            let shown = self
                .timeline()
                .window(self.trace(), row, &window, 0..LEVELS);
            let new = self.names_of(&shown).filter(|name| seen.insert(*name));
            names.extend(new.map(|name| name.0));
        }
        names.truncate(NAMES);
        names
    }

    fn names_of(&self, shown: &WindowRow) -> impl Iterator<Item = NameId> {
        let (trace, names) = (self.trace(), &self.timeline().names);
        let slices = shown
            .slices
            .iter()
            .map(|slice| names.of_slice(slice.id as usize));
        let instants = shown
            .instants
            .iter()
            .map(|instant| trace.slices.name.get(instant.id as usize));
        let events = shown
            .events
            .iter()
            .map(|event| trace.ftrace_events.name.get(event.id as usize));
        slices.chain(instants.chain(events).map(|text| names.of_text(text)))
    }
}

/// The rows that the page shows at first, without those inside folded ones, until they fill [`HEIGHT`].
fn first_rows(all: &[TimelineRow]) -> Vec<u32> {
    let mut hidden = vec![false; all.len()];
    let mut parents = vec![false; all.len()];
    for row in all {
        if let Some(parent) = parents.get_mut(row.parent as usize) {
            *parent = true;
        }
    }
    let (mut rows, mut height) = (Vec::new(), 0);
    for (at, row) in all.iter().enumerate() {
        let inside = row.parent != NO_ROW && hidden[row.parent as usize];
        let folded = folded(row, parents[at]);
        hidden[at] = inside || folded && parents[at];
        if inside || height > HEIGHT {
            continue;
        }
        height += height_of(row, folded);
        rows.push(at as u32);
    }
    rows
}

/// Whether the page shows only one level of a row, or none of the rows below it (`folded` in `rows.js`).
fn folded(row: &TimelineRow, is_parent: bool) -> bool {
    row.is(row_flags::IDLE) && (is_parent || row.levels > 1 || row.kind == RowKind::Counter)
}

/// The least height of a row on the page, px.
fn height_of(row: &TimelineRow, folded: bool) -> u32 {
    let levels = match row.kind {
        RowKind::Group | RowKind::Process => 0,
        _ if folded => row.levels.min(1),
        _ => row.levels.min(LEVELS),
    };
    ROW.max(levels * LEVEL)
}
