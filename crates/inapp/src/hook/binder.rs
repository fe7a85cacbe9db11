//! Recognizing calls of other processes: the binder driver's interface, `linux/android/binder.h`.

use std::ffi::{c_ulong, c_void};

/// `BINDER_WRITE_READ`, without the size of its struct: type `b`, number 1.
const WRITE_READ: c_ulong = 0x6201;

/// `BC_TRANSACTION` and `BC_TRANSACTION_SG`, without the size: type `c`, numbers 0 and 17.
const TRANSACTIONS: [u32; 2] = [0x6300, 0x6311];

/// The flag `TF_ONE_WAY` of a transaction: nobody waits for a reply.
const ONE_WAY: u32 = 1;

/// Offset of the flags in `binder_transaction_data`, bytes: after the target, a cookie of its size, and the code.
const FLAGS_AT: usize = 20;

/// The `binder_write_read` of 64-bit processes, which Android has had for 32-bit ones as well since version 8.
#[repr(C)]
struct WriteRead {
    write_bytes: u64,
    write_consumed: u64,
    write_buffer: u64,
    read_bytes: u64,
    read_consumed: u64,
    read_buffer: u64,
}

/// Whether an `ioctl` is `BINDER_WRITE_READ`, with the struct above.
pub(super) fn is_request(request: c_ulong) -> bool {
    let size = (request >> 16) as usize & 0x3FFF;
    request & 0xFFFF == WRITE_READ && size == size_of::<WriteRead>()
}

/// Whether the commands of a request contain a transaction with a reply. Otherwise the thread waits for work, or does
/// not wait.
///
/// # Safety
/// `argument` is that of a `BINDER_WRITE_READ`.
pub(super) unsafe fn awaits_reply(argument: *const c_void) -> bool {
    // SAFETY: guaranteed by the caller.
    let Some(request) = (unsafe { argument.cast::<WriteRead>().as_ref() }) else {
        return false;
    };
    let start: *const u8 = std::ptr::with_exposed_provenance(request.write_buffer as usize);
    if start.is_null() || request.read_bytes == 0 {
        return false;
    }
    // SAFETY: the buffer has this size.
    let commands = unsafe { std::slice::from_raw_parts(start, request.write_bytes as usize) };
    has_transaction(&commands[(request.write_consumed as usize).min(commands.len())..])
}

/// Each command is a word, whose bits 16 to 29 are the size of the data after it, bytes.
fn has_transaction(mut commands: &[u8]) -> bool {
    while let Some((command, rest)) = commands.split_first_chunk() {
        let command = u32::from_ne_bytes(*command);
        let size = (command >> 16) as usize & 0x3FFF;
        let Some((data, after)) = rest.split_at_checked(size) else {
            return false;
        };
        let flags = data.get(FLAGS_AT..).and_then(|rest| rest.first_chunk());
        let flags = flags.map_or(ONE_WAY, |flags| u32::from_ne_bytes(*flags));
        if TRANSACTIONS.contains(&(command & 0xFFFF)) && flags & ONE_WAY == 0 {
            return true;
        }
        commands = after;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transaction_is_found_among_other_commands() {
        // BC_INCREFS with a handle, then BC_TRANSACTION with 64 bytes of data.
        let increfs = (1u32 << 30 | 4 << 16 | 0x6304).to_ne_bytes();
        let transaction = (1u32 << 30 | 64 << 16 | 0x6300).to_ne_bytes();
        let data = |flags: u32| {
            let mut data = [0; 64];
            data[FLAGS_AT..FLAGS_AT + 4].copy_from_slice(&flags.to_ne_bytes());
            data
        };
        let call = |flags| [&increfs[..], &[0; 4], &transaction, &data(flags)].concat();
        assert!(has_transaction(&call(0x10)));
        assert!(!has_transaction(&call(0x11)), "one way");
        assert!(!has_transaction(&call(0)[..8]));
        assert!(!has_transaction(&call(0)[..50]), "cut");
        assert!(is_request(0xC030_6201) && !is_request(0xC018_6201));
    }
}
