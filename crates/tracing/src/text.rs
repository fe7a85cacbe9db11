//! Marks as text: `B|pid|name`.

use std::cell::RefCell;
use std::fmt::{self, Debug, Write};

use tracing_core::field::{Field, Visit};

/// The longest name, bytes: Android's libraries cut marks at 1024 bytes, and readers expect that.
const LONGEST_NAME: usize = 1000;

thread_local! {
    /// A thread's last mark, kept for its memory.
    static MARK: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Puts a mark together and hands it over, without allocating once a thread has made its longest.
pub(crate) fn mark(build: impl FnOnce(&mut String), write: impl FnOnce(&str)) {
    MARK.with(|mark| {
        // A value's Debug may trace in turn, while its own mark is being made.
        let mut own = String::new();
        let mut kept = mark.try_borrow_mut();
        let mark = kept.as_deref_mut().unwrap_or(&mut own);
        mark.clear();
        build(mark);
        write(mark);
    });
}

/// A name that fits into a mark: without line ends, and not too long.
pub(crate) fn push_name(mark: &mut String, name: &str) {
    let end = name.floor_char_boundary(LONGEST_NAME);
    mark.extend(
        name[..end]
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c }),
    );
}

/// The fields of a span, behind its name: `name key=value`.
#[derive(Default)]
pub(crate) struct Fields {
    /// What stands behind the name.
    pub text: String,
    /// Whether it goes on beyond its threads.
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

/// The counters of an event: fields called `counter.NAME`.
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
