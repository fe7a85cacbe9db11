//! Events that the kernel prints without their name.
//!
//! ```text
//!  sh-100    [000] .....    51.779285: <stack trace>
//! ```
//! The texts are printed by `kernel/trace/trace_output.c`.

use super::event::{Event, Field};

/// Parses the text after a line's columns.
#[cold]
pub(super) fn event<'a>(text: &'a [u8], _: &mut Vec<Field<'a>>) -> Option<Event<'a>> {
    stack(text).map(Event::Stack)
}

/// The name of the event whose stack follows.
fn stack(text: &[u8]) -> Option<&'static [u8]> {
    match text.trim_ascii_end() {
        b"<stack trace>" => Some(b"kernel_stack"),
        b"<user stack trace>" => Some(b"user_stack"),
        _ => None,
    }
}
