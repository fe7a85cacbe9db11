//! The recorder, each time in a process of its own: it is one for a process, and some of these die.

mod child;
mod crash;
mod fork;
mod quiet;
mod saving;
mod signals;
mod threads;
mod triggers;
mod usual;
