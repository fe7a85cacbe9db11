//! Finds the variables of libraries with trace points.

use std::ffi::{CString, c_char, c_void};
use std::io;

use crate::loaded::{self, Library};

/// What a library calls its parts.
pub struct Names {
    /// A word of 64 bits: the tags that are on.
    pub tags: &'static str,
    /// An `int`: the `trace_marker`.
    pub marker_fd: &'static str,
    /// Opens the one and sets the other from the system's properties, at its first call; the first that there is.
    pub setup: [&'static str; 3],
}

/// Since Android 4.3. `atrace_setup` is there in all of them; what newer ones call instead does the same.
pub const LIBCUTILS: Names = Names {
    tags: "atrace_enabled_tags",
    marker_fd: "atrace_marker_fd",
    setup: ["atrace_setup", "atrace_init", "atrace_get_enabled_tags"],
};

/// Android 4.1 and 4.2: `android::Tracer`, whose inlined functions write from every library.
pub const LIBUTILS: Names = Names {
    tags: "_ZN7android6Tracer12sEnabledTagsE",
    marker_fd: "_ZN7android6Tracer8sTraceFDE",
    setup: ["_ZN7android6Tracer4initEv"; 3],
};

/// Where a library has its parts: addresses, zero where it has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub tags: usize,
    pub marker_fd: usize,
    pub setup: usize,
    /// By which the linker knows the library, so that it can be kept.
    pub path: Vec<u8>,
}

impl Found {
    /// All libraries with trace points that are loaded, in any namespace. A program that refers to the
    /// variables from code that is not position-independent has a copy of them, which is then the one in
    /// use: it is found as the program's.
    pub fn all() -> io::Result<Vec<Self>> {
        let mut all = Vec::new();
        loaded::each_library(&mut |library| {
            let found = [&LIBCUTILS, &LIBUTILS].map(|names| Self::in_library(library, names));
            all.extend(found.into_iter().flatten());
        })?;
        // Before Android 5, the linker did not show libraries of 32 bit arm; it finds them by name.
        if all.is_empty() {
            let found = [&LIBCUTILS, &LIBUTILS].map(Self::by_name);
            all.extend(found.into_iter().flatten());
        }
        Ok(all)
    }

    fn in_library(library: &Library, names: &Names) -> Option<Self> {
        let defined = |name: &str| library.image.definition(name.as_bytes());
        let variable = |name: &str, size: usize| {
            let address = defined(name).filter(|address| address.is_multiple_of(size))?;
            let region = library.maps.find(address)?;
            let writable = region.protection & libc::PROT_WRITE != 0;
            (writable && library.image.contains(address, size)).then_some(address)
        };
        let code = |name: &&str| defined(name).filter(|address| library.maps.is_code(*address));
        Some(Self {
            tags: variable(names.tags, 8)?,
            marker_fd: variable(names.marker_fd, 4).unwrap_or(0),
            setup: names.setup.iter().find_map(code).unwrap_or(0),
            path: library.path.to_vec(),
        })
    }

    fn by_name(names: &Names) -> Option<Self> {
        let tags = look_up(names.tags);
        (tags != 0 && tags.is_multiple_of(8)).then(|| Self {
            tags,
            marker_fd: look_up(names.marker_fd),
            setup: names
                .setup
                .iter()
                .map(|name| look_up(name))
                .find(|at| *at != 0)
                .unwrap_or(0),
            path: Vec::new(),
        })
    }
}

fn look_up(name: &str) -> usize {
    let name = CString::new(name).unwrap_or_default();
    // SAFETY: a text that ends with NUL; any loaded library may define it.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr().cast::<c_char>()) }.expose_provenance()
}

/// Keeps a library loaded.
#[derive(Debug)]
pub struct Kept(*mut c_void);

impl Kept {
    /// Where the linker doesn't hand the library out (another namespace) it is one of the system's, which stay.
    pub fn library(path: &[u8]) -> Self {
        let path = CString::new(path).unwrap_or_default();
        let handle = if path.is_empty() {
            std::ptr::null_mut()
        } else {
            // SAFETY: the library is already loaded, so dlopen runs none of its code.
            unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) }
        };
        Self(handle)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: a handle of `dlopen`'s, given back once.
            unsafe { libc::dlclose(self.0) };
        }
    }
}

// SAFETY: a handle is no thread's own.
unsafe impl Send for Kept {}
