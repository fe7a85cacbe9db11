//! The questions of the time line: on hand-made traces, on the examples and on real files.

mod answers;
mod events;
mod every_file;
mod frame;
mod hostile;
mod made;
#[path = "../ask/packed.rs"]
mod packed;
mod preview;
mod records;
