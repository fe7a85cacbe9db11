//! The fields of an event as its `print fmt` shows them, compiled once for each kind of event.
//!
//! The kernel prints an event with a C format string and expressions over its fields. Printing
//! every event only to parse the text again would be slow, so the format string is parsed instead:
//!
//! ```text
//! "vec=%u [action=%s]", REC->vec, __print_symbolic(REC->vec, { 0, "HI" }, { 1, "TIMER" })
//!  vec    = a number           action = a name by number
//! ```
//! Keys, symbolic names, flags and kernel functions therefore match the printed text. Fields that
//! are not in the text are added under their own name, so that nothing is lost.

mod args;
mod constants;
mod eval;
mod expr;
mod object;
mod parse;
mod plan;
pub(super) mod template;

pub(super) use eval::{Context, Shown};
pub(super) use expr::cut;
pub(super) use plan::Plan;
