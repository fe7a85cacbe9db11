//! The time line against slow but plain answers.

mod hard;
mod made;
mod narrowed;
mod order;
mod ranges;
mod windows;
