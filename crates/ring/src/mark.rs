//! Writing events as `trace_marker` text.

use crate::events::What;
use crate::names::{unnamed_id, unnamed_method};
use crate::record::fields;

impl What<'_> {
    /// Appends the event to `out` as the text that a program would write to `trace_marker`. Methods become sections.
    /// `name_of` gives the name of an id.
    pub fn write_mark<'n>(
        &self,
        pid: u32,
        name_of: impl FnOnce(u32) -> Option<&'n [u8]>,
        out: &mut Vec<u8>,
    ) {
        if let Self::Mark(payload) = self {
            return out.extend_from_slice(payload);
        }
        let Some(fields) = fields(self) else {
            return;
        };
        let kind = fields.kind;
        out.extend(kind.mark_letter());
        out.extend_from_slice(format!("|{pid}").as_bytes());
        if matches!(self, Self::End | Self::Exit { .. }) {
            return;
        }
        out.push(b'|');
        let is_method = matches!(self, Self::Enter { .. });
        let name = if kind.has_text() {
            Some(fields.text)
        } else {
            name_of(fields.argument)
        };
        match name {
            Some(name) => out.extend_from_slice(name),
            None if is_method => out.extend(unnamed_method(fields.argument).into_bytes()),
            None => out.extend(unnamed_id(fields.argument).into_bytes()),
        }
        // The value of a method is its CPU time, which marks cannot carry.
        if kind.has_value() && !is_method {
            out.extend_from_slice(format!("|{}", fields.value as i64).as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Name;

    #[test]
    fn events_are_written_as_marks() {
        let mark = |what: What<'_>| {
            let mut mark = Vec::new();
            what.write_mark(9, |id| (id == 1).then_some(b"one"), &mut mark);
            String::from_utf8(mark).unwrap()
        };
        let cpu_ns = Some(5);
        assert_eq!(mark(What::Begin(Name::Id(1))), "B|9|one");
        assert_eq!(mark(What::Begin(Name::Text(b"draw"))), "B|9|draw");
        assert_eq!(mark(What::Enter { id: 7, cpu_ns }), "B|9|7");
        assert_eq!(mark(What::Exit { id: 7, cpu_ns }), "E|9");
        assert_eq!(mark(What::End), "E|9");
        assert_eq!(mark(What::Counter(Name::Id(7), -3)), "C|9|#7|-3");
        assert_eq!(mark(What::Instant(Name::Text(b"tap"))), "I|9|tap");
        assert_eq!(mark(What::AsyncBegin(Name::Id(1), 4)), "S|9|one|4");
        assert_eq!(mark(What::AsyncEnd(Name::Text(b"x"), 4)), "F|9|x|4");
        assert_eq!(mark(What::Mark(b"G|1|a"[..].into())), "G|1|a");
    }
}
