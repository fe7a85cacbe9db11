//! Method traces: real files, hand-made ones, broken ones.

mod corpus;
mod made;
mod support;
