//! The texts of names.

use serde::Deserialize;
use traceloom_analyze::timeline::NameId;

use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;

/// The number of names between two checks whether the answer is still needed.
const STRIDE: usize = 4096;

#[derive(Deserialize)]
struct Question {
    ids: Vec<u32>,
}

pub(crate) fn names(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let Question { ids } = ask.read()?;
    let mut names = Vec::with_capacity(ids.len());
    for ids in ids.chunks(STRIDE) {
        ask.check()?;
        names.extend(ids.iter().map(|id| engine.label(NameId(*id))));
    }
    answer.put("names", names);
    Ok(())
}
