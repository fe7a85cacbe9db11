//! The time line against slow but plain answers.

mod hard;
mod made;
mod order;
mod ranges;
mod windows;
