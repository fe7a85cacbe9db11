//! The texts of names.

use traceloom_analyze::timeline::NameId;

use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;

pub(crate) fn names(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let ids = ask.u32s("ids")?;
    answer.json.list("names", |json| {
        for (at, id) in ids.into_iter().enumerate() {
            if at % 4096 == 0 && ask.cancel.is_raised() {
                break;
            }
            engine.put_label(json, "", NameId(id));
        }
    });
    ask.check()
}
