//! The texts of names.

use traceloom_analyze::timeline::NameId;

use crate::ask::Ask;
use crate::cancel::Cancel;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::frame::Frame;
use crate::text::{LIST_CHARS, cut};

pub(crate) fn names(engine: &Engine, ask: &Ask, cancel: &Cancel) -> Result<Frame, EngineError> {
    let names = &engine.timeline().names;
    let mut texts = Vec::new();
    for (at, id) in ask.u32s("ids")?.into_iter().enumerate() {
        if at % 4096 == 0 {
            cancel.check()?;
        }
        let label = names.label(&engine.trace, NameId(id));
        texts.push(cut(&label, LIST_CHARS).into_owned());
    }
    Ok(Frame::new().with("names", texts))
}
