//! Tests of the recorder. Each runs in a separate process, because a process has only one recorder, and some of the
//! processes are killed.

mod child;
mod crash;
mod faults;
mod fork;
mod quiet;
mod saving;
mod short_calls;
mod signals;
mod threads;
mod triggers;
mod usual;
