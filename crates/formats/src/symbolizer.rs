//! Names the functions of stacks if the trace has only their addresses: the questions of readers, and the answers of a
//! [`Symbolizer`].

use std::fmt::Debug;

/// Finds the names of functions in files outside the trace.
///
/// Readers ask for functions that the trace does not name. They do not open files; the program that opens the trace
/// decides which files to trust.
pub trait Symbolizer: Debug + Send + Sync {
    /// Names the functions at these places of a file. The places are sorted and distinct.
    ///
    /// Calls `found` with the index of each place whose function is known, and with the function's mangled name as in
    /// the file.
    fn name_functions(
        &self,
        file: &CodeFile<'_>,
        places: &[u64],
        found: &mut dyn FnMut(usize, &str),
    );
}

/// A file of code, as a trace describes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeFile<'a> {
    /// Its path on the recorded machine. For a kernel, perf's name of its image: `[kernel.kallsyms]_text`.
    pub path: &'a str,
    /// Its build id in hexadecimal; empty if the trace does not contain it.
    pub build_id: &'a str,
    /// The meaning of its places.
    pub places: CodePlaces,
}

/// The meaning of the places of a [`CodeFile`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CodePlaces {
    /// Offsets in the file, bytes.
    FileOffsets {
        /// The file offset at which the mapping begins, bytes. It is needed for files that have only symbols, which do
        /// not show where their code was.
        mapped_from: u64,
    },
    /// Virtual addresses of an ELF file.
    Addresses,
    /// Virtual addresses that were computed with a load bias: the virtual address of the file's code minus its offset
    /// in the file. For some files, Android 10 used a load bias that is too small, so the addresses are too small as
    /// well.
    BiasedAddresses {
        /// The load bias, bytes.
        load_bias: u64,
    },
    /// Distances from the lowest virtual address of the file's segments, bytes.
    FromImageStart,
    /// Distances from the start of a kernel's image in memory, bytes.
    Kernel,
}
