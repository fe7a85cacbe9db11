//! Writes the arguments of one event, within limits: names can be used inside of each other again and again, so that few
//! bytes make long keys.

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgValue, StringId, TraceBuilder};

use super::names::Names;
use super::types::Types;

/// The most levels of messages inside each other.
pub(super) const MOST_LEVELS: u32 = 40;

/// The longest key, bytes.
const LONGEST_KEY: usize = 2_000;

/// The length up to which keys are always kept, bytes. Longer ones share a budget: [`FREE`] bytes, and some for each byte of
/// the input.
const USUAL_KEY: usize = 64;
const FREE: usize = 16 << 20;
const FOR_BYTE: usize = 4;

/// What the keys of arguments may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    left: usize,
    /// Arguments whose keys were too long.
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
    pub args: Vec<(StringId, ArgValue)>,
    /// How many items lists have already.
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

    /// Whether a long key may be kept.
    fn may_take(&mut self, key: &str) -> bool {
        let is_known = self.out.trace().strings.lookup(key).is_some();
        let bytes = if is_known { 0 } else { key.len() };
        let left = self.limits.left.checked_sub(bytes);
        self.limits.left = left.unwrap_or(self.limits.left);
        left.is_some() && key.len() <= LONGEST_KEY
    }

    /// The key of something inside of what `prefix` names. `None` if it is too long.
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

/// A name as a part of a key, in which dots and brackets have a meaning. What is too long for a key is cut off.
pub(super) fn plain(name: &[u8]) -> String {
    let name = name.get(..LONGEST_KEY).unwrap_or(name);
    String::from_utf8_lossy(name).replace(['.', '[', ']'], "_")
}
