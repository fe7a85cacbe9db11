//! Text that remembers where each piece of it was written.

use std::sync::Arc;

use super::location::{Location, Via};
use super::source::{Fragment, Source, Span};

/// A call of a macro, to which the texts of the macro's body belong.
#[derive(Debug)]
pub(super) struct Frame {
    /// Name of the macro.
    pub name: Arc<str>,
    /// Where the name in the call was written.
    pub call: Origin,
}

/// Where a piece of text was written.
#[derive(Debug, Clone)]
pub(super) struct Origin {
    pub source: Arc<Source>,
    /// Bytes from the start of the source.
    pub offset: usize,
    /// The call whose macro's body contains it; none for text of the statement itself.
    pub frame: Option<Arc<Frame>>,
    /// Whether the text was generated: all of it then comes from one place.
    pub generated: bool,
}

impl Origin {
    /// Text that was written at the start of this fragment, outside of macros.
    pub fn of(fragment: &Fragment) -> Self {
        let (source, offset) = (Arc::clone(&fragment.source), fragment.span.start);
        Self {
            source,
            offset,
            frame: None,
            generated: false,
        }
    }

    /// The origin of the text `distance` bytes further on.
    pub fn advanced(mut self, distance: usize) -> Self {
        if !self.generated {
            self.offset += distance;
        }
        self
    }

    /// The origin of text that is generated at this place.
    pub fn generating(mut self) -> Self {
        self.generated = true;
        self
    }

    /// Whether text of `other` continues text of this origin that is `len` bytes long.
    fn continues(&self, len: usize, other: &Self) -> bool {
        let same_call = match (&self.frame, &other.frame) {
            (None, None) => true,
            (Some(own), Some(its)) => Arc::ptr_eq(own, its),
            _ => false,
        };
        let distance = if self.generated { 0 } else { len };
        self.generated == other.generated
            && Arc::ptr_eq(&self.source, &other.source)
            && same_call
            && self.offset + distance == other.offset
    }

    fn fragment(&self, len: usize) -> Fragment {
        let start = self.offset;
        Fragment::new(&self.source, Span::new(start, start + len))
    }

    /// The place, with the calls around it.
    pub fn location(&self, len: usize) -> Location {
        let mut via = Vec::new();
        let mut frame = self.frame.as_ref();
        while let Some(around) = frame {
            let (name, call) = (
                Arc::clone(&around.name),
                around.call.fragment(around.name.len()),
            );
            via.push(Via::Macro { name, call });
            frame = around.call.frame.as_ref();
        }
        Location::through(self.fragment(len), via)
    }
}

/// A piece of text from one origin.
#[derive(Debug, Clone)]
struct Run {
    /// Where it starts in the text, bytes.
    start: usize,
    origin: Origin,
}

/// A text and its origins.
#[derive(Debug, Clone, Default)]
pub(super) struct Mapped {
    pub text: String,
    /// Ordered by start. They cover the whole text.
    runs: Vec<Run>,
    /// The maximum cost; `None` if there is no limit.
    limit: Option<usize>,
    is_full: bool,
}

/// Bytes that each piece of text adds to the cost, for the memory of its origin.
const PIECE_BYTES: usize = 32;

impl Mapped {
    /// An empty text. Text that would raise its cost above `limit` bytes is not appended.
    pub fn limited(limit: usize) -> Self {
        let limit = Some(limit);
        Self {
            limit,
            ..Self::default()
        }
    }

    /// The approximate memory that it takes, bytes.
    pub fn cost(&self) -> usize {
        self.text.len() + self.runs.len() * PIECE_BYTES
    }

    /// Whether something was not appended because of the limit.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// A fragment, as it was written.
    pub fn written(fragment: &Fragment) -> Self {
        let mut mapped = Self::default();
        mapped.push(fragment.text(), Origin::of(fragment));
        mapped
    }

    /// Appends text from one origin.
    pub fn push(&mut self, text: &str, origin: Origin) {
        let cost = self.cost() + text.len();
        self.is_full |= self.limit.is_some_and(|limit| cost > limit);
        if text.is_empty() || self.is_full {
            return;
        }
        let start = self.text.len();
        let last = self.runs.last();
        if !last.is_some_and(|run| run.origin.continues(start - run.start, &origin)) {
            self.runs.push(Run { start, origin });
        }
        self.text.push_str(text);
    }

    /// Appends a range of another text, with its origins.
    pub fn push_range(&mut self, from: &Self, range: Span) {
        let mut at = range.start;
        while at < range.end && !self.is_full {
            let Some((index, run)) = from.run(at) else {
                return;
            };
            let next = from
                .runs
                .get(index + 1)
                .map_or(range.end, |next| next.start);
            let end = next.min(range.end);
            let piece = from.text.get(at..end).unwrap_or_default();
            self.push(piece, run.origin.clone().advanced(at - run.start));
            at = end;
        }
    }

    fn run(&self, offset: usize) -> Option<(usize, &Run)> {
        let index = self
            .runs
            .partition_point(|run| run.start <= offset)
            .checked_sub(1)?;
        self.runs.get(index).map(|run| (index, run))
    }

    /// Origin of the byte at an offset. Offsets past the end belong to the last piece.
    pub fn origin(&self, offset: usize) -> Option<Origin> {
        let (_, run) = self.run(offset.min(self.text.len()))?;
        Some(
            run.origin
                .clone()
                .advanced(offset.min(self.text.len()) - run.start),
        )
    }
}

/// Maps offsets in expanded SQL to the places where the SQL was written.
#[derive(Debug, Clone)]
pub struct SourceMap {
    /// What was expanded.
    pub(super) whole: Fragment,
    pub(super) mapped: Mapped,
}

/// SQL without macros, and where its text comes from.
#[derive(Debug, Clone)]
pub struct Expanded {
    map: SourceMap,
}

impl Expanded {
    pub(super) fn new(whole: Fragment, mapped: Mapped) -> Self {
        Self {
            map: SourceMap { whole, mapped },
        }
    }

    /// The SQL, without any macro calls.
    pub fn sql(&self) -> &str {
        &self.map.mapped.text
    }

    /// Where the SQL was written.
    pub fn map(&self) -> &SourceMap {
        &self.map
    }

    /// Puts text around the SQL, for example `CREATE VIEW name AS `. Offsets in this text translate to the start and to
    /// the end of what was expanded.
    pub fn wrap(&self, before: &str, after: &str) -> Self {
        let whole = self.map.whole.clone();
        let end = whole.at(Span::new(whole.span.end, whole.span.end));
        let mut mapped = Mapped::default();
        mapped.push(before, Origin::of(&whole).generating());
        mapped.push_range(&self.map.mapped, Span::new(0, self.sql().len()));
        mapped.push(after, Origin::of(&end).generating());
        Self::new(whole, mapped)
    }
}

impl SourceMap {
    /// The place in the user's file of the byte at `offset` of the expanded SQL. `sqlite3_error_offset` returns such
    /// offsets, or -1 if the place is unknown. In that case, call [`Self::start`] instead.
    pub fn locate(&self, offset: usize) -> Location {
        let origin = self.mapped.origin(offset);
        origin.map_or_else(|| self.start(), |origin| origin.location(0))
    }

    /// The place where the statement starts, for errors without an offset.
    pub fn start(&self) -> Location {
        let start = self.whole.span.start;
        Location::new(self.whole.at(Span::new(start, start)))
    }
}
