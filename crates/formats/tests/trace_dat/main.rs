//! `trace.dat`: generated files of every kind, damaged files, and real files compared with
//! trace-cmd's own report.

mod broken;
mod made;
mod peer;
mod props;
mod story;
