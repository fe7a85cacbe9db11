//! The `traceloom` binary.
fn main() {}
