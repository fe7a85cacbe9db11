//! Reads one event from its object.

use std::borrow::Cow;

use traceloom_trace::ArgValue;

use crate::json::{Fields, Value, int, large_micros_to_ns, micros_to_ns};

/// The optional fields. Some programs write every field of an object, with `null` for a missing one.
const FIELDS: [&[u8]; 13] = [
    b"ph", b"name", b"cat", b"ts", b"dur", b"tts", b"tdur", b"pid", b"tid", b"id", b"id2",
    b"bind_id", b"args",
];

/// The fields of an event. All fields without a member here are in `others`.
#[derive(Debug, Default)]
pub(super) struct Event<'a> {
    pub phase: u8,
    pub name: Cow<'a, [u8]>,
    pub category: Cow<'a, [u8]>,
    /// Whether the event has a name, even if it is empty.
    pub has_name: bool,
    /// Whether the event has a category, even if it is empty.
    pub has_category: bool,
    pub ts: Option<i64>,
    /// The time, ns, if it is too large for `ts`.
    pub large_ts: Option<i128>,
    pub dur: Option<i64>,
    pub thread_ts: Option<i64>,
    pub thread_dur: Option<i64>,
    pub pid: Option<Value<'a>>,
    pub tid: Option<Value<'a>>,
    /// Identifies an async slice, counter or flow across its events.
    pub id: Option<Cow<'a, [u8]>>,
    /// Whether the id is the same in all processes.
    pub is_global: bool,
    /// Whether the id is valid only within its process.
    pub is_local: bool,
    pub bind_id: Option<Cow<'a, [u8]>>,
    pub flow_in: bool,
    pub flow_out: bool,
    /// Whether a flow ends at the enclosing slice instead of the next one.
    pub binds_enclosing: bool,
    /// The scope of an instant: `g`, `p` or `t`.
    pub scope: u8,
    pub args: Option<Value<'a>>,
    pub others: Vec<(Cow<'a, [u8]>, Value<'a>)>,
    /// Whether there is a duration that is not a number.
    pub has_bad_dur: bool,
    /// The number of fields that could not be read.
    pub bad_fields: u64,
    /// Whether the object has fields.
    pub has_fields: bool,
    /// The id in `id2`, and whether it is global. The field `id` takes precedence over it.
    second_id: Option<(Cow<'a, [u8]>, bool)>,
}

impl<'a> Event<'a> {
    /// Reads an object.
    pub fn read(text: &'a [u8]) -> Self {
        let mut event = Self::default();
        let mut fields = Fields::new(text);
        for (key, value) in &mut fields {
            event.has_fields = true;
            event.take(key, value);
        }
        event.bad_fields += u64::from(fields.is_broken());
        if let (None, Some((id, is_global))) = (&event.id, event.second_id.take()) {
            (event.id, event.is_global, event.is_local) = (Some(id), is_global, !is_global);
        }
        event
    }

    fn take(&mut self, key: Cow<'a, [u8]>, value: Value<'a>) {
        if value == Value::Word(b"null") && FIELDS.contains(&&*key) {
            return;
        }
        match &*key {
            b"ph" => {
                self.phase = value
                    .text()
                    .and_then(|text| text.first().copied())
                    .unwrap_or(0)
            }
            b"name" => (self.name, self.has_name) = (self.text(value), true),
            b"cat" => (self.category, self.has_category) = (self.text(value), true),
            b"ts" => self.start(&value),
            b"dur" => self.duration(&value),
            b"tts" => self.thread_ts = self.time(&value),
            b"tdur" => self.thread_dur = self.time(&value),
            b"pid" => self.pid = Some(value),
            b"tid" => self.tid = Some(value),
            b"id" => self.id = Some(self.text(value)),
            b"id2" => self.id2(&value),
            b"bind_id" => self.bind_id = Some(self.text(value)),
            b"flow_in" => self.flow_in = value == Value::Word(b"true"),
            b"flow_out" => self.flow_out = value == Value::Word(b"true"),
            b"bp" => self.binds_enclosing = value.text() == Some(b"e"),
            b"s" => {
                self.scope = value
                    .text()
                    .and_then(|text| text.first().copied())
                    .unwrap_or(0)
            }
            b"args" => self.args = Some(value),
            _ => self.others.push((key, value)),
        }
    }

    /// Whether it is one of the events of an asynchronous slice.
    pub fn is_async(&self) -> bool {
        matches!(self.phase, b'b' | b'n' | b'e' | b'S' | b'T' | b'p' | b'F')
    }

    /// The id of the flow that this event binds to its slice.
    pub fn bind(&self) -> Option<&[u8]> {
        let has_slice = matches!(self.phase, b'B' | b'X' | b'b' | b'n');
        let bind = self.bind_id.as_deref();
        bind.filter(|_| has_slice && (self.flow_in || self.flow_out))
    }

    /// Whether it is one of the events of a flow.
    pub fn is_flow(&self) -> bool {
        matches!(self.phase, b's' | b't' | b'f')
    }

    /// The id, preceded by what distinguishes equal ids: the scope of an asynchronous slice, and the process of the
    /// local id of a flow.
    pub fn whole_id(&self) -> Option<Cow<'_, [u8]>> {
        let id = self.id.as_deref()?;
        let apart = if self.is_async() {
            let scope = self.others.iter().find(|(key, _)| &**key == b"scope");
            scope.and_then(|(_, scope)| scope.text())
        } else {
            let pid = self.pid.as_ref().filter(|_| self.is_local);
            pid.and_then(Value::text)
        };
        Some(match apart {
            Some(apart) => [apart, b"\0", id].concat().into(),
            None => id.into(),
        })
    }

    /// The requested position of the process or thread in the display.
    pub fn sort_index(&self) -> Option<ArgValue> {
        let value = self.argument(b"sort_index")?;
        let fraction = || value.number().filter(|index| index.is_finite());
        let index = int(value.text()?).or_else(|| Some(fraction()? as i64));
        Some(ArgValue::Int(index?))
    }

    fn start(&mut self, value: &Value<'a>) {
        let text = value.text().unwrap_or(b"");
        self.ts = micros_to_ns(text);
        if self.ts.is_none() {
            self.large_ts = large_micros_to_ns(text);
        }
        self.bad_fields += u64::from(self.ts.is_none() && self.large_ts.is_none());
    }

    fn duration(&mut self, value: &Value<'a>) {
        let bad_before = self.bad_fields;
        self.dur = self.time(value);
        self.has_bad_dur = self.bad_fields > bad_before;
    }

    /// Reads `id2`: the global id, otherwise the local one. Other keys count as bad fields.
    fn id2(&mut self, value: &Value<'a>) {
        for (key, value) in value.fields() {
            let is_global = &*key == b"global";
            if !is_global && &*key != b"local" {
                self.bad_fields += 1;
            } else if is_global || self.second_id.is_none() {
                self.second_id = Some((self.text(value), is_global));
            }
        }
    }

    fn text(&mut self, value: Value<'a>) -> Cow<'a, [u8]> {
        match value {
            Value::Text(text) => text,
            Value::Word(word) => word.into(),
            Value::Nested(_) => {
                self.bad_fields += 1;
                Cow::default()
            }
        }
    }

    fn time(&mut self, value: &Value<'a>) -> Option<i64> {
        let ns = value.text().and_then(micros_to_ns);
        self.bad_fields += u64::from(ns.is_none());
        ns
    }

    /// An argument of the event.
    pub fn argument(&self, wanted: &[u8]) -> Option<Value<'a>> {
        let mut fields = self.args.as_ref()?.fields();
        fields
            .find(|(key, _)| &**key == wanted)
            .map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use traceloom_trace::ArgValue;

    use super::Event;

    /// Unity's build program writes them as texts. They are read as in Perfetto.
    #[test]
    fn sort_indexes_are_numbers_of_any_form() {
        let index = |text: &str| {
            let event = format!(r#"{{"ph":"M","args":{{"sort_index":{text}}}}}"#);
            Event::read(event.as_bytes()).sort_index()
        };
        for text in ["-2", "-2.0", "\"-2\"", "-2.9", "-2e0"] {
            assert_eq!(index(text), Some(ArgValue::Int(-2)), "{text}");
        }
        for text in ["null", "\"x\"", "NaN", "{}"] {
            assert_eq!(index(text), None, "{text}");
        }
    }
}
