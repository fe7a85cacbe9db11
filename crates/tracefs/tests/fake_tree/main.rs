//! Sessions on a fake tree: which files are written, in which order, and that they are restored if a step fails. No test
//! here needs root or a kernel.

mod categories;
mod fake;
mod left_running;
mod probes;
mod recording;
