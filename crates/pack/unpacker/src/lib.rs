//! The unpacking half as WebAssembly: one function by hand, so that it needs no glue code.
//!
//! ```text
//! page                                    unpacker
//! memory.grow(…) by what goes in and out
//! at = __heap_base; copy the packed content there
//! unpack(at, bytes, out, length)      ──► writes `length` bytes at `out`
//! ```
//! An instance unpacks once: its model starts as zeros.
#![cfg_attr(target_family = "wasm", no_std)]

use core::mem::MaybeUninit;
use core::slice;

use traceloom_pack::{Model, unpack as unpack_into};

/// Nothing here panics on purpose; the page hears of a trap.
#[cfg(target_family = "wasm")]
#[panic_handler]
fn trap(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

static mut MODEL: MaybeUninit<Model> = MaybeUninit::zeroed();

/// Unpacks the `bytes` at `at` into the `length` bytes at `out`.
///
/// # Safety
/// Both are memory of this instance behind `__heap_base`, apart from each other, and this is the
/// instance's only call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unpack(at: *const u8, bytes: usize, out: *mut u8, length: usize) {
    // SAFETY: zeros are a value of all that a model is made of, and by the caller's promise nobody
    // else has it or the memory.
    unsafe {
        let model = &raw mut MODEL;
        let packed = slice::from_raw_parts(at, bytes);
        unpack_into(
            packed,
            (*model).assume_init_mut(),
            slice::from_raw_parts_mut(out, length),
        );
    }
}
