//! The layout of the ring file: what an app records about itself, in one memory-mapped file that outlives a crash.
//!
//! `traceloom-inapp` writes it while the app runs, `traceloom-formats` reads it. This crate depends on
//! nothing, so that the library in the app stays small and both sides agree on every byte.
