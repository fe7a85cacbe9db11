//! Names for the functions of stacks whose trace has only addresses: what readers ask for, and what a [`Symbolizer`]
//! answers.

use std::fmt::Debug;

/// Finds the names of functions in files of code outside of the trace.
///
/// Readers ask for functions that the trace itself does not name. They do not open files; whoever opens the trace
/// decides which files to trust.
pub trait Symbolizer: Debug + Send + Sync {
    /// Names the functions at these places of a file, which are sorted and different from each other.
    ///
    /// Calls `found` with the index of each place whose function is known, and the function's name as the file has it
    /// (mangled).
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
    /// Its path on the machine that was recorded. For a kernel, perf's name of its image: `[kernel.kallsyms]_text`.
    pub path: &'a str,
    /// Its build id, as hexadecimal digits; empty if the trace does not have it.
    pub build_id: &'a str,
    /// What its places are.
    pub places: CodePlaces,
}

/// What the places of a [`CodeFile`] are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CodePlaces {
    /// Offsets in the file, bytes.
    FileOffsets {
        /// The offset from which the file was mapped. A file that has only symbols does not tell where its code was.
        mapped_from: u64,
    },
    /// Virtual addresses of an ELF file.
    Addresses,
    /// The same, computed with a load bias: the virtual address of the file's code minus its offset in the file. Android
    /// 10 took one that is too small for some files, so that its addresses are too small as well.
    BiasedAddresses {
        /// The load bias, bytes.
        load_bias: u64,
    },
    /// Distances from the start of a kernel's image in memory, bytes.
    Kernel,
}
