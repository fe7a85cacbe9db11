//! How an event's fields are shown: what its `print fmt` says, read once for each kind of event.
//!
//! The kernel prints an event by a format string of C with expressions over its fields. Printing
//! each event only to take the text apart again would be slow, so the string is taken apart here:
//!
//! ```text
//! "vec=%u [action=%s]", REC->vec, __print_symbolic(REC->vec, { 0, "HI" }, { 1, "TIMER" })
//!  vec    = a number           action = a name by number
//! ```
//! Keys, symbolic names, flags and kernel functions are thus those of the printed text. Fields that
//! the text does not show follow by their own name, so that nothing is lost.

mod args;
mod constants;
mod eval;
mod expr;
mod parse;
mod plan;
pub(super) mod template;

pub(super) use eval::{Context, Shown};
pub(super) use expr::cut;
pub(super) use plan::Plan;
