//! `trace.dat`: made ones of every kind, damaged ones, and real ones beside trace-cmd's own report.

mod broken;
mod made;
mod peer;
mod props;
mod story;
