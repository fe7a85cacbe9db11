//! Cuts a text trace without changing a byte of its lines.
//!
//! ```text
//! input ─ containers ─> text ─> TextSurvey    its first and last time; whether it is text alone
//!       ─ containers ─> text ─> TextCopy      the lines in the range ─> text or page
//! ```
//! Both passes read the input in chunks and keep little more than one line of it. The reader's rules determine the
//! meaning of a line, and lines that match no rule are copied as well.

mod copier;
mod edges;
mod output;
mod survey;
#[cfg(test)]
mod tests;

pub use copier::{Copied, TextCopy};
pub use output::CopyForm;
pub use survey::{TextSurvey, WhyNot};
