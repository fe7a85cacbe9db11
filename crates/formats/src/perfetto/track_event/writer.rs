//! Writes the arguments of one event, within limits. Interned names can be nested repeatedly, so that few bytes of
//! input produce long keys.

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgValue, StringId, TraceBuilder};

use super::names::Names;
use super::renames::Renames;
use super::types::Types;

/// The maximum length of a key, bytes.
const LONGEST_KEY: usize = 2_000;

/// Keys of up to this length are always kept, bytes. Longer keys share a budget of [`FREE`] bytes, plus [`FOR_BYTE`]
/// bytes per byte of input.
const USUAL_KEY: usize = 64;
const FREE: usize = 16 << 20;
const FOR_BYTE: usize = 4;

/// The budget for long argument keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    left: usize,
    /// The number of arguments whose keys were too long.
    pub refused: u64,
}

impl Limits {
    pub fn new(source_bytes: usize) -> Self {
        Self {
            left: FREE.saturating_add(source_bytes.saturating_mul(FOR_BYTE)),
            refused: 0,
        }
    }
}

/// The arguments of one event.
pub(super) struct Writer<'a, 's> {
    pub names: Names<'s>,
    pub out: &'a mut TraceBuilder,
    pub types: &'a mut Types<'s>,
    pub limits: &'a mut Limits,
    pub renames: &'a mut Renames<'s>,
    pub args: Vec<(StringId, ArgValue)>,
    /// The number of items that each list already has.
    pub items: FxHashMap<String, usize>,
}

impl<'s> Writer<'_, 's> {
    pub fn push(&mut self, key: &str, value: ArgValue) {
        if key.len() <= USUAL_KEY || self.may_take(key) {
            let key = self.out.intern(key.as_bytes());
            self.args.push((key, value));
        } else {
            self.limits.refused += 1;
        }
    }

    /// Charges a long key to the budget. Returns whether it may be kept.
    fn may_take(&mut self, key: &str) -> bool {
        let is_known = self.out.trace().strings.lookup(key).is_some();
        let bytes = if is_known { 0 } else { key.len() };
        let left = self.limits.left.checked_sub(bytes);
        self.limits.left = left.unwrap_or(self.limits.left);
        left.is_some() && key.len() <= LONGEST_KEY
    }

    /// The key of `name` inside `prefix`. Returns `None` if it is too long.
    pub fn inner(&mut self, prefix: &str, name: &str) -> Option<String> {
        if prefix.len() + name.len() >= LONGEST_KEY {
            self.limits.refused += 1;
            return None;
        }
        Some(match prefix {
            "" => name.to_owned(),
            prefix => format!("{prefix}.{name}"),
        })
    }

    pub fn text(&mut self, key: &str, text: &[u8]) {
        let text = self.out.intern(text);
        self.push(key, ArgValue::Text(text));
    }
}

pub(super) fn unsigned(bits: u64) -> ArgValue {
    i64::try_from(bits).map_or(ArgValue::Unsigned(bits), ArgValue::Int)
}

/// A name as part of a key. Dots and brackets have a meaning in keys, so they are replaced. A name that is too long for
/// a key is truncated.
pub(super) fn plain(name: &[u8]) -> String {
    let name = name.get(..LONGEST_KEY).unwrap_or(name);
    String::from_utf8_lossy(name).replace(['.', '[', ']'], "_")
}
