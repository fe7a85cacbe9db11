//! Method traces: real files, hand-made ones, broken ones.

mod asm;
mod broken;
mod corpus;
mod long_running;
mod made;
mod roundtrip;
mod support;
mod v2;
