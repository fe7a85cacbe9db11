//! Determines which frames and which stacks are kept.

use regex::Regex;
use rustc_hash::FxHashMap;

use super::column::Column;
use super::config::Config;
use super::none::NONE;
use super::source::Source;
use crate::operators::failure::Failure;
use crate::operators::meter::Meter;
use crate::sqlite::real;

/// Set if a frame of the stack matches a `HIDE_STACK` filter. The other bits are ignored then.
const HIDDEN: u64 = 1 << 63;

/// The result of filtering the stack of a row.
#[derive(Clone, Copy, Debug)]
struct Path {
    /// One bit for each `SHOW_STACK` filter that matches a frame of the stack, or [`HIDDEN`].
    bits: u64,
    /// The frame that the row's values belong to: the row itself, or the ancestor that replaces it. [`NONE`] if there
    /// is none.
    frame: u32,
}

/// The results of filtering, row by row.
#[derive(Debug)]
pub(super) struct Paths {
    paths: Vec<Path>,
    /// The number of the frame: equal for rows with the same name and grouping columns.
    pub identity: Vec<u32>,
    /// Whether the frame matches the view's pattern.
    is_pivot: Vec<bool>,
    /// The bits of a shown stack.
    wanted: u64,
}

/// The results of the filters for a frame.
#[derive(Clone, Copy, Default)]
struct Match {
    show_stack: u64,
    hide_stack: bool,
    hide_frame: bool,
    is_pivot: bool,
}

impl Paths {
    /// Filters the rows.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn new(source: &Source, config: &Config, meter: &mut Meter) -> Result<Self, Failure> {
        let mut columns = vec![source.column("name")?];
        for name in &config.grouping {
            columns.push(source.column(name)?);
        }
        let rows = source.len();
        meter.grow(rows * (size_of::<Path>() + 5))?;
        let mut paths = Self {
            paths: Vec::with_capacity(rows),
            identity: Vec::with_capacity(rows),
            is_pivot: Vec::with_capacity(rows),
            wanted: (1 << config.show_stack.len()) - 1,
        };
        let mut numbers: FxHashMap<Vec<Option<u64>>, u32> = FxHashMap::default();
        let mut matches: Vec<Match> = Vec::new();
        for row in 0..rows {
            meter.tick()?;
            let key: Vec<_> = columns.iter().map(|column| column.key(row)).collect();
            let next = matches.len();
            let number = *numbers.entry(key).or_insert(next as u32);
            if number as usize == next {
                meter.grow(64 + 16 * columns.len())?;
                matches.push(Match::of(&columns, row, source, config));
            }
            paths.identity.push(number);
            let found = matches.get(number as usize).copied().unwrap_or_default();
            paths.push(source.parents[row], found);
        }
        Ok(paths)
    }

    fn push(&mut self, parent: u32, found: Match) {
        let root = Path {
            bits: 0,
            frame: NONE,
        };
        let parent = self.paths.get(parent as usize).copied().unwrap_or(root);
        let path = if found.hide_frame {
            parent
        } else {
            Path {
                bits: if found.hide_stack {
                    HIDDEN
                } else {
                    found.show_stack | parent.bits
                },
                frame: self.paths.len() as u32,
            }
        };
        self.paths.push(path);
        self.is_pivot.push(found.is_pivot && !found.hide_frame);
    }

    /// The frame that the row's values belong to.
    pub fn frame(&self, row: usize) -> Option<usize> {
        let frame = self.paths[row].frame;
        (frame != NONE).then_some(frame as usize)
    }

    /// Whether a row is kept as its own frame.
    pub fn is_kept(&self, row: usize) -> bool {
        self.paths[row].frame as usize == row
    }

    /// Whether a row is kept and matches the view's pattern.
    pub fn is_pivot(&self, row: usize) -> bool {
        self.is_pivot[row]
    }

    /// Whether the values of a row count: its stack passes all filters.
    pub fn is_shown(&self, row: usize) -> bool {
        let path = self.paths[row];
        path.frame != NONE && path.bits == self.wanted
    }

    /// Whether a `HIDE_STACK` filter matches the stack.
    pub fn is_hidden(&self, row: usize) -> bool {
        self.paths[row].bits & HIDDEN != 0
    }
}

impl Match {
    /// Matches the filters with the name and the grouping columns.
    fn of(columns: &[&Column], row: usize, source: &Source, config: &Config) -> Self {
        let texts = columns
            .iter()
            .map(|column| column.text(row, &source.texts, real::short_text));
        let texts: Vec<String> = texts.flatten().collect();
        let is_match = |regex: &Regex| texts.iter().any(|text| regex.is_match(text));
        let shown = (0..).zip(&config.show_stack);
        Self {
            show_stack: shown.fold(0, |bits, (at, regex)| {
                bits | u64::from(is_match(regex)) << at
            }),
            hide_stack: config.hide_stack.iter().any(is_match),
            hide_frame: config.hide_frame.iter().any(is_match),
            is_pivot: config.pattern.as_ref().is_some_and(is_match),
        }
    }
}
