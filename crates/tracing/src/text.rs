//! Formatting marks: `B|pid|name`.

use std::cell::RefCell;
use std::fmt::{self, Debug, Write};

use tracing_core::field::{Field, Visit};

/// Maximum length of a name, bytes. Android's libraries cut marks at 1024 bytes, and readers rely on that.
const MAX_NAME_BYTES: usize = 1000;

thread_local! {
    /// A buffer for marks, reused by each thread.
    static BUFFER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Builds a mark and writes it. It only allocates while the thread's buffer grows.
pub(crate) fn mark(build: impl FnOnce(&mut String), write: impl FnOnce(&str)) {
    BUFFER.with(|buffer| {
        // The buffer is in use if the `Debug` implementation of a value traces while its mark is built.
        let mut fallback = String::new();
        let mut buffer = buffer.try_borrow_mut();
        let mark = buffer.as_deref_mut().unwrap_or(&mut fallback);
        mark.clear();
        build(mark);
        write(mark);
    });
}

/// Appends a name, without line ends and limited in length.
pub(crate) fn push_name(mark: &mut String, name: &str) {
    let end = name.floor_char_boundary(MAX_NAME_BYTES);
    mark.extend(
        name[..end]
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c }),
    );
}

/// The fields of a span as text: ` key=value`.
#[derive(Default)]
pub(crate) struct Fields {
    /// The text to append to the name.
    pub text: String,
    /// Whether the span has `async = true`.
    pub is_async: bool,
}

impl Visit for Fields {
    fn record_bool(&mut self, field: &Field, value: bool) {
        match field.name() {
            "async" => self.is_async = value,
            _ => self.record_debug(field, &value),
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.push(field.name(), format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.push(field.name(), format_args!("{value:?}"));
    }
}

impl Fields {
    fn push(&mut self, name: &str, value: fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        _ = match name {
            "message" => write!(self.text, " {value}"),
            name => write!(self.text, " {name}={value}"),
        };
    }
}

/// The counters of an event: fields named `counter.NAME`.
#[derive(Default)]
pub(crate) struct Counters {
    /// Names and values.
    pub values: Vec<(&'static str, i64)>,
}

impl Visit for Counters {
    fn record_i64(&mut self, field: &Field, value: i64) {
        if let Some(name) = field.name().strip_prefix("counter.") {
            self.values.push((name, value));
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.record_i64(field, i64::try_from(value).unwrap_or(i64::MAX));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.record_i64(field, value as i64);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.record_i64(field, value.into());
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}
