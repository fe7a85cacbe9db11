//! The engine as WebAssembly: a few functions by hand, so that a report needs no glue code.
//!
//! ```text
//! page                                     engine
//! at = alloc(bytes); copy a block there
//! block(at, bytes)                     ──► keeps it; once for each block of columns
//! load()                               ──► reads the trace; 0, or 1 and a frame with `error`
//! at = alloc(bytes); copy a question there
//! answer(at, bytes)                    ──► where the frame is, answer_bytes() long
//!
//! engine                                   page
//! lowercase(at, bytes)                 ──► a text with other than ASCII letters: alloc(4 + n),
//!                                          n as u32 and the n bytes of the same in small letters
//! digits(number)                       ──► a float that is finite: likewise its shortest digits
//! ```
//! A frame stays until the next call. One thread, one trace.

use std::cell::{OnceCell, RefCell};
use std::mem::ManuallyDrop;

use traceloom_columns::decode_into;
use traceloom_engine::{Cancel, Engine, Frame};
use traceloom_trace::Trace;

#[cfg(target_family = "wasm")]
mod page {
    // Named, as newer linkers take no symbol for granted.
    #[link(wasm_import_module = "env")]
    unsafe extern "C" {
        /// A text in small letters, as the browser makes them: where its length and it are, in
        /// memory of [`alloc`](super::alloc).
        fn lowercase(at: *const u8, bytes: usize) -> *mut u8;
        /// The shortest decimal that means just this number; given back likewise.
        fn digits(number: f64) -> *mut u8;
    }

    /// The text in small letters.
    pub fn small_letters(text: &str) -> String {
        // SAFETY: the page only reads the text, and keeps no pointer to it.
        let at = unsafe { lowercase(text.as_ptr(), text.len()) };
        // SAFETY: it is what `lowercase` gave.
        unsafe { said(at) }
    }

    /// The number as JSON writes it.
    pub fn shortest_digits(number: f64) -> String {
        // SAFETY: a number is all that the page gets.
        let at = unsafe { digits(number) };
        // SAFETY: it is what `digits` gave.
        unsafe { said(at) }
    }

    /// What the page gave.
    ///
    /// # Safety
    /// `at` is memory of [`alloc`](super::alloc) that starts with how many bytes follow the first
    /// four, is that long, and is taken only here.
    unsafe fn said(at: *mut u8) -> String {
        // SAFETY: by the caller's promise.
        let all = unsafe {
            let bytes = at.cast::<u32>().read_unaligned() as usize;
            super::take(at, 4 + bytes)
        };
        // Browsers give UTF-8.
        String::from_utf8(all[4..].to_vec()).unwrap_or_default()
    }
}

thread_local! {
    /// Blocks that wait for [`load`].
    static BLOCKS: RefCell<Vec<Box<[u8]>>> = const { RefCell::new(Vec::new()) };
    /// Never dropped: its page goes with it, and a report carries the code.
    static ENGINE: OnceCell<&'static Engine> = const { OnceCell::new() };
    /// The last frame. Boxed, so that it is as long as its memory.
    static FRAME: RefCell<Box<[u8]>> = RefCell::default();
}

/// Memory for `bytes` bytes that the page fills; [`block`] and [`answer`] take it back.
#[unsafe(no_mangle)]
pub extern "C" fn alloc(bytes: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; bytes].into_boxed_slice()).cast()
}

/// Takes one block of the trace's columns.
///
/// # Safety
/// `at` and `bytes` are those of one call of [`alloc`], used for no other call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn block(at: *mut u8, bytes: usize) {
    // SAFETY: the caller promises what `take` needs.
    let block = unsafe { take(at, bytes) };
    BLOCKS.with_borrow_mut(|blocks| blocks.push(block));
}

/// Reads the trace out of the blocks. 0 if it worked, else 1 and there is a frame with `error`.
#[unsafe(no_mangle)]
pub extern "C" fn load() -> u32 {
    // A panic ends the engine; what it said is the last frame, which the page can still read.
    std::panic::set_hook(Box::new(|panic| {
        keep(Frame::new().with("error", panic.to_string()).finish());
    }));
    #[cfg(target_family = "wasm")]
    {
        traceloom_engine::set_lowercase(page::small_letters);
        traceloom_engine::set_digits(page::shortest_digits);
    }
    let blocks = BLOCKS.take();
    // Like the engine, never dropped; a page loads no second trace after a bad one.
    let mut trace = ManuallyDrop::new(Trace::default());
    match decode_into(&mut trace, blocks.iter().map(|block| &**block)) {
        Ok(()) => {
            let engine = Engine::new(ManuallyDrop::into_inner(trace));
            let engine = Box::leak(Box::new(engine));
            u32::from(ENGINE.with(|kept| kept.set(engine)).is_err())
        }
        Err(error) => {
            keep(Frame::new().with("error", error.to_string()).finish());
            1
        }
    }
}

/// Answers a question: where the frame is, [`answer_bytes`] long.
///
/// # Safety
/// As [`block`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn answer(at: *mut u8, bytes: usize) -> *const u8 {
    // SAFETY: the caller promises what `take` needs.
    let question = unsafe { take(at, bytes) };
    let answer = ENGINE.with(|engine| {
        let engine = engine.get()?;
        Some(engine.answer(&question, &Cancel::default()))
    });
    keep(answer.unwrap_or_else(|| Frame::new().with("error", "no trace is loaded").finish()))
}

/// Where the last frame is; that of a [`load`] that failed too.
#[unsafe(no_mangle)]
pub extern "C" fn frame() -> *const u8 {
    FRAME.with_borrow(|frame| frame.as_ptr())
}

/// How long the last frame is.
#[unsafe(no_mangle)]
pub extern "C" fn answer_bytes() -> usize {
    FRAME.with_borrow(|frame| frame.len())
}

fn keep(frame: Vec<u8>) -> *const u8 {
    FRAME.set(frame.into_boxed_slice());
    self::frame()
}

/// The memory that the page filled.
///
/// # Safety
/// `at` and `bytes` are those of one call of [`alloc`], and this is the only time they are taken.
unsafe fn take(at: *mut u8, bytes: usize) -> Box<[u8]> {
    // SAFETY: `alloc` made this pointer out of a boxed slice of this length, and by the caller's
    // promise nothing else took it back since.
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(at, bytes)) }
}
