//! Removes temporary files when a signal ends the program.
//!
//! Only signals that the program does not handle otherwise are caught. `kill -9` cannot be caught,
//! but files without a name disappear in any case.

#[cfg(unix)]
pub(crate) use unix::DeletedOnSignal;

/// Removes nothing: Windows has no such signals.
#[cfg(not(unix))]
#[derive(Debug)]
pub(crate) struct DeletedOnSignal;

#[cfg(not(unix))]
impl DeletedOnSignal {
    pub fn new(_: &std::path::Path) -> Self {
        Self
    }
}

#[cfg(unix)]
mod unix {
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;
    use std::ptr;
    use std::sync::Once;
    use std::sync::atomic::{AtomicPtr, Ordering};

    use libc::{c_char, c_int};

    /// The number of temporary names that can be registered at a time. Others are not removed by
    /// signals.
    const MOST: usize = 16;

    /// The signals that end a program unless it handles them.
    const SIGNALS: [c_int; 5] = [
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGTERM,
        libc::SIGXCPU,
    ];

    /// The names, in a fixed array of atomics, because a signal handler must not take a lock.
    static NAMES: [AtomicPtr<c_char>; MOST] = [const { AtomicPtr::new(ptr::null_mut()) }; MOST];

    /// A file that is removed by a signal, until this is dropped.
    #[derive(Debug)]
    pub(crate) struct DeletedOnSignal(Option<usize>);

    impl DeletedOnSignal {
        pub fn new(path: &Path) -> Self {
            static INSTALLED: Once = Once::new();
            INSTALLED.call_once(|| SIGNALS.into_iter().for_each(install));
            let Ok(name) = CString::new(path.as_os_str().as_bytes()) else {
                return Self(None);
            };
            let name = name.into_raw();
            let place = NAMES.iter().position(|place| {
                place
                    .compare_exchange(ptr::null_mut(), name, Ordering::AcqRel, Ordering::Relaxed)
                    .is_ok()
            });
            if place.is_none() {
                // SAFETY: it came from `into_raw` above and was not stored.
                drop(unsafe { CString::from_raw(name) });
            }
            Self(place)
        }
    }

    impl Drop for DeletedOnSignal {
        fn drop(&mut self) {
            if let Some(place) = self.0 {
                // Its few bytes are leaked, because a handler on another thread may be reading
                // them.
                NAMES[place].store(ptr::null_mut(), Ordering::Release);
            }
        }
    }

    /// Catches a signal whose action is the default.
    fn install(signal: c_int) {
        // SAFETY: all zeros is a valid sigaction.
        let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: asks for the current action, into memory of the right type.
        let asked = unsafe { libc::sigaction(signal, ptr::null(), &mut before) };
        if asked != 0 || before.sa_sigaction != libc::SIG_DFL {
            return;
        }
        // SAFETY: as above.
        let mut ours: libc::sigaction = unsafe { std::mem::zeroed() };
        ours.sa_sigaction = on_signal as *const () as usize;
        ours.sa_flags = libc::SA_RESETHAND | libc::SA_NODEFER | libc::SA_ONSTACK;
        // SAFETY: the handler does only what a signal handler may do. If this fails, files are not
        // removed.
        unsafe { libc::sigaction(signal, &ours, ptr::null_mut()) };
    }

    /// Removes the files and lets the signal end the program. Calls only functions that are safe in a
    /// signal handler.
    extern "C" fn on_signal(signal: c_int) {
        for place in &NAMES {
            let name = place.load(Ordering::Acquire);
            if !name.is_null() {
                // SAFETY: a C string that is never freed.
                unsafe { libc::unlink(name) };
            }
        }
        // SAFETY: the action is the default again, because of SA_RESETHAND.
        unsafe { libc::raise(signal) };
    }
}
