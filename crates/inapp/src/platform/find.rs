//! Finding the variables of libraries with trace points.

use std::ffi::{CString, c_char, c_void};
use std::io;

use crate::loaded::{self, Library};

/// The symbol names of a library.
pub struct Names {
    /// A 64-bit variable: the mask of tags that are on.
    pub tags: &'static str,
    /// An `int`: the file descriptor of the `trace_marker`.
    pub marker_fd: &'static str,
    /// A function that opens the marker and sets the tags from the system properties, at its first call. The first name
    /// that exists is used.
    pub setup: [&'static str; 3],
}

/// Android 4.3 and later. All versions have `atrace_setup`; the functions that newer versions call instead do the same.
pub const LIBCUTILS: Names = Names {
    tags: "atrace_enabled_tags",
    marker_fd: "atrace_marker_fd",
    setup: ["atrace_setup", "atrace_init", "atrace_get_enabled_tags"],
};

/// Android 4.1 and 4.2: `android::Tracer`, whose functions are inlined into every library.
pub const LIBUTILS: Names = Names {
    tags: "_ZN7android6Tracer12sEnabledTagsE",
    marker_fd: "_ZN7android6Tracer8sTraceFDE",
    setup: ["_ZN7android6Tracer4initEv"; 3],
};

/// Addresses of a library's symbols; 0 if missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub tags: usize,
    pub marker_fd: usize,
    pub setup: usize,
    /// The linker's path of the library.
    pub path: Vec<u8>,
}

impl Found {
    /// All loaded libraries with trace points, in any linker namespace. If position-dependent code of the program refers
    /// to the variables, the program has a copy of them, and the copy is the one in use: the program is then in the list.
    pub fn all() -> io::Result<Vec<Self>> {
        let mut all = Vec::new();
        loaded::each_library(&mut |library| {
            let found = [&LIBCUTILS, &LIBUTILS].map(|names| Self::in_library(library, names));
            all.extend(found.into_iter().flatten());
        })?;
        // Before Android 5, `dl_iterate_phdr` was missing on 32-bit ARM; look the symbols up by name.
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
    // SAFETY: the name is a C string.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr().cast::<c_char>()) }.expose_provenance()
}

/// A reference that keeps a library loaded.
#[derive(Debug)]
pub struct LibraryReference(*mut c_void);

impl LibraryReference {
    /// Libraries of other namespaces cannot be opened; they belong to the system and are never unloaded.
    pub fn new(path: &[u8]) -> Self {
        let path = CString::new(path).unwrap_or_default();
        let handle = if path.is_empty() {
            std::ptr::null_mut()
        } else {
            // SAFETY: the library is already loaded, so `dlopen` does not run any of its code.
            unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) }
        };
        Self(handle)
    }
}

impl Drop for LibraryReference {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: the handle came from `dlopen` and is closed once.
            unsafe { libc::dlclose(self.0) };
        }
    }
}

// SAFETY: the handle is not bound to a thread.
unsafe impl Send for LibraryReference {}
