//! The `atrace` binary.
fn main() {}
