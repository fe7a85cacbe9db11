//! Interned names of the current event's sequence.

use rustc_hash::FxHashMap;
use traceloom_trace::{StringId, TraceBuilder};

use super::super::sequence::State;
use super::super::survey::Survey;
use super::super::wire::Fields;
use super::event::Event;

/// Fields of `InternedData`.
pub(super) mod interned {
    pub const CATEGORIES: u32 = 1;
    pub const EVENT_NAMES: u32 = 2;
    pub const ANNOTATION_NAMES: u32 = 3;
    pub const SOURCE_LOCATIONS: u32 = 4;
    pub const LOG_MESSAGES: u32 = 20;
    pub const MAPPINGS: u32 = 19;
    pub const HISTOGRAMS: u32 = 25;
    pub const ANNOTATION_TYPES: u32 = 27;
    pub const UNSYMBOLIZED_LOCATIONS: u32 = 28;
    pub const ANNOTATION_STRINGS: u32 = 29;
    pub const CORRELATION_IDS: u32 = 43;
    pub const JOB_NAMES: u32 = 44;
}

/// Finds interned messages in the state of a packet.
#[derive(Clone, Copy)]
pub(super) struct Names<'s> {
    pub survey: &'s Survey<'s>,
    pub state: State,
}

impl<'s> Names<'s> {
    /// The fields of an interned message.
    pub fn message(&self, field: u32, iid: u64) -> Option<Fields<'s>> {
        let span = self.survey.sequences.interned(&self.state, field, iid)?;
        Some(Fields::new(self.survey.source.get(span)))
    }

    /// The text of an interned message: its field 2.
    pub fn text(&self, field: u32, iid: u64) -> Option<&'s [u8]> {
        let text = self.message(field, iid)?.find(|field| field.number == 2)?;
        Some(text.bytes())
    }

    /// The name of an event; null if it has none.
    pub fn name(&self, event: &Event<'_>, texts: &mut Texts, out: &mut TraceBuilder) -> StringId {
        let legacy = event.legacy.map_or(0, |legacy| legacy.name_iid);
        let iid = if event.name_iid != 0 {
            event.name_iid
        } else {
            legacy
        };
        if iid != 0 {
            return texts.get(self, interned::EVENT_NAMES, iid, out);
        }
        event.name.map_or(StringId::NULL, |name| out.intern(name))
    }

    /// The categories of an event, joined by commas; null if it has none.
    pub fn category(
        &self,
        event: &Event<'_>,
        texts: &mut Texts,
        out: &mut TraceBuilder,
    ) -> StringId {
        match (event.category_iids.as_slice(), event.categories.as_slice()) {
            ([], []) => StringId::NULL,
            ([iid], []) => match texts.get(self, interned::CATEGORIES, *iid, out) {
                StringId::NULL => out.intern(format!("unknown({iid})").as_bytes()),
                known => known,
            },
            (iids, texts) => {
                let interned = iids.iter();
                let interned = interned.filter_map(|iid| self.text(interned::CATEGORIES, *iid));
                let all: Vec<&[u8]> = interned.chain(texts.iter().copied()).collect();
                match all.as_slice() {
                    [] => StringId::NULL,
                    all => out.intern(&all.join(&b',')),
                }
            }
        }
    }
}

/// A cache of string ids by generation, field and iid. Most events have the same texts as earlier ones.
#[derive(Debug, Default)]
pub(super) struct Texts(FxHashMap<(u32, u32, u64), StringId>);

impl Texts {
    /// The string id of an interned text; null if the text is unknown.
    fn get(&mut self, names: &Names<'_>, field: u32, iid: u64, out: &mut TraceBuilder) -> StringId {
        let key = (names.state.generation, field, iid);
        if let Some(known) = self.0.get(&key) {
            return *known;
        }
        let Some(text) = names.text(field, iid) else {
            return StringId::NULL;
        };
        let id = out.intern(text);
        self.0.insert(key, id);
        id
    }
}
