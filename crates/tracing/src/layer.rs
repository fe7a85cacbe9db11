//! The `tracing-subscriber` layer.

use std::fmt::Write as _;
use std::io::Write;

use tracing_core::span::{Attributes, Id, Record};
use tracing_core::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

use crate::text::{Counters, Fields, mark, push_name};

/// Writes spans and events as marks, with one `write` per mark.
#[derive(Debug)]
pub struct MarkerLayer<W> {
    marker: W,
    pid: u32,
    with_fields: bool,
}

/// The name of a span in the trace.
struct Name {
    text: String,
    is_async: bool,
}

impl<W> MarkerLayer<W> {
    /// A layer that writes to `marker`. `&W` is used from all threads, with one call of `write` per mark.
    pub fn new(marker: W) -> Self {
        Self {
            marker,
            pid: std::process::id(),
            with_fields: true,
        }
    }

    /// Whether the names of slices include the fields of the span (`decode file=a.png`), which is the default. Without fields,
    /// all slices of a span have the same name and add up in a profile.
    #[must_use]
    pub fn with_fields(self, with_fields: bool) -> Self {
        Self {
            with_fields,
            ..self
        }
    }

    fn name(&self, span: &str, fields: &Fields) -> String {
        let mut name = String::new();
        push_name(&mut name, span);
        if self.with_fields {
            push_name(&mut name, &fields.text);
        }
        name
    }
}

impl<W: 'static> MarkerLayer<W>
where
    for<'w> &'w W: Write,
{
    fn put(&self, text: &str) {
        // The kernel refuses marks while nothing is recorded, which is fine.
        _ = (&self.marker).write(text.as_bytes());
    }

    /// Writes `B|pid|name`, or with an id `S|pid|name|id`.
    fn put_named(&self, letter: char, name: &str, id: Option<u64>) {
        let build = |mark: &mut String| {
            _ = write!(mark, "{letter}|{}|", self.pid);
            push_name(mark, name);
            if let Some(id) = id {
                _ = write!(mark, "|{id}");
            }
        };
        mark(build, |text| self.put(text));
    }
}

impl<S, W: 'static> Layer<S> for MarkerLayer<W>
where
    S: Subscriber + for<'l> LookupSpan<'l>,
    for<'w> &'w W: Write,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let name = Name {
            text: self.name(attributes.metadata().name(), &fields),
            is_async: fields.is_async,
        };
        if name.is_async {
            self.put_named('S', &name.text, Some(id.into_u64()));
        }
        span.extensions_mut().insert(name);
    }

    /// Fields that are recorded later are added to the name, as long as the slice has not begun.
    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::default();
        values.record(&mut fields);
        let mut extensions = span.extensions_mut();
        if let Some(name) = extensions.get_mut::<Name>()
            && self.with_fields
            && !name.is_async
        {
            push_name(&mut name.text, &fields.text);
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(name) = span.extensions().get::<Name>()
            && !name.is_async
        {
            self.put_named('B', &name.text, None);
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(name) = span.extensions().get::<Name>()
            && !name.is_async
        {
            let build = |mark: &mut String| _ = write!(mark, "E|{}", self.pid);
            mark(build, |text| self.put(text));
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else {
            return;
        };
        if let Some(name) = span.extensions().get::<Name>()
            && name.is_async
        {
            self.put_named('F', &name.text, Some(id.into_u64()));
        }
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut counters = Counters::default();
        event.record(&mut counters);
        for (name, value) in &counters.values {
            let build = |mark: &mut String| {
                _ = write!(mark, "C|{}|", self.pid);
                push_name(mark, name);
                _ = write!(mark, "|{value}");
            };
            mark(build, |text| self.put(text));
        }
        if counters.values.is_empty() {
            let mut fields = Fields::default();
            event.record(&mut fields);
            self.put_named('I', fields.text.trim_start(), None);
        }
    }
}
