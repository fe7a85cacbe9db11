//! The state kept for each kind of kernel event.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgSetId, StringId, TraceBuilder};

use super::args::{Fields, KeysId, LastFields};
use crate::rules::EventRules;

/// The kinds of events so far. `H` is the handler of an event.
#[derive(Debug)]
pub(super) struct EventTable<H> {
    pub rules: Arc<EventRules>,
    kinds: Vec<EventKind<H>>,
    /// Positions in `kinds` by the interned name.
    by_name: FxHashMap<StringId, usize>,
    /// Positions in `kinds` by the shape of the event in the batch.
    by_shape: Vec<(KeysId, usize)>,
    /// The kind of the current event, if it is in the table.
    current: Option<usize>,
    /// The last fields of events that are not in the table.
    others: LastFields,
}

#[derive(Clone, Debug)]
struct EventKind<H> {
    name: StringId,
    handler: Option<H>,
    /// Whether the user's rules file has rules for it.
    has_rules: bool,
    /// Its last fields. The keys are nearly always the same.
    last: LastFields,
}

impl<H: Copy> EventTable<H> {
    pub fn new(rules: Arc<EventRules>) -> Self {
        Self {
            rules,
            kinds: Vec::new(),
            by_name: FxHashMap::default(),
            by_shape: Vec::new(),
            current: None,
            others: LastFields::default(),
        }
    }

    /// The last fields of the current kind of event.
    pub fn last_fields(&mut self) -> &mut LastFields {
        match self.current.and_then(|at| self.kinds.get_mut(at)) {
            Some(kind) => &mut kind.last,
            None => &mut self.others,
        }
    }

    /// Interns the name of the current event's track, which is usually the same as last time.
    pub fn track_name(&mut self, name: &[u8], out: &mut TraceBuilder) -> StringId {
        let last = &mut self.last_fields().track_name;
        out.intern_cached(last, name);
        *last
    }

    /// Interns the name of the slice that the current event begins or ends.
    pub fn slice_name(&mut self, name: &[u8], out: &mut TraceBuilder) -> StringId {
        let last = &mut self.last_fields().slice_name;
        out.intern_cached(last, name);
        *last
    }

    /// Stores all fields of the current event as arguments.
    pub fn keep(&mut self, fields: Fields<'_>, out: &mut TraceBuilder) -> ArgSetId {
        fields.keep_cached(self.last_fields(), out)
    }
}

/// The maximum number of kinds in the table. No kernel has as many, but a broken file may.
const MOST_KINDS: usize = 4096;

impl<H: Copy> EventTable<H> {
    /// Makes an event the current one. Returns its name, its handler, and whether the user has
    /// rules for it. `find_handler` is called for the first event of a kind.
    pub fn select(
        &mut self,
        name: &[u8],
        keys: KeysId,
        find_handler: fn(&[u8]) -> Option<H>,
        out: &mut TraceBuilder,
    ) -> (StringId, Option<H>, bool) {
        let shape = keys.shape();
        let seen = shape.and_then(|shape| self.by_shape.get(shape));
        let seen = seen.filter(|(seen, _)| *seen == keys);
        if let Some(kind) = seen.and_then(|(_, at)| self.kinds.get(*at)) {
            self.current = seen.map(|(_, at)| *at);
            return (kind.name, kind.handler, kind.has_rules);
        }
        let id = out.intern(name);
        let (handler, has_rules) = self.select_by_name(id, name, find_handler);
        if let (Some(shape), Some(at)) = (shape, self.current) {
            let len = self.by_shape.len().max(shape + 1);
            self.by_shape.resize(len, (KeysId::default(), at));
            self.by_shape[shape] = (keys, at);
        }
        (id, handler, has_rules)
    }

    fn select_by_name(
        &mut self,
        name_id: StringId,
        name: &[u8],
        find_handler: fn(&[u8]) -> Option<H>,
    ) -> (Option<H>, bool) {
        self.current = self.by_name.get(&name_id).copied();
        if let Some(at) = self.current {
            let kind = &self.kinds[at];
            return (kind.handler, kind.has_rules);
        }
        let mut rules = self.rules.events.iter();
        let has_rules = rules.any(|rule| rule.name.as_bytes() == name);
        let handler = find_handler(name);
        let at = self.kinds.len();
        if at < MOST_KINDS {
            self.kinds.push(EventKind {
                name: name_id,
                handler,
                has_rules,
                last: LastFields::default(),
            });
            self.by_name.insert(name_id, at);
            self.current = Some(at);
        }
        (handler, has_rules)
    }
}
