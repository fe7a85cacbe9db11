//! Cuts a text trace without changing a byte of its lines.
//!
//! ```text
//! input ─ containers ─> text ─> TextSurvey    its first and last time; whether it is text alone
//!       ─ containers ─> text ─> TextCopy      the lines in the range ─> text or page
//! ```
//! Both passes read the input as it comes, and keep little more than a line of it. What a line means
//! is left to the reader, so whatever the reader does not know is copied as well.

mod copier;
mod edges;
mod lines;
mod output;
mod survey;
#[cfg(test)]
mod tests;

pub use copier::{Copied, TextCopy};
pub use output::CopyForm;
pub use survey::{TextSurvey, WhyNot};
