//! The engine as WebAssembly. Its few functions are exported by hand, so that a report needs no glue
//! code.
//!
//! ```text
//! page                                     engine
//! at = alloc(bytes); copy a block there
//! block(at, bytes)                     ──► decodes it and frees it; once for each block of columns
//! load()                               ──► finishes the trace; returns 0, or 1 if the frame has an `error`
//! at = alloc(bytes); copy a question there
//! answer(at, bytes)                    ──► returns where the frame is, answer_bytes() long
//! ```
//! A frame is valid until the next call. There is one thread and one trace.

use std::cell::{OnceCell, RefCell};

use traceloom_engine::{Cancel, Engine, Frame};
use traceloom_report::{BlockDecoder, ColumnsError};

thread_local! {
    /// The blocks so far, or the first error in them, until [`load`]. A block is several times smaller than its columns, so
    /// blocks are decoded and freed one after the other: memory that was in use once is not given back.
    static DECODER: RefCell<Option<Result<BlockDecoder, ColumnsError>>> = const { RefCell::new(None) };
    static ENGINE: OnceCell<Engine> = const { OnceCell::new() };
    /// The last frame.
    static FRAME: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Allocates `bytes` bytes for the page to fill; [`block`] and [`answer`] free them.
#[unsafe(no_mangle)]
pub extern "C" fn alloc(bytes: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; bytes].into_boxed_slice()).cast()
}

/// Decodes one block of the trace's columns. [`load`] reports its error.
///
/// # Safety
/// `at` and `bytes` belong to one call of [`alloc`] and are used once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn block(at: *mut u8, bytes: usize) {
    // SAFETY: the caller promises what `take` requires.
    let block = unsafe { take(at, bytes) };
    report_panics();
    let before = DECODER
        .take()
        .unwrap_or_else(|| Ok(BlockDecoder::default()));
    let decoded = before.and_then(|mut decoder| {
        decoder.block(&block)?;
        Ok(decoder)
    });
    DECODER.set(Some(decoded));
}

/// A panic ends the engine. The page can still read its message from the last frame.
fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        keep(Frame::new().with("error", panic.to_string()).finish());
    }));
}

/// Finishes the trace. Returns 0, or 1 if that or a block failed and the frame has an `error`.
#[unsafe(no_mangle)]
pub extern "C" fn load() -> u32 {
    let decoder = DECODER
        .take()
        .unwrap_or_else(|| Ok(BlockDecoder::default()));
    match decoder.and_then(BlockDecoder::finish) {
        Ok(trace) => ENGINE.with(|engine| u32::from(engine.set(Engine::new(trace)).is_err())),
        Err(error) => {
            keep(Frame::new().with("error", error.to_string()).finish());
            1
        }
    }
}

/// Answers a question. Returns where the frame is, [`answer_bytes`] long.
///
/// # Safety
/// As for [`block`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn answer(at: *mut u8, bytes: usize) -> *const u8 {
    // SAFETY: the caller promises what `take` requires.
    let question = unsafe { take(at, bytes) };
    let answer = ENGINE.with(|engine| Some(engine.get()?.answer(&question, &Cancel::default())));
    keep(answer.unwrap_or_else(|| Frame::new().with("error", "no trace is loaded").finish()))
}

/// Where the last frame is, also after a failed [`load`].
#[unsafe(no_mangle)]
pub extern "C" fn frame() -> *const u8 {
    FRAME.with_borrow(|frame| frame.as_ptr())
}

/// The length of the last frame.
#[unsafe(no_mangle)]
pub extern "C" fn answer_bytes() -> usize {
    FRAME.with_borrow(Vec::len)
}

fn keep(frame: Vec<u8>) -> *const u8 {
    FRAME.set(frame);
    self::frame()
}

/// Takes back memory that the page filled.
///
/// # Safety
/// `at` and `bytes` belong to one call of [`alloc`] and are taken only once.
unsafe fn take(at: *mut u8, bytes: usize) -> Box<[u8]> {
    // SAFETY: `alloc` made this pointer from a boxed slice of this length, and by the caller's
    // promise it was not taken back before.
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(at, bytes)) }
}
