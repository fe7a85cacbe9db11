//! A format for tests that keeps the bytes it is given, so that unwrapping can be checked byte by
//! byte.

use std::cell::{Cell, RefCell};

use crate::error::ReadError;
use crate::format::{Confidence, Format, ReadOptions, Reader, Target};

thread_local! {
    /// The captured inputs; `None` while nothing is captured on this thread.
    pub(crate) static INPUTS: RefCell<Option<Vec<Vec<u8>>>> = const { RefCell::new(None) };
    /// The formats whose containers are opened instead of captured.
    pub(crate) static CONTAINERS: Cell<&'static [&'static dyn Format]> = const { Cell::new(&[]) };
}

/// While a test captures, accepts everything that is not a container. It rejects inputs that begin
/// with `?`.
pub(crate) struct Capture;

impl Format for Capture {
    fn id(&self) -> &'static str {
        "capture"
    }

    fn title(&self) -> &'static str {
        "capture of the tests"
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        let on = INPUTS.with_borrow(Option::is_some) && !head.starts_with(b"?");
        let free =
            |format: &&dyn Format| !format.is_container() || format.sniff(head) == Confidence::No;
        if on && CONTAINERS.get().iter().all(free) {
            Confidence::Certain
        } else {
            Confidence::No
        }
    }

    fn reader(&self, _: &ReadOptions) -> Option<Box<dyn Reader>> {
        INPUTS.with_borrow_mut(|inputs| inputs.as_mut().map(|inputs| inputs.push(Vec::new())));
        Some(Box::new(CaptureReader))
    }
}

struct CaptureReader;

impl Reader for CaptureReader {
    fn feed(&mut self, chunk: &[u8], _: &mut Target<'_>) -> Result<(), ReadError> {
        INPUTS.with_borrow_mut(|inputs| {
            if let Some(last) = inputs.as_mut().and_then(|inputs| inputs.last_mut()) {
                last.extend_from_slice(chunk);
            }
        });
        Ok(())
    }

    fn finish(&mut self, _: &mut Target<'_>) -> Result<(), ReadError> {
        Ok(())
    }
}
