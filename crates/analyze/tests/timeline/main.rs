//! Compares the time line with slow but simple reference results.

mod hard;
mod made;
mod narrowed;
mod order;
mod ranges;
mod unfinished;
mod why;
mod windows;
