//! The adb client against a server that misbehaves, and against the real one.

mod ddms;
mod fake;
mod faults;
mod raw;
mod real;
