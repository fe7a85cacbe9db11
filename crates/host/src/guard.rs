//! Keeps the program alive when a mapped file is truncated.
//!
//! ```text
//! before   │ file │ file │ file │ file │
//! cut      │ file │  end of the file   │   reading here raises SIGBUS
//! handler  │ file │ zeros, and a flag  │   the reader continues; `check` fails afterwards
//! ```
//!
//! The handler replaces the pages from the faulting one to the end of the map by zeros. So readers,
//! which cannot stop in the middle of a slice of bytes, work as usual. The signal occurs at most a
//! few times per file.

#[cfg(unix)]
pub(crate) use unix::Guard;

/// Watches nothing: Windows refuses to truncate a mapped file.
#[cfg(not(unix))]
#[derive(Debug)]
pub(crate) struct Guard;

#[cfg(not(unix))]
impl Guard {
    pub fn new(_: &[u8]) -> std::io::Result<Self> {
        Ok(Self)
    }

    pub fn was_hit(&self) -> bool {
        false
    }
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::ptr;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use libc::{c_int, c_void, sigaction, siginfo_t};

    /// The number of maps that can be guarded at a time.
    const MOST: usize = 64;

    /// Values of `start` that are not addresses: the slot is free, or is being filled.
    const FREE: usize = 0;
    const TAKEN: usize = 1;

    /// A guarded map. A signal handler must not lock, so the maps are in a fixed array of atomics.
    struct Slot {
        start: AtomicUsize,
        end: AtomicUsize,
        is_hit: AtomicBool,
    }

    static SLOTS: [Slot; MOST] = [const {
        Slot {
            start: AtomicUsize::new(FREE),
            end: AtomicUsize::new(0),
            is_hit: AtomicBool::new(false),
        }
    }; MOST];

    /// The data of the handler. Set before the first map is guarded.
    struct Before {
        page_bytes: usize,
        /// The previous handler: that of the standard library, which reports stack overflows.
        handler: sigaction,
    }

    static BEFORE: OnceLock<Before> = OnceLock::new();

    /// Guards a map until it is dropped.
    #[derive(Debug)]
    pub(crate) struct Guard(usize);

    impl Guard {
        /// Guards these bytes of a map. An error if the system refuses, or too many maps are guarded.
        pub fn new(map: &[u8]) -> io::Result<Self> {
            let page_bytes = install()?;
            let free = |slot: &Slot| {
                slot.start
                    .compare_exchange(FREE, TAKEN, Ordering::AcqRel, Ordering::Relaxed)
                    .is_ok()
            };
            let number = SLOTS.iter().position(free);
            let number = number.ok_or_else(|| io::Error::other("too many files are mapped"))?;
            let slot = &SLOTS[number];
            let start = map.as_ptr() as usize;
            let end = (start + map.len()).next_multiple_of(page_bytes);
            slot.is_hit.store(false, Ordering::Relaxed);
            slot.end.store(end, Ordering::Relaxed);
            slot.start.store(start, Ordering::Release);
            Ok(Self(number))
        }

        /// Whether bytes were read that were no longer in the file.
        pub fn was_hit(&self) -> bool {
            SLOTS[self.0].is_hit.load(Ordering::Acquire)
        }
    }

    impl Drop for Guard {
        fn drop(&mut self) {
            SLOTS[self.0].start.store(FREE, Ordering::Release);
        }
    }

    /// Installs the handler once. Returns the size of a page.
    fn install() -> io::Result<usize> {
        if let Some(before) = BEFORE.get() {
            return Ok(before.page_bytes);
        }
        static ONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
        let _one = ONE.lock();
        if let Some(before) = BEFORE.get() {
            return Ok(before.page_bytes);
        }
        // SAFETY: only reads a value.
        let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page_bytes = usize::try_from(page_bytes).unwrap_or(4096);
        // SAFETY: all zeros is a valid sigaction: the default action, no flags.
        let mut handler: sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: only asks for the current handler, into memory of the right type.
        check(unsafe { sigaction(libc::SIGBUS, ptr::null(), &mut handler) })?;
        let before = BEFORE.get_or_init(|| Before {
            page_bytes,
            handler,
        });
        // SAFETY: as above.
        let mut ours: sigaction = unsafe { std::mem::zeroed() };
        ours.sa_sigaction = on_signal as *const () as usize;
        // A thread whose stack is too small for a handler has an alternate stack for signals.
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: the handler does only what a signal handler may do.
        check(unsafe { sigaction(libc::SIGBUS, &ours, ptr::null_mut()) })?;
        Ok(before.page_bytes)
    }

    fn check(result: c_int) -> io::Result<()> {
        match result {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Handles SIGBUS. Calls only functions that are safe in a signal handler.
    extern "C" fn on_signal(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        // SAFETY: the kernel passes a valid siginfo_t, whose address is set for SIGBUS.
        let address = unsafe { (*info).si_addr() } as usize;
        let Some(before) = BEFORE.get() else { return };
        let ours = SLOTS.iter().find(|slot| {
            let start = slot.start.load(Ordering::Acquire);
            start > TAKEN && (start..slot.end.load(Ordering::Relaxed)).contains(&address)
        });
        if !ours.is_some_and(|slot| put_zeros(slot, address, before.page_bytes)) {
            pass_on(&before.handler, signal, info, context);
        }
    }

    /// Maps zeros from the page of `address` to the end of the map; false if the system refuses.
    fn put_zeros(slot: &Slot, address: usize, page_bytes: usize) -> bool {
        slot.is_hit.store(true, Ordering::Release);
        let page = address - address % page_bytes;
        let length = slot.end.load(Ordering::Relaxed) - page;
        // SAFETY: these pages belong to the map, which is in use by the thread that was
        // interrupted, so it is not unmapped. There are no mutable references into it.
        let put = unsafe {
            libc::mmap(
                page as *mut c_void,
                length,
                libc::PROT_READ,
                libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_FIXED | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        put != libc::MAP_FAILED
    }

    /// Treats a fault elsewhere as if this handler did not exist.
    fn pass_on(before: &sigaction, signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        match before.sa_sigaction {
            libc::SIG_DFL | libc::SIG_IGN => {
                // The instruction is repeated when this handler returns, and its fault then ends the program.
                // SAFETY: restores the default action.
                unsafe { libc::signal(signal, libc::SIG_DFL) };
            }
            handler if before.sa_flags & libc::SA_SIGINFO != 0 => {
                // SAFETY: a handler with SA_SIGINFO has this type.
                let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) =
                    unsafe { std::mem::transmute(handler) };
                handler(signal, info, context);
            }
            handler => {
                // SAFETY: a handler without SA_SIGINFO has this type.
                let handler: extern "C" fn(c_int) = unsafe { std::mem::transmute(handler) };
                handler(signal);
            }
        }
    }
}
