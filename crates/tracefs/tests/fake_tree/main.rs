//! Sessions on a made-up tree: what is written, in which order, and what is put back when a step
//! fails. Nothing here needs root or a kernel.

mod categories;
mod fake;
mod left_running;
mod recording;
