//! Operations of the timeline.

mod at;
mod find;
mod flows;
mod locate;
mod meta;
mod names;
mod range;
mod rows;
mod slice;
mod statistics;
mod why;
mod window;

pub(crate) use at::at;
pub(crate) use find::{find, same};
pub(crate) use flows::flows;
pub(crate) use locate::{locate, neighbour};
pub(crate) use meta::meta;
pub(crate) use names::names;
pub(crate) use range::range;
pub(crate) use rows::rows;
pub(crate) use slice::slice;
pub(crate) use why::why;
pub(crate) use window::window;
