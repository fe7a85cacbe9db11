//! Sections of so many tiny lines that they would take many times the file's size of memory.

/// Lines of a section that are read however short they are. A method takes some 200 bytes of memory
/// until it is printed, so files of nothing but tiny lines would take a hundred times their size.
const FREE_LINES: usize = 1 << 17;

/// Bytes of the threads' section for each line beyond [`FREE_LINES`]: fewer than real ones have.
pub(super) const THREAD_LINE: usize = 8;
/// The same for the methods' section.
pub(super) const METHOD_LINE: usize = 20;

/// Whether a section of `bytes` has more lines than pay for `line` bytes each.
pub(super) fn is_too_dense(lines: usize, bytes: usize, line: usize) -> bool {
    lines > FREE_LINES + bytes / line
}
