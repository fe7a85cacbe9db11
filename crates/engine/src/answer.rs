//! Answering a question: finds the operation and runs it.

use serde::Deserialize;

use crate::ask::Ask;
use crate::cancel::Cancel;
use crate::engine::Engine;
use crate::error::{Answered, EngineError};
use crate::frame::Frame;
use crate::ops;

#[derive(Deserialize)]
struct Op {
    op: String,
}

impl Engine {
    /// Answers one question with a [`Frame`] in bytes. If the question has no answer, the frame has
    /// only `error`.
    pub fn answer(&self, question: &[u8], cancel: &Cancel) -> Vec<u8> {
        let mut frame = Frame::new();
        match self.dispatch(question, cancel, &mut frame) {
            Ok(()) => frame.finish(),
            Err(error) => Frame::error(&error).finish(),
        }
    }

    fn dispatch(&self, question: &[u8], cancel: &Cancel, frame: &mut Frame) -> Answered {
        let ask = Ask::new(question, cancel)?;
        let Op { op } = ask.read()?;
        match ops::OPS.iter().find(|(name, _)| *name == op) {
            Some((_, answer)) => answer(self, &ask, frame),
            None => Err(EngineError::UnknownOp(op).into()),
        }
    }
}
