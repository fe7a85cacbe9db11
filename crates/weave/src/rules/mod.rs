//! Rules that choose methods: by package, class, method, annotation and kind.

mod annotations;
mod choose;
mod kind;
mod pattern;
mod read;

pub use choose::{Choice, Choices, Names, Rules};
pub use kind::Skip;
pub use read::RulesError;
