//! The table of operations.

use super::{events, frames, profile, records, timeline};
use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;

/// Answers one operation: reads its fields from the question and adds the answer to the frame. The
/// frame is dropped in case of an error.
pub(crate) type Answer = fn(&Engine, &Ask, &mut Frame) -> Answered;

/// Every operation by name.
pub(crate) const OPS: &[(&str, Answer)] = &[
    ("profile", profile::profile),
    ("method", profile::method),
    ("tree", profile::tree),
    ("flame", profile::flame),
    ("ranks", profile::ranks),
    ("graph", profile::graph),
    ("diff", profile::diff),
    ("meta", timeline::meta),
    ("rows", timeline::rows),
    ("window", timeline::window),
    ("names", timeline::names),
    ("slice", timeline::slice),
    ("locate", timeline::locate),
    ("neighbour", timeline::neighbour),
    ("frames", frames::frames),
    ("events", events::events),
    ("event_names", events::event_names_of),
    ("records", records::records),
    ("find", timeline::find),
    ("same", timeline::same),
    ("flows", timeline::flows),
    ("at", timeline::at),
    ("why", timeline::why),
    ("range", timeline::range),
];
