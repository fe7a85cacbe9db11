//! State that several kinds of profiles share.

use traceloom_trace::{StringId, TraceBuilder};

use super::super::sequence::State;
use super::super::survey::Survey;
use super::super::wire::Fields;
use super::interned::Interned;
use crate::profile::Samples;
use crate::profile::{NONE, Named, Stacks};

/// State that several kinds of profiles share.
pub(super) struct Shared<'s> {
    pub survey: &'s Survey<'s>,
    pub stacks: Stacks,
    pub samples: Samples,
    pub interned: Interned<'s>,
}

impl Shared<'_> {
    /// The callsite of an interned callstack; [`NONE`] if it is unknown.
    pub fn callstack(&mut self, state: &State, iid: u64, out: &mut TraceBuilder) -> u32 {
        let found = self.interned.callstack(state, iid, &mut self.stacks, out);
        found.unwrap_or(NONE)
    }

    /// The callsite of an `InlineCallstack`. Its first frame is the outermost one.
    pub fn inline(&mut self, mapping: &str, callstack: Fields<'_>, out: &mut TraceBuilder) -> u32 {
        let mapping = self.stacks.no_file(mapping, out);
        let frames = callstack.filter(|field| field.number == 1);
        frames.fold(NONE, |callsite, frame| {
            let frame = self
                .stacks
                .named_frame(mapping, inline_frame(frame.fields(), out));
            self.stacks.callsite(callsite, frame)
        })
    }
}

fn inline_frame(fields: Fields<'_>, out: &mut TraceBuilder) -> Named {
    let mut named = Named {
        name: StringId::NULL,
        file: StringId::NULL,
        line: None,
    };
    for field in fields {
        match field.number {
            1 => named.name = out.intern(field.bytes()),
            2 => named.file = out.intern(field.bytes()),
            3 => named.line = Some(field.uint() as u32),
            _ => {}
        }
    }
    named
}
