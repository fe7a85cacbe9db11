//! The adb client against a server that misbehaves, and against the real one.

mod ddms;
mod fake;
mod faults;
mod live;
mod perfetto;
mod raw;
mod real;
