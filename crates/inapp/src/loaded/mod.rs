//! The libraries loaded in this process.

mod maps;

use std::ffi::{CStr, c_int, c_void};
use std::io;

use libc::{dl_phdr_info, size_t};

use crate::elf::{Image, Segment};
pub use maps::Maps;

/// A loaded library, while the linker's lock is held.
pub struct Library<'a> {
    /// The linker's name of the library: a path, or empty for the program.
    pub path: &'a [u8],
    /// Segments and tables of the library.
    pub image: Image<&'a Maps>,
    /// All mappings of the process when the walk began.
    pub maps: &'a Maps,
}

impl Library<'_> {
    /// Whether the file name or the SONAME of the library is `name`.
    pub fn is_called(&self, name: &str) -> bool {
        let file = self.path.rsplit(|byte| *byte == b'/').next();
        file == Some(name.as_bytes()) || self.image.is_called(name.as_bytes())
    }

    /// Whether the library contains the code of this crate.
    pub fn is_ours(&self) -> bool {
        let code = generation as fn() -> u64;
        self.image.contains(code as usize, 1)
    }
}

/// Calls `visit` for each loaded library that has a dynamic section. The linker holds its lock
/// during the call, so `visit` must not load a library.
///
/// # Errors
///
/// If `/proc/self/maps` cannot be read.
pub fn each_library(visit: &mut dyn FnMut(&Library)) -> io::Result<()> {
    let mut walk = Walk { visit, maps: None };
    // SAFETY: `on_library` gets the `Walk` it expects, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(on_library), (&raw mut walk).cast()) };
    walk.maps
        .unwrap_or_else(|| Err(io::ErrorKind::NotFound.into()))
        .map(drop)
}

struct Walk<'a> {
    visit: &'a mut dyn FnMut(&Library),
    /// Read at the first library: from then on, none is unloaded.
    maps: Option<io::Result<Maps>>,
}

unsafe extern "C" fn on_library(
    info: *mut dl_phdr_info,
    _size: size_t,
    data: *mut c_void,
) -> c_int {
    // SAFETY: the linker passes pointers that are valid during this call, and `data` is from `each_library`.
    let (info, walk) = unsafe { (&*info, &mut *data.cast::<Walk>()) };
    let Ok(maps) = walk.maps.get_or_insert_with(Maps::of_this_process) else {
        return 1;
    };
    let mut path: &[u8] = &[];
    if !info.dlpi_name.is_null() {
        // SAFETY: a C string that is valid during this call.
        path = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
    }
    let mut headers = Vec::new();
    if !info.dlpi_phdr.is_null() {
        // SAFETY: the linker passes its own array of headers and its length.
        let listed = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        headers.extend(listed.iter().map(|header| Segment {
            kind: header.p_type,
            address: header.p_vaddr as usize,
            size: header.p_memsz as usize,
        }));
    }
    if let Some(image) = Image::new(&*maps, info.dlpi_addr as usize, &headers) {
        (walk.visit)(&Library { path, image, maps });
    }
    0
}

/// A number that changes whenever a library is loaded or unloaded.
pub fn generation() -> u64 {
    let mut seen = Generation::default();
    // SAFETY: `on_generation` gets the `Generation` it expects, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(on_generation), (&raw mut seen).cast()) };
    seen.0
}

#[derive(Default)]
struct Generation(u64);

unsafe extern "C" fn on_generation(
    info: *mut dl_phdr_info,
    size: size_t,
    data: *mut c_void,
) -> c_int {
    // SAFETY: both are valid during this call; `data` is from `generation`.
    let (info, seen) = unsafe { (info, &mut *data.cast::<Generation>()) };
    let counted = std::mem::offset_of!(dl_phdr_info, dlpi_subs) + size_of::<u64>();
    if size >= counted {
        // SAFETY: according to its size, the linker's struct includes these two fields.
        let (adds, subs) = unsafe { ((*info).dlpi_adds, (*info).dlpi_subs) };
        seen.0 = adds.rotate_left(32) ^ subs;
        return 1;
    }
    // Android has the counters since version 11. Before, hash the addresses of all libraries.
    // SAFETY: every version of the struct has this field.
    let bias = unsafe { (*info).dlpi_addr } as usize;
    seen.0 = (seen.0 ^ bias as u64)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(23);
    0
}
