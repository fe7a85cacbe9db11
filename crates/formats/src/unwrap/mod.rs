//! Parts shared by all containers: inflating, opening the contents, and the limits that stop
//! decompression bombs.

mod allowance;
mod deflate;
mod inflate;
mod inner;
#[cfg(test)]
mod tests;

pub(crate) use allowance::Allowance;
pub(crate) use deflate::{DeflateReader, Wrapping};
pub(crate) use inflate::{Inflater, Outcome};
pub(crate) use inner::Inner;
